/** System calls for which a refusal is an answer, not an error. */
import { accessSync, closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';

/** Whether this user has the kind of access that `mode` names; see `access(2)`. */
export function allows(path: string | Buffer, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/** Whether anything is there, as far as this user can tell. */
export function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

export const SETTINGS_BYTES = 64 * 1024;
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** Reads the beginning of a regular file, such as settings of the server or of Git; undefined if that fails. */
export function readSettings(path: string): string | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (!fstatSync(fd).isFile()) return undefined;
    const bytes = Buffer.alloc(SETTINGS_BYTES);
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, SETTINGS_BYTES, 0));
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
