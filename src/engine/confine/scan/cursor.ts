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
import type { EntryType } from '../../failures.ts';
import type { Dir } from '../directory/dir.ts';
import type { Absence } from './absence.ts';
import { DescriptorCursor } from './descriptor-cursor.ts';
import type { Listing, ListingMemory } from './listing.ts';
import type { RawStat } from './packed-entries.ts';
import { PathCursor } from './path-cursor.ts';

/** Where a walk starts, in a form that can be sent to another thread. */
export type ScanRoot = { fd: number } | { path: string };

export function scanRootOf(dir: Dir): ScanRoot {
  return dir.fd === undefined ? { path: dir.handlePath } : { fd: dir.fd };
}

export interface EntryFacts {
  type: EntryType;
  size: number;
  mtimeMs: number;
}

/** Identifies a file with the same bytes. */
export interface FileState {
  dev: number;
  ino: number;
  size: number;
  mtimeMs: number;
  ctimeMs: number;
}

/** One place in the tree at a time: a directory, its entries, its files. */
export interface Cursor {
  /** Goes to a directory, given as raw names with `/` between them; empty for the root. */
  goTo(directory: string): Absence | undefined;
  list(): Listing | Absence;
  /** The same with a pause between one batch of entries and the next, in the order of the disk. */
  listInTurns(pause: () => Promise<void> | undefined): Listing | Absence | Promise<Listing | Absence>;
  /**
   * Opens a file of the current directory without blocking: a descriptor, to be closed with `closeFile`. Only for
   * what was just seen to be a regular file. If another entry took its place since, nothing of it is ever used.
   */
  open(name: string): number | Absence;
  facts(name: string): EntryFacts | undefined;
  /**
   * The identity and times of an entry, to compare with those of the same entry before and for nothing else: it may
   * be looked up by the path of the directory. Undefined where they cannot be had.
   */
  state(name: string): FileState | undefined;
  /** The path of the current directory; only a name for it. */
  readonly place: string;
  /** Whether two names lead to the same entry. */
  areSame(name: string, other: string): boolean;
  /** The names alone; 'too-many' when there are more than `most`. Drafts of ours may be among them. */
  names(most?: number): readonly string[] | Absence | 'too-many';
  /**
   * Calls `take` with what the system says of each of these entries that is still there. It may be looked up by the
   * path of the directory, which costs half as much, and which leads to the same directory before and after: when
   * somebody exchanged it meanwhile, `restart` is called, and all of them come again from the held directory. Fit for
   * comparing only: a call that reads or changes something checks again.
   */
  statEach(names: readonly string[], take: (name: string, stat: RawStat) => void, restart: () => void): void;
  /** Where a symbolic link leads, as raw text; undefined when it is none or may not be read. */
  linkTarget(name: string): string | undefined;
  close(): void;
}

export function openCursor(root: ScanRoot, memory?: ListingMemory): Cursor {
  return 'fd' in root ? new DescriptorCursor(root.fd, memory) : new PathCursor(root.path);
}
