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

/** The result of entering a name: a held directory, a link's target as written, or why there is neither. */
export type Entered = Dir | { linkTarget: string } | 'missing' | 'not-a-directory';

/** A regular file, open for reading. A FIFO or a device is never opened. */
export interface OpenFile {
  readonly fd: number;
  readonly stat: Stat;
  close(): void;
}

/** The temporary file of one atomic write: it is renamed into place, or dropped. */
export interface Draft {
  readonly fd: number;
  /** Renames the draft over `name`, replacing what is there. */
  publish(name: string): void;
  /** Links the draft as `name` only when nothing is there: EEXIST otherwise. */
  publishNew(name: string | Buffer): void;
  /** Closes the descriptor once all is written: one call may have thousands of drafts that wait for their names. */
  closeDescriptor(): void;
  /** Closes the draft and removes its temporary name, if that is still there. */
  drop(): void;
}

/** How to find a parked directory again. */
export interface WayBack {
  /** A directory above it, which stays open for as long as the parked one may be needed. */
  from: Dir;
  /** The names that lead from there to the directory; none of them was a link. */
  names: readonly string[];
  /** Called at every use of the directory. */
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
  /** Whether the directory this many levels above has an entry of this name. */
  hasAbove(levels: number, name: string): boolean;
  /** The text of a small file in or below the directory this many levels above; undefined if it cannot be read. */
  readAbove(levels: number, ...names: [string, ...string[]]): string | undefined;
  stat(): Stat;
  lstat(name: string | Buffer): Stat | undefined;
  readlink(name: string): string;
  /** The target of a link as bytes, since it need not be valid UTF-8. */
  readlinkRaw(name: string | Buffer): Buffer;
  /** The name as the disk spells it: some file systems ignore letter case or the Unicode form of a name. */
  spelled(name: string): string;
  /** Enters a directory; a link is reported, never followed. */
  enter(name: string): Entered;
  /** All entries in the order of the disk. Names that are not valid UTF-8 get replacement characters. */
  entries(): Entry[];
  /** All names as raw bytes: the only way to reach every entry, for example to remove a whole tree. */
  rawNames(): Buffer[];
  /** All names as raw names (see raw-names.ts), batch by batch: for directories of any size. */
  rawNameBatches(): Iterable<string[]>;
  /** Opens a regular file for reading; anything else throws `NotRegular`. */
  open(name: string | Buffer): OpenFile;
  /** Whether this user may write to the file itself; to replace it atomically, only the directory must be writable. */
  mayWrite(name: string): boolean;
  /** Whether this user may add and remove entries of this directory. */
  mayChangeEntries(): boolean;

  draft(): Draft;
  mkdir(name: string | Buffer, mode?: number): void;
  rename(name: string, to: Dir, toName: string): void;
  link(name: string | Buffer, to: Dir, toName: string): void;
  symlink(target: string | Buffer, name: string | Buffer): void;
  unlink(name: string | Buffer): void;
  /** Unlinks temporary names without blocking the event loop. Names that stay are swept once this process is gone. */
  discard(names: readonly string[]): Promise<void>;
  rmdir(name: string | Buffer): void;
  /** Enters a directory by its raw name, to copy, remove or restore a tree; undefined if it is not a directory. */
  enterRaw(name: Buffer): Dir | undefined;
  /** Opens the same directory a second time, for an owner that closes it separately. */
  duplicate(): Dir;
  /** Makes renames in this directory survive a power cut. */
  flush(): Promise<void>;
  /** Allows `park` from now on. Missing where a directory needs no descriptor. */
  mayPark?(wayBack: WayBack): void;
  /**
   * Closes the descriptor until the next use, which walks to the directory again and fails with EAGAIN if another
   * directory is there.
   */
  park?(): void;
  close(): void;
}

/** Thrown by `open` for anything but a regular file; `symlink` means that the name changed after the walk. */
export class NotRegular extends Error {
  readonly type: Exclude<EntryType, 'file'>;
  constructor(type: Exclude<EntryType, 'file'>) {
    super(`not a regular file: ${type}`);
    this.type = type;
  }
}
