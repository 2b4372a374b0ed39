/** The engine's history: what was changed through it, by whom, and how to undo it. */
import type { Access } from '../access/access.ts';
import type { Caller } from '../caller.ts';
import { isWithin } from '../confine/roots.ts';
import type { TextEditor } from '../files/edit/text-editor.ts';
import type { Change, JournalEntry } from '../journal/entries/entry.ts';
import type { EntryIndex } from '../journal/entries/entry-index.ts';
import type { Journal } from '../journal/journal.ts';
import { shortHashOf } from '../text/short-hash.ts';
import type { Comparison, Obstacle } from '../undo/compare.ts';
import { diffInTheWay, diffsOfEntry, diffsOfUndoing, type FileDiff, type ServedDiffs } from '../undo/diff.ts';
import { obstaclesOf, planUndo, type UndoStep } from '../undo/plan.ts';
import { undoEntry } from '../undo/undo.ts';
import { targetsOf, type UndoTarget } from '../undo/undo-chain.ts';
import { obstaclesOfWithheld, servedEntry } from '../undo/withheld-changes.ts';

export interface EntryFilter {
  /** Only entries that touched something in this directory: an absolute path. */
  below?: string;
  /** Only entries from this time on, in milliseconds since 1970. */
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
  /** What an undo would change now. */
  diffs: FileDiff[];
}

export interface UndoOptions {
  /** Undoes what can be undone in spite of obstacles. The journal first keeps what is in the way. */
  force?: boolean;
  /** Learns of the paths that the undo touches. The journal records the undo in this caller's name. */
  caller?: Caller;
}

/** `entry`: the entry that the undo itself made. */
export type UndoOutcome =
  | { done: true; entry: JournalEntry; steps: PlannedStep[] }
  | { done: false; obstacles: Obstacle[] };

/** An entry as it is served, and the whole entries that an undo of it undoes. */
interface FoundEntry {
  entry: JournalEntry;
  index: EntryIndex;
  targets: UndoTarget[];
}

/** How many entries to search for an old content: what a client has read is not far back. */
const MOST_ENTRIES_SEARCHED = 100;

export class HistoryApi {
  readonly #access: Access;
  readonly #editor: TextEditor;

  constructor(access: Access, editor: TextEditor) {
    this.#access = access;
    this.#editor = editor;
  }

