/** Reads small files, if they are still the ones that a snapshot has seen. */
import { closing } from '../../confine/closing.ts';
import { readBytesSync } from '../../confine/content/read.ts';
import type { Dir, Stat } from '../../confine/directory/dir.ts';

/** Identifies a file and its last change. */
type FileIdentity = Pick<Stat, 'ino' | 'size' | 'mtimeNs' | 'ctimeNs'>;

/** The largest file that is read before and after each command. */
export const SMALL_BYTES = 256 * 1024;

/** At most `most` bytes of a file. Undefined when the file cannot be read, or is no longer the expected one. */
export function readSmall(dir: Dir, name: string, expected: FileIdentity, most: number): Buffer | undefined {
  try {
    return closing(dir.open(name), (file) =>
      isSame(file.stat, expected) ? readBytesSync(file, most) : undefined,
    );
  } catch {
    return undefined;
  }
}

export function isSame(a: FileIdentity, b: FileIdentity): boolean {
  return a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs;
}
