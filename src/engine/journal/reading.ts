/** From the journal's lines to its entries. */
import type { Change, JournalEntry, Origin } from './entry.ts';
import type { LineLog } from './line-log.ts';

/** One line: the beginning of an entry, more of it, its end, or which entries were given up. */
export interface Line {
  /** The entry's id. */
  e?: string;
  /** The entry that it is a part of: one call may make several changes, one after another. */
  call?: string;
  at?: number;
  by?: Origin;
  roots?: string[];
  did?: Change[];
  undoes?: string;
  found?: true;
  /** These changes stand in place of those that were told before of the same paths. */
  instead?: true;
  end?: 'done' | 'failed';
  drop?: string[];
}

export interface ReadEntry extends JournalEntry {
  /** The file that its first line stands in. */
  file: string;
  /** The ids of its parts, for those who give it up. */
  parts: string[];
}

/** What one beginning and the lines that belong to it say. */
interface Part extends Omit<JournalEntry, 'state'> {
  call: string;
  done: boolean;
  file: string;
}

const RELEASE_AFTER_MS = 30_000;

const readers = new Map<string, EntryReader>();

/** All entries in the order in which they began. They are shared: nobody may change them. */
export function readEntries(log: LineLog): readonly ReadEntry[] {
  const reader = readers.get(log.directory) ?? new EntryReader(log);
  readers.set(log.directory, reader);
  return reader.entries();
}

/**
 * Reads a journal again and again, each time only what was added.
 *
 * What was read is given back to memory when nobody has asked for a while.
 */
class EntryReader {
  readonly #log: LineLog;
  readonly #parts = new Map<string, Part>();
  /** How far each file was read. */
  readonly #read = new Map<string, { offset: number; ino: number }>();
  #entries: ReadEntry[] | undefined;
  #release: NodeJS.Timeout | undefined;

  constructor(log: LineLog) {
    this.#log = log;
  }

  entries(): readonly ReadEntry[] {
    this.#catchUp();
    this.#entries ??= together(this.#parts.values());
    this.#release ??= setTimeout(() => readers.delete(this.#log.directory), RELEASE_AFTER_MS).unref();
    this.#release.refresh();
    return this.#entries;
  }

  #forget(): void {
    this.#entries = undefined;
    this.#parts.clear();
    this.#read.clear();
  }

  #catchUp(): void {
    const files = this.#log.files();
    const fresh = files.filter((file) => this.#hasGrown(file));
    // Lines have their order: what comes late into an earlier file, or is gone, asks for all of it once more.
    const last = [...this.#read.keys()].at(-1);
    const unordered = last !== undefined && fresh.some((file) => file < last);
    if (unordered || [...this.#read.keys()].some((file) => !this.#isStillThere(file))) this.#forget();
    for (const file of this.#read.size === 0 ? files : fresh) this.#readOn(file);
  }

  #hasGrown(file: string): boolean {
    return (this.#log.shapeOf(file)?.size ?? 0) > (this.#read.get(file)?.offset ?? 0);
  }

  #isStillThere(file: string): boolean {
    const shape = this.#log.shapeOf(file);
    const { ino, offset } = this.#read.get(file)!;
    return shape !== undefined && shape.ino === ino && shape.size >= offset;
  }

  #readOn(file: string): void {
    const shape = this.#log.shapeOf(file);
    if (!shape) return;
    const at = this.#read.get(file) ?? { offset: 0, ino: shape.ino };
    this.#read.set(file, at);
    for (const record of this.#log.recordsOf(file, at)) {
      takeIn(this.#parts, record as Line, file);
      this.#entries = undefined;
    }
  }
}

function takeIn(parts: Map<string, Part>, line: Line, file: string): void {
  if (line.drop) for (const id of line.drop) parts.delete(id);
  if (line.e === undefined) return;
  const part = parts.get(line.e);
  if (part) addTo(part, line, parts);
  else if (line.at !== undefined) parts.set(line.e, begin(line, file));
}

function begin({ e, call = e, at, by = {}, roots = [], did = [], undoes, found }: Line, file: string): Part {
  return {
    id: e!,
    call: call!,
    at: at!,
    roots: [...roots],
    origin: by,
    changes: [...did],
    done: false,
    file,
    ...(undoes !== undefined && { undoes }),
    ...(found && { found }),
  };
}

function addTo(part: Part, line: Line, parts: Map<string, Part>): void {
  const { roots = [], did = [], instead, end } = line;
  for (const root of roots) if (!part.roots.includes(root)) part.roots.push(root);
  for (const change of did) {
    const before = instead ? part.changes.findLastIndex(({ path }) => path === change.path) : -1;
    if (before >= 0) part.changes.splice(before, 1, change);
    else part.changes.push(change);
  }
  if (end === 'done') part.done = true;
  if (end === 'failed') parts.delete(part.id);
}

/** The parts of one call are one entry. */
function together(parts: Iterable<Part>): ReadEntry[] {
  const entries = new Map<string, ReadEntry>();
  for (const part of parts) {
    const { call, done, id: partId, ...facts } = part;
    const entry = entries.get(call);
    if (entry === undefined) {
      const state = done ? 'done' : 'pending';
      const changes = done ? facts.changes : [...facts.changes];
      entries.set(call, { ...facts, changes, id: call, state, parts: [partId] });
      continue;
    }
    entry.parts.push(partId);
    entry.roots = [...new Set([...entry.roots, ...part.roots])];
    entry.changes = [...entry.changes, ...part.changes];
    if (!done) entry.state = 'pending';
  }
  markUndone(entries);
  return [...entries.values()];
}

/** An entry is undone while an entry stands that took it back; one that was itself taken back does not count. */
function markUndone(entries: ReadonlyMap<string, ReadEntry>): void {
  for (const entry of [...entries.values()].reverse()) {
    const { undoes, state } = entry;
    if (undoes === undefined || state !== 'done') continue;
    const target = entries.get(undoes);
    if (target?.state === 'done' || target?.state === 'pending') target.state = 'undone';
  }
}
