/**
 * What the search workers need from the wall: a fast walk of a tree on held directories, from any thread.
 *
 * Descriptors belong to the process, so a worker thread starts at the descriptor of a directory that the main thread
 * holds. The rule is the wall's own: each lookup names one component relative to a held directory and follows no link.
 * A file is opened without blocking, and must turn out to be a regular one before anything that was read from it is
 * used.
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

/** Identifies one version of a file: as long as its state is the same, so are its bytes. */
export interface FileState {
  dev: number;
  ino: number;
  size: number;
  mtimeMs: number;
  ctimeMs: number;
}

/** Reads one directory of the tree at a time: its entries and its files. */
export interface Cursor {
  /** Goes to a directory, given as raw names with `/` between them; empty for the root. */
  goTo(directory: string): Absence | undefined;
  list(): Listing | Absence;
  /** The same as `list`, with a pause between one batch of entries and the next, in the order of the disk. */
  listInTurns(pause: () => Promise<void> | undefined): Listing | Absence | Promise<Listing | Absence>;
  /**
   * Opens a file of the current directory without blocking. Returns a descriptor, to be closed with `closeFile`. Call
   * it only for a name that was just seen to be a regular file. If another entry took its place since, nothing of it is
   * ever used.
   */
  open(name: string): number | Absence;
  facts(name: string): EntryFacts | undefined;
  /**
   * The identity and times of an entry, only to compare with earlier ones of the same entry: the lookup may go by the
   * path of the directory. Undefined if they cannot be read.
   */
  state(name: string): FileState | undefined;
  /** The path of the current directory. It only identifies the directory: nothing may be opened by it. */
  readonly place: string;
  /** Whether two names lead to the same entry. */
  areSame(name: string, other: string): boolean;
  /** Only the names; 'too-many' when there are more than `most`. Drafts of servers may be among them. */
  names(most?: number): readonly string[] | Absence | 'too-many';
  /**
   * Calls `take` with the facts of each of these entries that still exists. The lookup may go by the path of the
   * directory, which costs half as much, if that path leads to the held directory before and after. If somebody
   * exchanged the directory meanwhile, this calls `restart` and then gives all entries again from the held directory.
   * Use the facts only to compare: a call that reads or changes something checks again.
   */
  statEach(names: readonly string[], take: (name: string, stat: RawStat) => void, restart: () => void): void;
  /** The target of a symbolic link, as raw text; undefined if the entry is not a link or cannot be read. */
  linkTarget(name: string): string | undefined;
  close(): void;
}

export function openCursor(root: ScanRoot, memory?: ListingMemory): Cursor {
  return 'fd' in root ? new DescriptorCursor(root.fd, memory) : new PathCursor(root.path);
}
