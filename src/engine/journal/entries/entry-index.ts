/**
 * Builds entries from the journal's lines and answers questions about them. The index takes lines one by one and
 * rebuilds only the entries that new lines concern. All callers share the entries: none may change them.
 */
import { contentNames } from './contents-needed.ts';
import { type Change, type EntryState, isMadeParent, type JournalEntry } from './entry.ts';
import type { Line } from './line.ts';

/** What the user had removed and no later entry has kept again. */
export interface ForgottenNames {
  /** The hashes of contents and the names of things set aside. */
  readonly names: ReadonlySet<string>;
  /** What was removed within things set aside: paths by the name of the thing. */
  readonly inside: ReadonlyMap<string, readonly string[]>;
  /** The ids of the entries that the user named. */
  readonly entries: ReadonlySet<string>;
}

/** An entry and its parts, for code that removes lines of the journal. */
export interface EntryWithParts {
  entry: JournalEntry;
  /** Whether a part of it has no end. */
  open: boolean;
  /** The ids of its parts. */
  parts: string[];
}

/** What the first line of a part and the later lines of the same part say. */
interface EntryPart extends Omit<JournalEntry, 'state'> {
  call: string;
  done: boolean;
  /** Paths of changes that another server found to be done. */
  settled?: Set<string>;
  /** Changes that another server found not to be done. The server that planned them overrules it by ending the part. */
  refuted?: Set<Change>;
}

/** How many entries may be outdated before they are rebuilt while lines still come in. */
const UPDATE_AT = 256;

export class EntryIndex {
  readonly #parts = new Map<string, EntryPart>();
  readonly #calls = new Map<string, EntryPart[]>();
  readonly #made = new Map<string, EntryWithParts>();
  /** From the id of an entry to the ids of the entries that undid it. */
  readonly #undos = new Map<string, Set<string>>();
  /** The ids of entries that new lines concern and that must be rebuilt. */
  readonly #outdated = new Set<string>();
  #all: readonly EntryWithParts[] | undefined;
  #entries: readonly JournalEntry[] | undefined;

  readonly forgotten = {
    names: new Set<string>(),
    inside: new Map<string, string[]>(),
    entries: new Set<string>(),
  };

  take(line: Line): void {
    for (const id of line.drop ?? []) this.#remove(id);
    if (line.forgot) this.#forgot(line);
    // A later entry has kept the same content again.
    if (this.forgotten.names.size > 0)
      for (const name of contentNames(line.did ?? [])) this.forgotten.names.delete(name);
    if (line.e === undefined) return;
    const part = this.#parts.get(line.e);
    if (part) this.#add(part, line);
    else if (line.at !== undefined) this.#begin(begin(line));
    // Rebuilding thousands at once would block the event loop.
    if (this.#outdated.size >= UPDATE_AT) this.update();
  }

  /** Finds one entry, in a time that does not grow with the journal. */
  entry(id: string): JournalEntry | undefined {
    return this.find(id)?.entry;
  }

  find(id: string): EntryWithParts | undefined {
    this.update();
    return this.#made.get(id);
  }

  /** The changes of a part whose outcome is unknown; undefined when the part has an end. */
  openPart(id: string): { changes: readonly Change[] } | undefined {
    const part = this.#parts.get(id);
    if (!part || part.done) return undefined;
    return { changes: changesOf(part).filter(({ path }) => !part.settled?.has(path)) };
  }

  /** The entries that undid this one, newest first. */
  undosOf(id: string): JournalEntry[] {
    this.update();
    return [...(this.#undos.get(id) ?? [])].reverse().map((undo) => this.#made.get(undo)!.entry);
  }

  /** Whether an entry was completed, whether or not it was undone later. */
  hasEnd(id: string): boolean {
    return this.find(id)?.open === false;
  }

  /** All entries in the order in which they began. */
  get withParts(): readonly EntryWithParts[] {
    this.update();
    this.#all ??= [...this.#calls.keys()].flatMap((id) => this.#made.get(id) ?? []);
    return this.#all;
  }

  /** All entries, oldest first. */
  get entries(): readonly JournalEntry[] {
    this.update();
    this.#entries ??= this.withParts.map(({ entry }) => entry);
    return this.#entries;
  }

  /** Rebuilds the entries that new lines concern. */
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
    const made = parts.length > 0 ? joinParts(parts) : undefined;
    if (made) this.#made.set(id, made);
    else this.#made.delete(id);
    const undoes = made?.entry.undoes;
    if (undoes === undidBefore) return;
    if (undidBefore !== undefined) this.#undos.get(undidBefore)?.delete(id);
    const undos = undoes === undefined ? undefined : this.#undos.get(undoes);
    if (undos) undos.add(id);
    else if (undoes !== undefined) this.#undos.set(undoes, new Set([id]));
  }

  /** Updates the state of an entry, then of the entry that it undid, whose state depends on it, and so on. */
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
   * An entry is undone while an entry that undid it is in effect; an undo that was itself undone does not count. An
   * entry whose undo or redo was interrupted is pending.
   */
  #stateOf({ entry: { id }, open }: EntryWithParts): EntryState {
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
      if (part.forgotten || ![...contentNames(part.changes)].some((name) => gone.has(name))) continue;
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
    // The part plans more changes than another server knew of when it settled the others.
    if (part.settled && did.length > 0) part.done = false;
    this.#settle(part, settled);
    if (end === 'done') {
      part.done = true;
      delete part.refuted;
    }
    if (end === 'failed') this.#remove(part.id);
  }

  /** Drops the changes that were not done. The part ends when the outcome of every change is known. */
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
    // A directory that was only made as a parent of something else needs no outcome of its own.
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

/** Joins the parts of one call into one entry. */
function joinParts(parts: readonly EntryPart[]): EntryWithParts {
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