  /** The newest entry comes first. */
  async entries(filter: EntryFilter = {}): Promise<JournalEntry[]> {
    const { journal } = this.#access;
    if (!journal) return [];
    const { limit, ...rest } = filter;
    const { entries } = await journal.read();
    return selected(entries, rest)
      .flatMap((entry) => this.#served(entry) ?? [])
      .slice(0, limit);
  }

  async entry(id: string): Promise<JournalEntry | undefined> {
    const entry = (await this.#access.journal?.read())?.entry(id);
    return entry && this.#served(entry);
  }

  /** An old content of a file, by its short hash, if the journal still has it. */
  async contentOf(path: string, hash: string): Promise<Buffer | undefined> {
    for (const { changes } of await this.entries({ below: path, limit: MOST_ENTRIES_SEARCHED })) {
      for (const { hash: known } of changes.flatMap(imagesOf)) {
        if (known === undefined || shortHashOf(known) !== hash) continue;
        const content = await this.#journal.store.get(known);
        if (content) return content;
      }
    }
    return undefined;
  }

  async diff(id: string): Promise<FileDiff[]> {
    const entry = await this.entry(id);
    return entry ? diffsOfEntry(this.#diffing, this.#journal, entry) : [];
  }

  /** How many lines an entry added to each of these files and removed from it, as far as that can be shown. */
  async lineCounts(id: string, paths: ReadonlySet<string>): Promise<Map<string, FileDiff['lines']>> {
    const entry = await this.entry(id);
    if (!entry) return new Map();
    const changes = entry.changes.filter(({ path }) => paths.has(path));
    const access = { ...this.#diffing, countsOnly: true };
    const diffs = await diffsOfEntry(access, this.#journal, { ...entry, changes });
    return new Map(diffs.map(({ path, lines }) => [path, lines]));
  }

  /** What undoing an entry would do, and what is in the way; undefined when there is no such entry. */
  async plan(id: string): Promise<UndoPlan | undefined> {
    const found = await this.#find(id);
    if (!found) return undefined;
    const { entry, targets } = found;
    const lasting = this.#lastingObstacles(found);
    if (lasting.length > 0) return { entry, steps: [], obstacles: lasting, diffs: [] };
    const all = await planUndo(this.#access, this.#journal, targets);
    const steps = all.filter(({ later }) => !later);
    return {
      entry,
      steps: steps.map(described),
      obstacles: await this.#explained(obstaclesOf(steps), entry),
      diffs: await diffsOfUndoing(
        this.#diffing,
        this.#journal,
        steps.filter(({ comparison }) => !isLeft(comparison)).map(({ change }) => change),
      ),
    };
  }

  /** Restores what the entry changed, or says what is in the way; undefined when there is no such entry. */
  async undo(id: string, { force = false, caller }: UndoOptions = {}): Promise<UndoOutcome | undefined> {
    const found = await this.#find(id);
    if (!found) return undefined;
    const { entry, index } = found;
    const lasting = this.#lastingObstacles(found);
    if (lasting.length > 0) return { done: false, obstacles: lasting };
    const access = caller ? this.#access.as(caller) : this.#access;
    const undone = await undoEntry(access, this.#journal, { index, id, force });
    if ('obstacles' in undone) {
      return { done: false, obstacles: await this.#explained(undone.obstacles, entry) };
    }
    const steps = undone.steps.filter(({ later }) => !later).map(described);
    // The undo is made: it must not count as failed because its entry cannot be read back.
    const by = await this.entry(undone.by).catch(() => undefined);
    return { done: true, entry: by ?? entry, steps };
  }

  get #diffing(): ServedDiffs {
    const { wall, encodings } = this.#access;
    return { wall, encodings, editor: this.#editor };
  }

  /** Reads the journal once for all that an undo of an entry needs to know. */
  async #find(id: string): Promise<FoundEntry | undefined> {
    const index = await this.#access.journal?.read();
    const whole = index?.entry(id);
    const entry = whole && this.#served(whole);
    return index && entry && { entry, index, targets: targetsOf(index, whole) };
  }

  /** What keeps an entry from being undone whatever is on the disk: no record of its changes, or withheld files. */
  #lastingObstacles({ entry, targets }: FoundEntry): Obstacle[] {
    if (entry.unrecorded !== undefined) return obstaclesOfUnrecorded(entry);
    const entries = targets.map((target) => target.entry);
    return obstaclesOfWithheld(this.#access.wall, entries);
  }

  /** The entry without changes of hidden files, if all its directories are served here, or are inside served ones. */
  #served(entry: JournalEntry): JournalEntry | undefined {
    const { wall } = this.#access;
    const isCovered = entry.roots.every((path) => wall.roots.some(({ real }) => isWithin(path, real)));
    return isCovered ? servedEntry(wall, entry) : undefined;
  }

  get #journal(): Journal {
    return this.#access.journal!;
  }

  async #explained(obstacles: readonly Obstacle[], entry: JournalEntry): Promise<Obstacle[]> {
    const explained: Obstacle[] = [];
    for (const obstacle of obstacles) {
      const change = entry.changes.find(({ path }) => path === obstacle.path);
      const text = change ? await diffInTheWay(this.#diffing, this.#journal, change) : '';
      explained.push(text === '' ? obstacle : { ...obstacle, diff: text });
    }
    return explained;
  }
}

function obstaclesOfUnrecorded({ roots, unrecorded = '' }: JournalEntry): Obstacle[] {
  return roots.map((path) => ({ path, why: `what the command changed was ${unrecorded}`, forceable: false }));
}

/** What the journal knows of the contents before and after a change. */
function imagesOf(change: Change): { hash?: string }[] {
  switch (change.kind) {
    case 'created':
      return change.after ? [change.after] : [];
    case 'changed':
      return [change.before, change.after];
    case 'removed':
      return change.before.type === 'file' ? [change.before.file] : [];
    case 'moved':
      return change.file ? [change.file] : [];
  }
}

function described({ path, does, comparison }: UndoStep): PlannedStep {
  return { path, does: isLeft(comparison) ? 'leave as it is' : does };
}

function isLeft(comparison: Comparison): boolean {
  return typeof comparison !== 'string' && comparison.left === true;
}

/** The newest entry comes first. */
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
