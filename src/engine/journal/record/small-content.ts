/** What a small file holds, if it still is the file that a snapshot has seen. */
import { readBytesSync } from '../../confine/content/read.ts';
import type { Dir, Stat } from '../../confine/directory/dir.ts';

/** Identifies a file. */
type FileIdentity = Pick<Stat, 'ino' | 'size' | 'mtimeNs' | 'ctimeNs'>;

/** Larger files are not read before and after each command. */
export const SMALL_BYTES = 256 * 1024;

/** Undefined when it may not be read, or is another one by now. */
export function readSmall(
  dir: Dir,
  name: string,
  expected: FileIdentity,
  most = SMALL_BYTES,
): Buffer | undefined {
  try {
    const file = dir.open(name);
    try {
      return isSame(file.stat, expected) ? readBytesSync(file, most) : undefined;
    } finally {
      file.close();
    }
  } catch {
    return undefined;
  }
}

export function isSame(a: FileIdentity, b: FileIdentity): boolean {
  return a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs;
}
