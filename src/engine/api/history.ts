/** The engine's history: what was changed through it, by whom, and the way back. */
import type { Access } from '../access/access.ts';
import { isWithin } from '../confine/roots.ts';
import type { JournalEntry } from '../journal/entries/entry.ts';
import { pathsOf } from '../journal/entries/touched-paths.ts';
import type { Journal } from '../journal/journal.ts';
import { carryOut, sweepAround, waitForOthers } from '../undo/carry-out.ts';
import type { Obstacle, Standing } from '../undo/compare.ts';
import { diffInTheWay, diffsOfEntry, diffsOfUndoing, type FileDiff } from '../undo/diff.ts';
import { type Doing, obstaclesOf, planUndo, type UndoStep } from '../undo/plan.ts';
import { cutOffUndoing, doingsOf } from '../undo/undo-chain.ts';

export interface EntryFilter {
  /** Only entries that touched something in this directory: an absolute path. */
  below?: string;
  /** Only entries of this time and later, in milliseconds since 1970. */
  since?: number;
  limit?: number;
}

export interface PlannedStep {
  path: string;
  does: UndoStep['does'] | 'leave as it is';
}

export interface UndoPlan {
  entry: JournalEntry;
  steps: PlannedStep[];
  obstacles: Obstacle[];
  /** What undoing would change now. */
  diffs: FileDiff[];
}

export type UndoOutcome = { done: true; entry: JournalEntry } | { done: false; obstacles: Obstacle[] };

export class HistoryApi {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  /** Newest first. Of an engine without a journal there is no history. */
  entries(filter: EntryFilter = {}): JournalEntry[] {
    const { journal, wall } = this.#access;
    const roots = wall.roots.map(({ real }) => real);
    const all = journal ? selected(journal.entries(), filter) : [];
    return all.filter((entry) => entry.roots.every((path) => roots.some((root) => isWithin(path, root))));
  }

  entry(id: string): JournalEntry | undefined {
    return this.entries().find((entry) => entry.id === id);
  }

  async diff(id: string): Promise<FileDiff[]> {
    const entry = this.entry(id);
    return entry ? diffsOfEntry(this.#access, this.#journal, entry) : [];
  }

  /** What undoing an entry would do, and what is in the way; undefined when there is no such entry. */
  async plan(id: string): Promise<UndoPlan | undefined> {
    const entry = this.entry(id);
    if (!entry) return undefined;
    if (entry.unrecorded !== undefined) {
      return { entry, steps: [], obstacles: obstaclesOfUnrecorded(entry), diffs: [] };
    }
    const all = await planUndo(this.#access, this.#journal, this.#doings(entry));
    const steps = all.filter(({ later }) => !later);
    return {
      entry,
      steps: steps.map(({ path, does, standing }) => ({
        path,
        does: isLeft(standing) ? 'leave as it is' : does,
      })),
      obstacles: await this.#explained(obstaclesOf(steps), entry),
      diffs: await diffsOfUndoing(
        this.#access,
        this.#journal,
        steps.filter(({ standing }) => !isLeft(standing)).map(({ change }) => change),
      ),
    };
  }

  /** Puts back what the entry changed, or tells what is in the way; undefined when there is no such entry. */
  async undo(id: string, options: { force?: boolean } = {}): Promise<UndoOutcome | undefined> {
    const found = this.entry(id);
    if (!found) return undefined;
    if (found.unrecorded !== undefined) return { done: false, obstacles: obstaclesOfUnrecorded(found) };
    await this.#waitForOthers(found);
    const doings = this.#doings(this.entry(id) ?? found);
    const entries = doings.map((doing) => doing.entry);
    const entry = entries.at(-1)!;
    const cutOff = cutOffUndoing(this.#journal, this.entries(), entry);
    let made: string | undefined;
    const caller = { ...this.#access.caller, entered: (own: string) => (made = own) };
    const undoing = { undoes: entry.id, continues: cutOff?.id };
    const paths = entries.flatMap(pathsOf);
    const obstacles = await this.#access.as(caller).change(paths, undoing, async (changes) => {
      for (const doing of doings) if (doing.open) sweepAround(this.#access, doing.entry);
      const steps = await planUndo(this.#access, this.#journal, doings);
      const inTheWay = obstaclesOf(steps);
      const forced = options.force && inTheWay.every(({ forceable }) => forceable);
      if (inTheWay.length > 0 && !forced) return inTheWay;
      await carryOut(this.#access, this.#journal, steps, changes);
      return [];
    });
    if (obstacles.length > 0) return { done: false, obstacles: await this.#explained(obstacles, entry) };
    made ??= this.#journal.noteUndone(entry, this.#access.caller.origin, cutOff?.id);
    if (cutOff) this.#journal.complete(cutOff.id);
    for (const each of entries.slice(0, -1)) {
      // It has no end, and was taken back with the entry: nothing else would say so.
      if (!this.#journal.hasEnd(each.id)) this.#journal.noteUndone(each, this.#access.caller.origin);
    }
    this.#access.caller.entered(made);
    return { done: true, entry: this.entry(made) ?? entry };
  }

  #doings(entry: JournalEntry): Doing[] {
    return doingsOf(this.#journal, this.entries(), entry);
  }

  /** An entry without an end may be under way at this moment, and so may an undo of it. */
  async #waitForOthers(entry: JournalEntry): Promise<void> {
    const open = [entry, cutOffUndoing(this.#journal, this.entries(), entry)];
    for (const each of open) if (each?.state === 'pending') await waitForOthers(this.#access, each);
  }

  get #journal(): Journal {
    return this.#access.journal!;
  }

  async #explained(obstacles: readonly Obstacle[], entry: JournalEntry): Promise<Obstacle[]> {
    const explained: Obstacle[] = [];
    for (const obstacle of obstacles) {
      const change = entry.changes.find(({ path }) => path === obstacle.path);
      const text = change ? await diffInTheWay(this.#access, this.#journal, change) : '';
      explained.push(text === '' ? obstacle : { ...obstacle, diff: text });
    }
    return explained;
  }
}

function obstaclesOfUnrecorded({ roots, unrecorded = '' }: JournalEntry): Obstacle[] {
  return roots.map((path) => ({ path, why: `what the command changed was ${unrecorded}`, forceable: false }));
}

function isLeft(standing: Standing): boolean {
  return typeof standing !== 'string' && standing.left === true;
}

/** Newest first. */
export function selected(entries: readonly JournalEntry[], filter: EntryFilter): JournalEntry[] {
  const { below, since = 0, limit = Number.POSITIVE_INFINITY } = filter;
  const touches = ({ changes, roots, unrecorded }: JournalEntry) =>
    below === undefined ||
    (unrecorded !== undefined && roots.some((root) => isWithin(root, below) || isWithin(below, root))) ||
    changes.some(
      (change) => isWithin(change.path, below) || (change.kind === 'moved' && isWithin(change.to, below)),
    );
  return entries
    .filter((entry) => entry.at >= since && touches(entry))
    .reverse()
    .slice(0, limit);
}
