/**
 * What the search workers need of the wall: walking a tree on held directories, fast, from any thread.
 *
 * Descriptors belong to the process, so a worker thread starts at the number of a directory that the main
 * thread holds. The rule is the wall's own: each lookup names one component relative to a held directory and
 * follows no link; a file is opened without blocking, and must turn out to be a regular one before anything
 * that was read from it is used.
 *
 * Names are raw here, see raw-names.ts.
 */
import * as fs from 'node:fs';
import { EngineFailure, type EntryType } from '../../failures.ts';
import { type Dir, NotRegular } from '../dir.ts';
import { isShortage } from '../errno.ts';
import { PathDir } from '../path-dir.ts';
import { typeOf } from '../stat.ts';
import { sameEntryIn } from '../withheld/same-entry.ts';
import {
  type Listing,
  type ListingMemory,
  listAt,
  listInTurnsAt,
  listUntyped,
  nameBatches,
  stateOf,
} from './listing.ts';
import type { RawStat } from './packed-entries.ts';
import { patiently } from './patiently.ts';
import { leadsTo, pathOfDescriptor, shortPath, statAll } from './quick-stat.ts';
import { encodedBelow, rawOf, textOf } from './raw-names.ts';

// Taken out of the module once: they are called for every file, and going through its names costs each time.
const { openSync, readSync, closeSync, fstatSync } = fs;
const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
const O_PATH = 0o10000000;
/** Deeper directories are found again from the nearest one that is still held. */
const MAX_HELD = 8;

/** Where a walk starts, in a form that can be sent to another thread. */
export type ScanRoot = { fd: number } | { path: string };

export function scanRootOf(dir: Dir): ScanRoot {
  return dir.fd === undefined ? { path: dir.handlePath } : { fd: dir.fd };
}

/** Why an entry could not be opened: it is not (or no longer) there as that kind of entry, or may not be read. */
export type Absence = 'gone' | 'unreadable';

export interface EntryFacts {
  type: EntryType;
  size: number;
  mtimeMs: number;
}

/** One place in the tree at a time: a directory, its entries, its files. */
export interface Cursor {
  /** Goes to a directory, given as raw names with `/` between them; empty for the root. */
  goTo(directory: string): Absence | undefined;
  list(): Listing | Absence;
  /** The same with a pause between one batch of entries and the next, in the order of the disk. */
  listInTurns(pause: () => Promise<void>): Promise<Listing | Absence>;
  /**
   * Opens a file of the current directory without blocking: a descriptor, to be closed with `closeFile`. Only for
   * what was just seen to be a regular file. If another entry took its place since, nothing of it is ever used.
   */
  open(name: string): number | Absence;
  look(name: string): EntryFacts | undefined;
  /** Whether two names lead to the same entry. */
  areSame(name: string, other: string): boolean;
  /** The names alone; 'too-many' when there are more than `most`. */
  names(most?: number): readonly string[] | Absence | 'too-many';
  /**
   * Calls `take` with what the system says of each of these entries that is still there. It may be looked up by the
   * path of the directory, which costs half as much, and which leads to the same directory before and after: when
   * somebody exchanged it meanwhile, `restart` is called, and all of them come again from the held directory. Fit
   * for comparing only: who reads or changes something looks again.
   */
  statEach(names: readonly string[], take: (name: string, stat: RawStat) => void, restart: () => void): void;
  /** Where a symbolic link leads, as raw text; undefined when it is none or may not be read. */
  linkTarget(name: string): string | undefined;
  close(): void;
}

export function openCursor(root: ScanRoot, memory?: ListingMemory): Cursor {
  return 'fd' in root ? new DescriptorCursor(root.fd, memory) : new PathCursor(root.path);
}

/** Reads from a place in the file: what has no places (a FIFO, a terminal) is refused by the system. */
export function readFile(fd: number, into: Buffer, offset: number, length: number, from: number): number {
  return readSync(fd, into, offset, length, from);
}

/**
 * Must be true before a byte that was read is used. It is asked apart from opening, since most files of a
 * search hold no candidate and are closed again without it.
 */
export function isRegularFile(fd: number): boolean {
  return fstatSync(fd).isFile();
}

/** The beginning of a regular file of the cursor's directory, if it is there and may be read. */
export function readSmallFile(cursor: Cursor, name: string, limit: number): Buffer | undefined {
  if (cursor.look(name)?.type !== 'file') return undefined;
  const fd = cursor.open(name);
  if (typeof fd === 'string') return undefined;
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return undefined;
    const into = Buffer.alloc(Math.min(limit, stat.size));
    let length = 0;
    for (let count = -1; count !== 0 && length < into.length; length += count) {
      count = readFile(fd, into, length, into.length - length, length);
    }
    return into.subarray(0, length);
  } catch {
    return undefined;
  } finally {
    closeFile(fd);
  }
}

