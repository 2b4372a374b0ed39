/** Reads small files whole through a cursor, and writes what was read into a file that this process holds open. */
import { fstatSync, writeSync } from 'node:fs';
import type { Stat } from '../directory/dir.ts';
import { toStat } from '../stat.ts';
import type { Cursor } from './cursor.ts';
import { closeFile, fillFrom } from './open-file.ts';

/**
 * Undefined for anything but a regular file, and for a file that is larger than `most`, cannot be read, or shrinks
 * meanwhile.
 */
export function readWholeFile(
  cursor: Cursor,
  name: string,
  most: number,
): { bytes: Buffer; stat: Stat } | undefined {
  const fd = cursor.open(name);
  if (typeof fd === 'string') return undefined;
  try {
    const stat = toStat(fstatSync(fd, { bigint: true }));
    if (stat.type !== 'file' || stat.size > most) return undefined;
    const bytes = Buffer.allocUnsafeSlow(stat.size);
    return fillFrom(fd, bytes) === stat.size ? { bytes, stat } : undefined;
  } catch {
    return undefined;
  } finally {
    closeFile(fd);
  }
}

export function writeAt(fd: number, bytes: Buffer, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(fd, bytes, done, bytes.length - done, position + done);
  }
}
