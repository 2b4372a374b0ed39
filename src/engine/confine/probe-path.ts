/** System calls for which a refusal is an answer, not an error. */
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  type Stats,
} from 'node:fs';

/** Whether this user has the kind of access that `mode` names; see `access(2)`. */
export function allows(path: string | Buffer, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/** What is there, as far as this user can tell. A link is not followed. */
export function statAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

export function exists(path: string): boolean {
  return statAt(path) !== undefined;
}

export function isLink(path: string): boolean {
  return statAt(path)?.isSymbolicLink() === true;
}

/** The target of a link as it is written; undefined when the path is not a link. */
export function targetOf(path: string): string | undefined {
  try {
    return isLink(path) ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** Opens a regular file, never a link or a FIFO, and reads it with `read`; undefined if anything fails. */
export function readRegularFile<T>(path: string | Buffer, read: (fd: number) => T): T | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    return fstatSync(fd).isFile() ? read(fd) : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

export const SETTINGS_BYTES = 64 * 1024;

/** Reads the beginning of a regular file, such as settings of the server or of Git; undefined if that fails. */
export function readSettings(path: string): string | undefined {
  return readRegularFile(path, (fd) => {
    const bytes = Buffer.alloc(SETTINGS_BYTES);
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, SETTINGS_BYTES, 0));
  });
}
