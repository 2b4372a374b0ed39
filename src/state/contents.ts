/**
 * The content store: old and new contents of files, each stored once, under the SHA-256 of its bytes.
 *
 * Every implementation guarantees:
 * - **Stored once.** Equal contents have one name and take space once, however often and by however many processes
 *   they are put.
 * - **Whole or absent.** `get` and `chunks` never return bytes that do not hash to the name: a damaged content counts
 *   as missing.
 * - **Stored before it is referenced.** When `stored` has settled for a name, every process finds the content.
 * - **Nothing in use is removed.** `retire` spares everything that was put, or put again, within the last minutes: a
 *   journal entry that is still being written may refer to it. `retire` and `erase` first take a content out of use
 *   and restore it if it turns out to be needed. A writer that refers to a content appends the record first and calls
 *   `has` afterwards, so either the writer or the remover notices the other.
 * - **Bounded memory.** A content of any size passes through `putChunks` and `chunks` in pieces.
 *
 * A name is the hash of a content, or the name of a file or tree that was set aside whole (`trees`).
 */
import type { HashedFile } from '../engine/confine/content/hashed-files.ts';
import type { Dir, OpenFile, Stat } from '../engine/confine/directory/dir.ts';

export interface Contents {
  /**
   * Puts a content and returns its hash. With `flush` (the default) the content is in the store when `stored` has
   * settled, and is flushed to the disk soon after. Without it, the content is in the store when `put` settles.
   */
  put(bytes: Buffer, flush?: boolean): Promise<string>;

  /** Puts a content that no caller waits for: the new content of a file, to be shown later. */
  putLater(bytes: Buffer): void;

  /** Puts a content of any size. */
  putChunks(chunks: AsyncIterable<Buffer>): Promise<{ hash: string; size: number }>;

  /** Settles when these contents are in the store; throws when a recent one could not be put. */
  stored(hashes: Iterable<string>): Promise<void>;

  /** Settles when nothing is left to write. */
  settled(): Promise<void>;

  get(hash: string): Promise<Buffer | undefined>;

  /** The content in pieces, or undefined when it is missing. Throws `DamagedContent` at the end of a damaged one. */
  chunks(hash: string): Promise<AsyncIterable<Buffer> | undefined>;

  has(hash: string): Promise<boolean>;

  readonly usage: ContentsUsage;

  /** Everything in the store except what is still being written. */
  list(): AsyncIterable<StoredContent>;

  /** The bytes that a content or a tree takes; undefined when it is not in the store. */
  sizeOf(name: string): Promise<number | undefined>;

  /**
   * Takes these contents out of use, and removes them some minutes later unless they are needed by then. Also completes
   * the removals of interrupted processes. Returns the bytes that left the store. Only one process at a time may do
   * this.
   */
  retire(names: Iterable<string>, isNeeded: IsNeeded, now?: number): Promise<number>;

  /**
   * Removes these contents immediately and permanently, with the leftovers of interrupted processes. Calls `neededNow`
   * when they are hidden from all processes, and restores what it names. Only one process at a time may do this.
   */
  erase(names: Iterable<string>, neededNow: () => Promise<IsNeeded>): Promise<void>;

  /** Set when the store is on a file system of this machine: sets files and trees aside without copying them. */
  readonly trees?: WholeTrees | undefined;

  close(): void;
}

export type IsNeeded = (name: string) => boolean;

/** How much is in the store. */
export interface ContentsUsage {
  /** Bytes in the store, from all processes; at least what this process found when it last put or measured. */
  readonly bytes: number;
  /** Bytes that this process has added since it started. */
  readonly added: number;
  /** Bytes of `putLater` that this process has not written yet. */
  readonly pending: number;
  /** Measures the store again. Only one process at a time may do this. */
  measure(): Promise<number>;
}

export interface StoredContent {
  name: string;
  bytes: number;
  /** So recent that an entry that is still being written may refer to it. */
  young: boolean;
}

/** Where a file or tree is set aside. */
export interface SetAside {
  dir: Dir;
  name: string;
}

/**
 * Files and trees that are moved or linked into the store unchanged, in one step, whatever their size.
 *
 * Only a store on the file system of the served directories can do this. A tree that is set aside keeps its modes,
 * owners and links. Its name is chosen before it is moved, so that a record can name it first.
 */
export interface WholeTrees {
  /** A new place, to which the caller then moves or links something. */
  newPlace(): SetAside;

  /** Counts something of this size that the caller has moved or linked to a new place. */
  added(bytes: number): void;

  placeOf(name: string): SetAside;

  /** The stat of what was set aside under this name, if it still exists. Never creates the folder. */
  statOf(name: string): Stat | undefined;

  /** Whether something on this device can be moved or linked here. */
  isOnDevice(dev: bigint): boolean;

  /** Sets an open file aside without copying it; false if the file system cannot do that, or the file changed. */
  link(file: OpenFile, at: { dir: Dir; name: string | Buffer }, aside: SetAside): boolean;

  /** The files of a tree that was set aside, with their hashes and their paths in the tree, in raw names. */
  filesOf(name: string, path?: string): Iterable<HashedFile>;

  /** The size of a path in a tree that was set aside; undefined when it is missing or behind a link. */
  sizeInside(name: string, path: string): number | undefined;

  /** Removes a path in a tree that was set aside, immediately and permanently. */
  eraseInside(name: string, path: string): void;
}

/** The stored bytes do not hash to their name. */
export class DamagedContent extends Error {
  constructor(hash: string) {
    super(`the content ${hash} is damaged`);
  }
}
