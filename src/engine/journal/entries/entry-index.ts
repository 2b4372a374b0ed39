/**
 * From the journal's lines to its entries, and questions about them. An index takes lines one by one; only the entries
 * that new lines concern are made again. The entries are shared: nobody may change them.
 */
import { namesOf } from './contents-needed.ts';
import { type Change, type EntryState, isMadeParent, type JournalEntry } from './entry.ts';
import type { Line } from './line.ts';

/** What the user had removed, and no entry has kept again since. */
export interface ForgottenNames {
  readonly names: ReadonlySet<string>;
  readonly inside: ReadonlyMap<string, readonly string[]>;
  readonly entries: ReadonlySet<string>;
}

/** An entry and its parts, for the code that removes it. */
export interface ReadEntry {
  entry: JournalEntry;
  /** Whether a part of it has no end. */
  open: boolean;
  /** The ids of its parts. */
  parts: string[];
}

/** What one beginning and the lines that belong to it say. */
interface EntryPart extends Omit<JournalEntry, 'state'> {
  call: string;
  done: boolean;
  /** Paths of changes that another server found to be done. */
  settled?: Set<string>;
  /** Changes that another server took for not made. The one that was at it knows better, if it still comes to its end. */
  refuted?: Set<Change>;
}

/** Entries that are made at a time while lines come in. */
const UPDATE_AT = 256;

export class EntryIndex {
  readonly #parts = new Map<string, EntryPart>();
  readonly #calls = new Map<string, EntryPart[]>();
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

  take(line: Line): void {
    for (const id of line.drop ?? []) this.#remove(id);
    if (line.forgot) this.#forgot(line);
    // What an entry keeps after it was forgotten is there again.
    if (this.forgotten.names.size > 0)
      for (const name of namesOf(line.did ?? [])) this.forgotten.names.delete(name);
    if (line.e === undefined) return;
    const part = this.#parts.get(line.e);
    if (part) this.#add(part, line);
    else if (line.at !== undefined) this.#begin(begin(line));
    // Thousands at once would hold up the event loop.
    if (this.#outdated.size >= UPDATE_AT) this.update();
  }

  /** One entry, in a time that does not grow with the journal. */
  entry(id: string): JournalEntry | undefined {
    return this.find(id)?.entry;
  }

  find(id: string): ReadEntry | undefined {
    this.update();
    return this.#made.get(id);
  }

  /** A part that has no end, with its changes whose outcome is unknown. */
  openPart(id: string): { changes: readonly Change[] } | undefined {
    const part = this.#parts.get(id);
    if (!part || part.done) return undefined;
    return { changes: changesOf(part).filter(({ path }) => !part.settled?.has(path)) };
  }

  /** The entries that took this one back, newest first. */
  undosOf(id: string): JournalEntry[] {
    this.update();
    return [...(this.#undos.get(id) ?? [])].reverse().map((undo) => this.#made.get(undo)!.entry);
  }

  /** Whether an entry was done to its end, whatever became of it later. */
  hasEnd(id: string): boolean {
    return this.find(id)?.open === false;
  }

  /** In the order in which they began. */
  get withParts(): readonly ReadEntry[] {
    this.update();
    this.#all ??= [...this.#calls.keys()].flatMap((id) => this.#made.get(id) ?? []);
    return this.#all;
  }

  /** Oldest first. */
  get entries(): readonly JournalEntry[] {
    this.update();
    this.#entries ??= this.withParts.map(({ entry }) => entry);
    return this.#entries;
  }

  /** Makes the entries that lines have changed. */
  update(): void {
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
    const parts = this.#calls.get(id)?.filter((part) => !part.refuted || changesOf(part).length > 0) ?? [];
    const made = parts.length > 0 ? asOne(parts) : undefined;
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
   * An entry is undone while the entry that undid it is in effect; an undo that was itself undone does not count. What
   * was interrupted while it was undone, or redone, is halfway.
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

  #begin(part: EntryPart): void {
    this.#parts.set(part.id, part);
    const parts = this.#calls.get(part.call);
    if (parts) parts.push(part);
    else this.#calls.set(part.call, [part]);
    this.#outdated.add(part.call);
  }

  #add(part: EntryPart, { roots = [], did = [], instead, end, settled = [] }: Line): void {
    this.#outdated.add(part.call);
    for (const root of roots) if (!part.roots.includes(root)) part.roots.push(root);
    for (const change of did) {
      const before = instead ? part.changes.findLastIndex(({ path }) => path === change.path) : -1;
      if (before >= 0) part.changes.splice(before, 1, change);
      else part.changes.push(change);
    }
    // This entry plans more than another server knew when it settled the rest.
    if (part.settled && did.length > 0) part.done = false;
    this.#settle(part, settled);
    if (end === 'done') {
      part.done = true;
      delete part.refuted;
    }
    if (end === 'failed') this.#remove(part.id);
  }

  /** What was not done is no change. A part is at its end when the fate of each change is known. */
  #settle(part: EntryPart, settled: readonly { path: string; done: boolean }[]): void {
    if (settled.length === 0 || part.done) return;
    const known = part.settled ?? new Set();
    part.settled = known;
    for (const { path, done } of settled) {
      if (done) {
        known.add(path);
        continue;
      }
      part.refuted ??= new Set();
      for (const change of part.changes) if (change.path === path) part.refuted.add(change);
    }
    // With all else settled, no call will need a directory that was only made on the way to it.
    part.done = changesOf(part).every((change) => known.has(change.path) || isMadeParent(change));
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

function begin(line: Line): EntryPart {
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

function changesOf({ changes, refuted }: EntryPart): Change[] {
  return refuted ? changes.filter((change) => !refuted.has(change)) : changes;
}

/** The parts of one call are one entry. */
function asOne(parts: readonly EntryPart[]): ReadEntry {
  const { call: id, done: _, id: __, settled: ___, refuted: ____, ...facts } = parts[0]!;
  const open = parts.some(({ done }) => !done);
  const entry: JournalEntry = {
    ...facts,
    id,
    roots: [...new Set(parts.flatMap(({ roots }) => roots))],
    changes: parts.flatMap(changesOf),
    state: open ? 'pending' : 'done',
    ...(parts.some(({ forgotten }) => forgotten) && { forgotten: true as const }),
  };
  return { entry, open, parts: parts.map((part) => part.id) };
}