export function closeFile(fd: number): void {
  closeSync(fd);
}

class DescriptorCursor implements Cursor {
  readonly #root: number;
  readonly #memory: ListingMemory | undefined;
  readonly #descriptors = descriptorsPath();
  #names: string[] = [];
  /** The descriptor of each level, -1 where it was let go. */
  #held: number[] = [];
  /** Of the current directory; undefined when the last step failed, so that no stale number is ever used. */
  #prefix: string | undefined;
  #current: number;
  #directory: string | undefined = '';
  /** Where the root is; empty where that is not to be used. */
  #rootPath: string | undefined;

  constructor(root: number, memory: ListingMemory | undefined) {
    this.#root = root;
    this.#memory = memory;
    this.#current = root;
    this.#prefix = `${this.#descriptors}${root}/`;
  }

  goTo(directory: string): Absence | undefined {
    if (directory === this.#directory) return undefined;
    const names = directory === '' ? [] : directory.split('/');
    let level = this.#shared(names);
    this.#leave(level);
    while (level > 0 && this.#held[level - 1]! < 0) level--;
    let from = level === 0 ? this.#root : this.#held[level - 1]!;
    for (; level < names.length; level++) {
      try {
        const path = encodedBelow(`${this.#descriptors}${from}/`, names[level]!);
        from = patiently(() => openSync(path, O_PATH | O_DIRECTORY | O_NOFOLLOW));
      } catch (error) {
        this.close();
        return absenceOf(error);
      }
      this.#hold(level, names[level]!, from);
    }
    this.#current = from;
    this.#prefix = `${this.#descriptors}${from}/`;
    this.#directory = directory;
    return undefined;
  }

  list(): Listing | Absence {
    if (this.#prefix === undefined) return 'gone';
    try {
      const state = this.#memory && stateOf(this.#current, this.#prefix);
      const known = state && this.#memory!.recall(state);
      if (known) return known;
      const prefix = this.#prefix;
      const listing = patiently(() => listAt(prefix));
      if (state) this.#memory!.remember(state, listing);
      return listing;
    } catch (error) {
      const absence = absenceOf(error);
      if (absence === 'unreadable') return absence;
    }
    try {
      return listUntyped(this.#prefix);
    } catch (error) {
      return absenceOf(error);
    }
  }

  async listInTurns(pause: () => Promise<void>): Promise<Listing | Absence> {
    if (this.#prefix === undefined) return 'gone';
    try {
      const state = this.#memory && stateOf(this.#current, this.#prefix);
      const known = state && this.#memory!.recall(state);
      if (known) return known;
      const listing = await listInTurnsAt(this.#prefix, pause);
      if (state) this.#memory!.remember(state, listing);
      return listing;
    } catch (error) {
      if (error instanceof EngineFailure) throw error;
      return absenceOf(error) === 'unreadable' ? 'unreadable' : this.list();
    }
  }

  open(name: string): number | Absence {
    if (this.#prefix === undefined) return 'gone';
    try {
      const path = encodedBelow(this.#prefix, name);
      return patiently(() => openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
    } catch (error) {
      return absenceOf(error);
    }
  }

  look(name: string): EntryFacts | undefined {
    if (this.#prefix === undefined) return undefined;
    try {
      const stat = fs.lstatSync(encodedBelow(this.#prefix, name), { throwIfNoEntry: false });
      return stat && { type: typeOf(stat), size: stat.size, mtimeMs: stat.mtimeMs };
    } catch (error) {
      if (isShortage(error)) throw error;
      return undefined;
    }
  }

  areSame(name: string, other: string): boolean {
    if (this.#prefix === undefined) return false;
    const [one, two] = [name, other].map((each) =>
      fs.lstatSync(encodedBelow(this.#prefix!, each), { bigint: true, throwIfNoEntry: false }),
    );
    return one !== undefined && one.ino === two?.ino && one.dev === two.dev;
  }

  names(most?: number): readonly string[] | Absence | 'too-many' {
    const prefix = this.#prefix;
    if (prefix === undefined) return 'gone';
    try {
      if (most === undefined) return patiently(() => fs.readdirSync(prefix, { encoding: 'latin1' }));
      const names: string[] = [];
      for (const batch of nameBatches(prefix)) {
        names.push(...batch);
        if (names.length > most) return 'too-many';
      }
      return names;
    } catch (error) {
      return absenceOf(error);
    }
  }

  statEach(names: readonly string[], take: (name: string, stat: RawStat) => void, restart: () => void): void {
    if (this.#prefix === undefined) return;
    this.#rootPath ??= pathOfDescriptor(`${this.#descriptors}${this.#root}`);
    const path = shortPath(this.#rootPath, this.#directory ?? '', names.length);
    if (path !== undefined && leadsTo(path, this.#current)) {
      statAll(path, names, take);
      if (leadsTo(path, this.#current)) return;
      restart();
    }
    statAll(this.#prefix, names, take);
  }

  linkTarget(name: string): string | undefined {
    if (this.#prefix === undefined) return undefined;
    try {
      return fs.readlinkSync(encodedBelow(this.#prefix, name), { encoding: 'latin1' });
    } catch (error) {
      if (isShortage(error)) throw error;
      return undefined;
    }
  }

  close(): void {
    this.#leave(0);
    this.#prefix = undefined;
    this.#directory = undefined;
  }

  #shared(names: readonly string[]): number {
    let level = 0;
    while (level < names.length && names[level] === this.#names[level]) level++;
    return level;
  }

  #leave(level: number): void {
    for (const fd of this.#held.splice(level)) if (fd >= 0) closeSync(fd);
    this.#names.length = Math.min(this.#names.length, level);
  }

  #hold(level: number, name: string, fd: number): void {
    this.#names[level] = name;
    this.#held[level] = fd;
    const farthest = level - MAX_HELD;
    if (farthest < 0 || this.#held[farthest]! < 0) return;
    closeSync(this.#held[farthest]!);
    this.#held[farthest] = -1;
  }
}

/** The same on the wall's fallback, where a directory is a path that is verified at each use. */
class PathCursor implements Cursor {
  readonly #root: string;
  #dir: PathDir;

  constructor(root: string) {
    this.#root = root;
    this.#dir = PathDir.hold(root);
  }

  goTo(directory: string): Absence | undefined {
    try {
      let dir = PathDir.hold(this.#root);
      for (const name of directory === '' ? [] : directory.split('/')) {
        const found = dir.enter(textOf(name));
        if (!(found instanceof PathDir)) return 'gone';
        dir = found;
      }
      this.#dir = dir;
      return undefined;
    } catch (error) {
      return absenceOf(error);
    }
  }

  list(): Listing | Absence {
    try {
      const entries = this.#dir.entries();
      return { names: entries.map(({ name }) => rawOf(name)), types: entries.map(({ type }) => type) };
    } catch (error) {
      return absenceOf(error);
    }
  }

  async listInTurns(): Promise<Listing | Absence> {
    return this.list();
  }

  open(name: string): number | Absence {
    try {
      return this.#dir.open(textOf(name)).fd;
    } catch (error) {
      return absenceOf(error);
    }
  }

  look(name: string): EntryFacts | undefined {
    try {
      const stat = this.#dir.lstat(textOf(name));
      return stat && { type: stat.type, size: stat.size, mtimeMs: Number(stat.mtimeNs / 1_000_000n) };
    } catch {
      return undefined;
    }
  }

  areSame(name: string, other: string): boolean {
    return sameEntryIn(this.#dir)(name, other);
  }

  names(): readonly string[] | Absence {
    const listing = this.list();
    return typeof listing === 'string' ? listing : listing.names;
  }

  statEach(names: readonly string[], take: (name: string, stat: RawStat) => void): void {
    for (const name of names) {
      const found = this.#dir.lstat(textOf(name));
      if (found) take(name, { ...found, size: BigInt(found.size) });
    }
  }

  linkTarget(name: string): string | undefined {
    try {
      return this.#dir.readlinkRaw(textOf(name)).toString('latin1');
    } catch {
      return undefined;
    }
  }

  close(): void {
    // Nothing is held but a path.
  }
}

/** `/proc/<pid>` is `/proc/self` with one link less to resolve at each lookup, where it is the same process. */
let ownDescriptors: string | undefined;
function descriptorsPath(): string {
  if (ownDescriptors !== undefined) return ownDescriptors;
  const self = fs.readlinkSync('/proc/self');
  ownDescriptors = self === String(process.pid) ? `/proc/${self}/fd/` : '/proc/self/fd/';
  return ownDescriptors;
}

/**
 * What an error of opening or reading means for a walk. What is no error of the system is thrown on, and so is
 * that the system has run short of something: what could not be looked at for that is neither gone nor forbidden.
 */
export function absenceOf(error: unknown): Absence {
  if (error instanceof NotRegular) return 'gone';
  if (isShortage(error)) throw error;
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ELOOP':
    case 'ENXIO':
    case 'EISDIR':
    case 'ESPIPE':
    case 'ESTALE':
    case 'EAGAIN':
      return 'gone';
    case undefined:
      throw error;
    default:
      return 'unreadable';
  }
}
