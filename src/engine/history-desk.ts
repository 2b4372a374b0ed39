/** The engine's history: what was changed through it, by whom, and the way back. */
import type { Calls } from './calls.ts';
import { isWithin } from './confine/roots.ts';
import type { JournalEntry } from './journal/entry.ts';
import {
  contentAfter,
  contentNow,
  diffsOfEntry,
  diffsOfUndoing,
  type FileDiff,
  shown,
} from './journal/entry-diff.ts';
import type { Journal } from './journal/journal.ts';
import type { Obstacle } from './journal/standing.ts';
import {
  carryOut,
  obstaclesOf,
  pathsOf,
  planUndo,
  sweepAround,
  type UndoStep,
  waitForOthers,
} from './journal/undo.ts';

export interface EntryFilter {
  /** Only entries that touched something in this directory: an absolute path. */
  below?: string;
  /** Only entries of this time and later, in milliseconds since 1970. */
  since?: number;
  limit?: number;
}

export interface UndoPlan {
  entry: JournalEntry;
  steps: Pick<UndoStep, 'path' | 'does'>[];
  obstacles: Obstacle[];
  /** What undoing would change now. */
  diffs: FileDiff[];
}

export type UndoOutcome = { done: true; entry: JournalEntry } | { done: false; obstacles: Obstacle[] };

export class HistoryDesk {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** Newest first. Of an engine without a journal there is no history. */
  entries(filter: EntryFilter = {}): JournalEntry[] {
    const { journal, wall } = this.#calls;
    const roots = wall.roots.map(({ real }) => real);
    const all = journal ? selected(journal.entries(), filter) : [];
    return all.filter((entry) => entry.roots.every((path) => roots.some((root) => isWithin(path, root))));
  }

  entry(id: string): JournalEntry | undefined {
    return this.entries().find((entry) => entry.id === id);
  }

  async diff(id: string): Promise<FileDiff[]> {
    const entry = this.entry(id);
    return entry ? diffsOfEntry(this.#calls, this.#journal, entry) : [];
  }

  /** What undoing an entry would do, and what is in the way; undefined when there is no such entry. */
  async plan(id: string): Promise<UndoPlan | undefined> {
    const entry = this.entry(id);
    if (!entry) return undefined;
    const steps = await planUndo(this.#calls, this.#journal, this.#lastDoing(entry));
    return {
      entry,
      steps: steps.map(({ path, does }) => ({ path, does })),
      obstacles: await this.#explained(obstaclesOf(steps), entry),
      diffs: await diffsOfUndoing(
        this.#calls,
        this.#journal,
        steps.map(({ change }) => change),
      ),
    };
  }

  /** Puts back what the entry changed, or tells what is in the way; undefined when there is no such entry. */
  async undo(id: string, options: { force?: boolean } = {}): Promise<UndoOutcome | undefined> {
    const found = this.entry(id);
    if (!found) return undefined;
    if (found.state === 'pending') await waitForOthers(this.#calls, found);
    const entry = this.#lastDoing(this.entry(id) ?? found);
    let made: string | undefined;
    const caller = { ...this.#calls.caller, entered: (own: string) => (made = own) };
    const undoing = { undoes: entry.id };
    const obstacles = await this.#calls.as(caller).together(pathsOf(entry), undoing, async (recording) => {
      if (entry.state === 'pending') sweepAround(this.#calls, entry);
      const steps = await planUndo(this.#calls, this.#journal, entry);
      const inTheWay = obstaclesOf(steps);
      const forced = options.force && inTheWay.every(({ forceable }) => forceable);
      if (inTheWay.length > 0 && !forced) return inTheWay;
      await carryOut(this.#calls, this.#journal, steps, recording);
      return [];
    });
    if (obstacles.length > 0) return { done: false, obstacles: await this.#explained(obstacles, entry) };
    made ??= this.#journal.noteUndone(entry, this.#calls.caller.origin);
    this.#calls.caller.entered(made);
    return { done: true, entry: this.entry(made) ?? entry };
  }

  /** What was undone and then done again is taken back where it was done last: there is what it needs. */
  #lastDoing(entry: JournalEntry): JournalEntry {
    const entries = this.entries();
    const undoing = entries.find(({ undoes, state }) => undoes === entry.id && state === 'undone');
    const again = undoing && entries.find(({ undoes, state }) => undoes === undoing.id && state === 'done');
    return again && again.changes.length > 0 ? this.#lastDoing(again) : entry;
  }

  get #journal(): Journal {
    return this.#calls.journal!;
  }

  async #explained(obstacles: readonly Obstacle[], entry: JournalEntry): Promise<Obstacle[]> {
    const explained: Obstacle[] = [];
    for (const obstacle of obstacles) {
      const change = entry.changes.find(({ path }) => path === obstacle.path);
      const after = change && 'after' in change ? change.after : undefined;
      const left = after && (await contentAfter(this.#calls, this.#journal, obstacle.path, after));
      const now = left && (await contentNow(this.#calls, obstacle.path));
      const text = left && now ? shown(obstacle.path, left, now).text : '';
      explained.push(text === '' ? obstacle : { ...obstacle, diff: text });
    }
    return explained;
  }
}

/** Newest first. */
export function selected(entries: readonly JournalEntry[], filter: EntryFilter): JournalEntry[] {
  const { below, since = 0, limit = Number.POSITIVE_INFINITY } = filter;
  const touches = ({ changes }: JournalEntry) =>
    below === undefined ||
    changes.some(
      (change) => isWithin(change.path, below) || (change.kind === 'moved' && isWithin(change.to, below)),
    );
  return entries
    .filter((entry) => entry.at >= since && touches(entry))
    .reverse()
    .slice(0, limit);
}
