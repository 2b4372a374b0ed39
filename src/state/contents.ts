/**
 * The content store: what files held, each content once, under the SHA-256 of its bytes.
 *
 * Every implementation guarantees:
 * - **Stored once.** Equal contents have one name and take their room once, however often and by however many
 *   processes they are put.
 * - **Whole or absent.** `get` and `chunks` never give bytes that do not hash to the name: a content that is damaged
 *   counts as one that is not there.
 * - **There before it is referred to.** When `stored` has settled for a name, every process finds the content.
 * - **Nothing in use goes.** `retire` takes nothing that was put, or put again, within the last minutes, for an entry
 *   in the making may refer to it. `retire` and `erase` give back what turns out to be needed after they have taken it
 *   out of sight: a writer that refers to a content appends the record first and calls `has` after it, so that one of the
 *   two sees the other.
 * - **Bounded memory.** A content of any size passes through `putChunks` and `chunks` in pieces.
 *
 * A name is the hash of a content, or the name of something that was set aside whole (`trees`).
 */
import type { HashedFile } from '../engine/confine/content/hashed-files.ts';
import type { Dir, OpenFile, Stat } from '../engine/confine/directory/dir.ts';

export interface Contents {
  /**
   * Puts a content and gives its hash. With `flush` (the default) the content is there once `stored` has settled, and
   * soon survives a power cut; without, it is there when this settles.
   */
  put(bytes: Buffer, flush?: boolean): Promise<string>;

  /** Puts a content for which nobody waits: what a file has become, to be shown later. */
  putLater(bytes: Buffer): void;

  /** Puts a content of any size. */
  putChunks(chunks: AsyncIterable<Buffer>): Promise<{ hash: string; size: number }>;

  /** Settles when these contents are in the store; throws when one of the last ones could not be put. */
  stored(hashes: Iterable<string>): Promise<void>;

  /** Settles when nothing is left to be written. */
  settled(): Promise<void>;

  get(hash: string): Promise<Buffer | undefined>;

  /** The content in pieces, or undefined when it is not there. Throws `DamagedContent` at the end of a wrong one. */
  chunks(hash: string): Promise<AsyncIterable<Buffer> | undefined>;

  has(hash: string): Promise<boolean>;

  readonly usage: ContentsUsage;

  /** Everything in the store, but for what is being written. */
  list(): AsyncIterable<StoredContent>;

  /** What something takes; undefined when it is not in the store. */
  sizeOf(name: string): Promise<number | undefined>;

  /**
   * Takes these out of use and removes them some minutes later, unless they are needed by then; also finishes what an
   * interrupted process has begun to remove. Gives the bytes. Only one process at a time may do this.
   */
  retire(names: Iterable<string>, isNeeded: IsNeeded, now?: number): Promise<number>;

  /**
   * Removes these at once and for good, with what interrupted processes have left. `neededNow` is asked when they are
   * out of everybody's sight: what it names comes back. Only one process at a time may do this.
   */
  erase(names: Iterable<string>, neededNow: () => Promise<IsNeeded>): Promise<void>;

  /** Where the store lies on a file system of this machine: sets things aside whole, without copying them. */
  readonly trees?: WholeTrees | undefined;

  close(): void;
}

export type IsNeeded = (name: string) => boolean;

/** How much is in the store. */
export interface ContentsUsage {
  /** Bytes in the store, of all processes: never less than when this one last put something or measured. */
  readonly bytes: number;
  /** Bytes that this process has added since it started. */
  readonly added: number;
  /** Bytes that it is about to add while nobody waits. */
  readonly coming: number;
  /** Counts the bytes again. Only one process at a time may do this. */
  measure(): Promise<number>;
}

export interface StoredContent {
  name: string;
  bytes: number;
  /** So young that an entry in the making may refer to it. */
  young: boolean;
}

/** A place for something that was set aside. */
export interface SetAside {
  dir: Dir;
  name: string;
}

/**
 * Files and trees that were moved or linked into the store as they were, in one step, whatever their size.
 *
 * Only a store on the file system of the served directories can do this. What is set aside keeps its modes, owners and
 * links. Its name is made up before it is there, so that a record can name it first.
 */
export interface WholeTrees {
  /** A new name, for something that the caller moves or links there. */
  newPlace(): SetAside;

  /** Something of this size was moved or linked to a new place. */
  added(bytes: number): void;

  placeOf(name: string): SetAside;

  /** What was set aside under this name, if it is still there. Nothing is made for looking. */
  statOf(name: string): Stat | undefined;

  /** Whether something on this device can be moved or linked here. */
  isOnDevice(dev: bigint): boolean;

  /** Sets an open file aside without copying it; false where the file system cannot, or when the file changed. */
  link(file: OpenFile, at: { dir: Dir; name: string | Buffer }, aside: SetAside): boolean;

  /** What the files of something set aside hold, each with its path below it in raw names. */
  filesOf(name: string, path?: string): Iterable<HashedFile>;

  /** What a path within something set aside takes; undefined when it is not there, or behind a link. */
  sizeInside(name: string, path: string): number | undefined;

  /** Removes a path within something set aside, at once and for good. */
  eraseInside(name: string, path: string): void;
}

/** The bytes do not hash to the name that they were asked for by. */
export class DamagedContent extends Error {
  constructor(hash: string) {
    super(`the content ${hash} is damaged`);
  }
}
