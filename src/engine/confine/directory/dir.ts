/**
 * A directory that is held open, and everything that may be done to a name in it.
 *
 * This is the small interface that makes the unsafe thing impossible to write: callers never get a path,
 * they get a `Dir` and one name, and no operation here ever follows a symbolic link or takes more than one
 * component. How well that holds against races depends on the system; see `protection.ts`.
 */
import type { EntryType } from '../../failures.ts';

export interface Stat {
  type: EntryType;
  size: number;
  mode: number;
  uid: number;
  gid: number;
  links: number;
  dev: bigint;
  ino: bigint;
  mtimeNs: bigint;
  ctimeNs: bigint;
  atimeMs: number;
  birthtimeMs: number;
}

export interface Entry {
  name: string;
  type: EntryType;
}

/** What came of entering a name: a held directory, a link's target as written, or why there is neither. */
export type Entered = Dir | { linkTarget: string } | 'missing' | 'not-a-directory';

/** A regular file, opened for reading without ever having touched a FIFO or a device. */
export interface OpenFile {
  readonly fd: number;
  readonly stat: Stat;
  close(): void;
}

/** A temporary file that belongs to one atomic write: either it is renamed into place or it is dropped. */
export interface Draft {
  readonly fd: number;
  /** Renames the draft over `name`, replacing what is there. */
  publish(name: string): void;
  /** Links the draft as `name` only when nothing is there: EEXIST otherwise. */
  publishNew(name: string | Buffer): void;
  /** Closes its descriptor once all is written: thousands of drafts may wait for their names together. */
  rest(): void;
  /** Closes the draft and removes what was not published. */
  drop(): void;
}

/** How a directory that is not held for a while is found again. */
export interface WayBack {
  /** Stays open for as long as the parked directory may be needed. */
  from: Dir;
  /** The names that led from there to the directory; none was a link. */
  names: readonly string[];
  /** Called whenever the directory is used from now on. */
  used(): void;
}

export interface Dir {
  /** `dev:ino`: the same directory has the same identity under every name. */
  readonly identity: string;
  /** Where a child process can find this directory: only for `cwd` and sandbox binds. */
  readonly handlePath: string;
  /** The held descriptor, or undefined where the system has none to offer. */
  readonly fd: number | undefined;

  /** The identities of this directory and of all above it, nearest first, as they are now. */
  ancestors(): string[];
  /** Whether the directory that many levels above has an entry of this name. */
  hasAbove(levels: number, name: string): boolean;
  /** The text of a small file in or below the directory that many levels above, if it can be read. */
  readAbove(levels: number, ...names: [string, ...string[]]): string | undefined;
  stat(): Stat;
  lstat(name: string | Buffer): Stat | undefined;
  readlink(name: string): string;
  /** A link's target as it is written: it need not be valid UTF-8. */
  readlinkRaw(name: string | Buffer): Buffer;
  /** A name that leads to an entry, as the disk spells it: not every system takes names letter by letter. */
  spelled(name: string): string;
  /** Steps into a directory; a link is reported, never followed. */
  enter(name: string): Entered;
  /** All entries in the order of the disk. Names that are not valid UTF-8 come with replacement characters. */
  entries(): Entry[];
  /** The same as raw bytes: the only way to reach every entry when a whole tree is removed. */
  rawNames(): Buffer[];
  /** The same one batch after the other, as raw names (see raw-names.ts): for directories of any size. */
  rawNameBatches(): Iterable<string[]>;
  /** Opens a regular file for reading; anything else throws `NotRegular`. */
  open(name: string | Buffer): OpenFile;
  /** Whether this user may write to the file itself (an atomic replace needs write permission on the directory only). */
  mayWrite(name: string): boolean;
  /** Whether entries may be added to and removed from this directory by this user. */
  mayChangeEntries(): boolean;

  draft(): Draft;
  mkdir(name: string | Buffer, mode?: number): void;
  rename(name: string, to: Dir, toName: string): void;
  link(name: string | Buffer, to: Dir, toName: string): void;
  symlink(target: string | Buffer, name: string | Buffer): void;
  unlink(name: string | Buffer): void;
  /** Unlinks temporary names while the event loop continues. Names that stay are swept once this process is gone. */
  discard(names: readonly string[]): Promise<void>;
  rmdir(name: string | Buffer): void;
  /** Steps into a directory by its raw name, for keeping, removing and restoring a tree. */
  enterRaw(name: Buffer): Dir | undefined;
  /** The same directory once more, for a holder that closes it on its own. */
  again(): Dir;
  /** Makes renames in this directory survive a power cut. */
  flush(): Promise<void>;
  /** From now on `park` lets go of the directory. Missing where a directory takes no descriptor. */
  mayPark?(wayBack: WayBack): void;
  /**
   * Closes the descriptor until the directory is used again. It is then walked to once more, and the use fails with
   * EAGAIN when another directory is there.
   */
  park?(): void;
  close(): void;
}

/** Thrown by `open` for what is not a regular file; `symlink` means that the name changed under the walk. */
export class NotRegular extends Error {
  readonly type: Exclude<EntryType, 'file'>;
  constructor(type: Exclude<EntryType, 'file'>) {
    super(`not a regular file: ${type}`);
    this.type = type;
  }
}
