/** From the journal's lines to its entries. */
import type { Log, LogConsumer, LogOptions, LogReader } from '../../../state/log.ts';
import { namesOf } from './contents-needed.ts';
import type { Change, EntryState, JournalEntry, Origin } from './entry.ts';

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
  unrecorded?: string;
  /** These changes stand in place of those that an earlier line named for the same paths. */
  instead?: true;
  end?: 'done' | 'failed';
  drop?: string[];
  /** Contents and things set aside that the user had removed. */
  forgot?: string[];
  /** The same within something that was set aside: its name, and the path in it. */
  inside?: [name: string, path: string][];
  /** The entries for which the user asked that: they hold back nothing any more. */
  of?: string[];
}

/** What the user had removed, and no entry has kept again since. */
export interface ForgottenNames {
  readonly names: ReadonlySet<string>;
  readonly inside: ReadonlyMap<string, readonly string[]>;
  readonly entries: ReadonlySet<string>;
}

/** An entry and its parts, for those who give it up. */
export interface ReadEntry {
  entry: JournalEntry;
  /** Whether a part of it has no end. */
  open: boolean;
  /** The ids of its parts. */
  parts: string[];
}

/** What one beginning and the lines that belong to it say. */
interface Part extends Omit<JournalEntry, 'state'> {
  call: string;
  done: boolean;
}

/** How the journal's log keeps lines. */
export const lineRecords: LogOptions<Line> = { accept: (value) => value as Line, checksums: true };

const RELEASE_AFTER_MS = 30_000;

/** By the name of the log. What was read is given back to memory when nobody has asked for a while. */
const readers = new Map<string, EntryReader>();

/** Settles when what is read from now on has everything that others have added. */
export function refresh(log: Log<Line>): Promise<void> {
  return readerOf(log).refresh();
}

/** All entries in the order in which they began. They are shared: nobody may change them. */
export function readEntries(log: Log<Line>): readonly JournalEntry[] {
  return readerOf(log).read().entries;
}

export function readWithParts(log: Log<Line>): readonly ReadEntry[] {
  return readerOf(log).read().all;
}

/** One entry, in a time that does not grow with the journal. */
export function findEntry(log: Log<Line>, id: string): ReadEntry | undefined {
  return readerOf(log).read().find(id);
}

/** The entries that took this one back, newest first. */
export function findUndosOf(log: Log<Line>, id: string): ReadEntry[] {
  return readerOf(log).read().undosOf(id);
}

export function readForgotten(log: Log<Line>): ForgottenNames {
  return readerOf(log).read().forgotten;
}

function readerOf(log: Log<Line>): EntryReader {
  const reader = readers.get(log.name) ?? new EntryReader(log);
  readers.set(log.name, reader);
  return reader;
}

class EntryReader implements LogConsumer<Line> {
  readonly #name: string;
  readonly #reader: LogReader;
  readonly #parts = new Parts();
  #release: NodeJS.Timeout | undefined;

  constructor(log: Log<Line>) {
    this.#name = log.name;
    this.#reader = log.reader(this);
  }

  refresh(): Promise<void> {
    return this.#reader.catchUp();
  }

  read(): Parts {
    this.#reader.catchUpNow?.();
    this.#release ??= setTimeout(() => readers.delete(this.#name), RELEASE_AFTER_MS).unref();
    this.#release.refresh();
    return this.#parts;
  }

  take(line: Line): void {
    this.#parts.takeIn(line);
  }

  restart(): void {
    this.#parts.clear();
  }
}

/** What was read so far, and the entries made of it: only the entries that new lines concern are made again. */
class Parts {
  readonly #parts = new Map<string, Part>();
  readonly #calls = new Map<string, Part[]>();
  readonly #made = new Map<string, ReadEntry>();
  /** From the id of an entry to the ids of those that took it back. */
  readonly #undos = new Map<string, Set<string>>();
  /** The ids of entries that lines have changed since they were made. */
  readonly #outdated = new Set<string>();
  #all: readonly ReadEntry[] | undefined;
  #entries: readonly JournalEntry[] | undefined;

  readonly forgotten = {
    names: new Set<string>(),
    inside: new Map<string, string[]>(),
    entries: new Set<string>(),
  };

  clear(): void {
    for (const each of Object.values(this.forgotten)) each.clear();
    this.#parts.clear();
    this.#calls.clear();
    this.#made.clear();
    this.#undos.clear();
    this.#outdated.clear();
    this.#all = undefined;
    this.#entries = undefined;
  }

  takeIn(line: Line): void {
    for (const id of line.drop ?? []) this.#remove(id);
    if (line.forgot) this.#forgot(line);
    // What an entry keeps after it was forgotten is there again.
    if (this.forgotten.names.size > 0)
      for (const name of namesOf(line.did ?? [])) this.forgotten.names.delete(name);
    if (line.e === undefined) return;
    const part = this.#parts.get(line.e);
    if (part) this.#add(part, line);
    else if (line.at !== undefined) this.#begin(begin(line));
  }

  find(id: string): ReadEntry | undefined {
    this.#update();
    return this.#made.get(id);
  }

  undosOf(id: string): ReadEntry[] {
    this.#update();
    return [...(this.#undos.get(id) ?? [])].reverse().map((undo) => this.#made.get(undo)!);
  }

  get all(): readonly ReadEntry[] {
    this.#update();
    this.#all ??= [...this.#calls.keys()].map((id) => this.#made.get(id)!);
    return this.#all;
  }

  get entries(): readonly JournalEntry[] {
    this.#update();
    this.#entries ??= this.all.map(({ entry }) => entry);
    return this.#entries;
  }

  #update(): void {
    if (this.#outdated.size === 0) return;
    const concerned = new Set<string>();
    for (const id of this.#outdated) {
      const { undoes: before } = this.#made.get(id)?.entry ?? {};
      if (before !== undefined) concerned.add(before);
      concerned.add(id);
      this.#make(id, before);
    }
    this.#outdated.clear();
    this.#all = undefined;
    this.#entries = undefined;
    for (const id of concerned) this.#settleFrom(id);
  }

  #make(id: string, undidBefore: string | undefined): void {
    const parts = this.#calls.get(id);
    const made = parts && asOne(parts);
    if (made) this.#made.set(id, made);
    else this.#made.delete(id);
    const undoes = made?.entry.undoes;
    if (undoes === undidBefore) return;
    if (undidBefore !== undefined) this.#undos.get(undidBefore)?.delete(id);
    const undos = undoes === undefined ? undefined : this.#undos.get(undoes);
    if (undos) undos.add(id);
    else if (undoes !== undefined) this.#undos.set(undoes, new Set([id]));
  }

  /** What became of an entry decides what became of the one that it undid, and so on. */
  #settleFrom(first: string): void {
    const seen = new Set<string>();
    for (let id: string | undefined = first; id !== undefined && !seen.has(id); ) {
      seen.add(id);
      const made = this.#made.get(id);
      if (!made) return;
      const state = this.#stateOf(made);
      if (made.entry.state !== state) made.entry = { ...made.entry, state };
      id = made.entry.undoes;
    }
  }

  /**
   * An entry is undone while an entry stands that took it back; one that was itself taken back does not count.
   * What was interrupted while it was taken back, or done again, is halfway.
   */
  #stateOf({ entry: { id }, open }: ReadEntry): EntryState {
    let state: EntryState = open ? 'pending' : 'done';
    for (const undo of this.#undos.get(id) ?? []) {
      const { state: fate } = this.#made.get(undo)!.entry;
      if (fate === 'done') return 'undone';
      if (fate === 'pending') state = 'pending';
    }
    return state;
  }

  #forgot({ forgot = [], inside = [], of = [] }: Line): void {
    const gone = new Set([...forgot, ...inside.map(([name]) => name)]);
    for (const name of forgot) this.forgotten.names.add(name);
    for (const id of of) this.forgotten.entries.add(id);
    for (const [name, path] of inside) {
      this.forgotten.inside.set(name, [...(this.forgotten.inside.get(name) ?? []), path]);
    }
    for (const part of this.#parts.values()) {
      if (part.forgotten || ![...namesOf(part.changes)].some((name) => gone.has(name))) continue;
      part.forgotten = true;
      this.#outdated.add(part.call);
    }
  }

  #begin(part: Part): void {
    this.#parts.set(part.id, part);
    const parts = this.#calls.get(part.call);
    if (parts) parts.push(part);
    else this.#calls.set(part.call, [part]);
    this.#outdated.add(part.call);
  }

  #add(part: Part, { roots = [], did = [], instead, end }: Line): void {
    this.#outdated.add(part.call);
    for (const root of roots) if (!part.roots.includes(root)) part.roots.push(root);
    for (const change of did) {
      const before = instead ? part.changes.findLastIndex(({ path }) => path === change.path) : -1;
      if (before >= 0) part.changes.splice(before, 1, change);
      else part.changes.push(change);
    }
    if (end === 'done') part.done = true;
    if (end === 'failed') this.#remove(part.id);
  }

  #remove(id: string): void {
    const part = this.#parts.get(id);
    if (!part) return;
    this.#parts.delete(id);
    this.#outdated.add(part.call);
    const left = this.#calls.get(part.call)!.filter((other) => other !== part);
    if (left.length > 0) this.#calls.set(part.call, left);
    else this.#calls.delete(part.call);
  }
}

function begin(line: Line): Part {
  const { e, call = e, at, by = {}, roots = [], did = [], undoes, found, unrecorded } = line;
  return {
    id: e!,
    call: call!,
    at: at!,
    roots: [...roots],
    origin: by,
    changes: [...did],
    done: false,
    ...(undoes !== undefined && { undoes }),
    ...(found && { found }),
    ...(unrecorded !== undefined && { unrecorded }),
  };
}

/** The parts of one call are one entry. */
function asOne(parts: readonly Part[]): ReadEntry {
  const { call: id, done: _, id: __, ...facts } = parts[0]!;
  const open = parts.some(({ done }) => !done);
  const entry: JournalEntry = {
    ...facts,
    id,
    roots: [...new Set(parts.flatMap(({ roots }) => roots))],
    changes: parts.flatMap(({ changes }) => changes),
    state: open ? 'pending' : 'done',
    ...(parts.some(({ forgotten }) => forgotten) && { forgotten: true as const }),
  };
  return { entry, open, parts: parts.map((part) => part.id) };
}
