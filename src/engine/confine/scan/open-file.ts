/** A file that a cursor has opened: reading it, and what can be known of it by its descriptor. */
import * as fs from 'node:fs';
import type { Cursor, FileState } from './cursor.ts';

// Taken out of the module once: they are called for every file, and going through its names costs each time.
const { readSync, closeSync, fstatSync } = fs;

/** ext, XFS, btrfs, F2FS: they also move the times of a file that is written through mapped memory, within a minute. */
const SAVED_TO_DISK = new Set([0xef53, 0x58465342, 0x9123683e, 0xf2f52010]);
const trueTimes = new Map<number, boolean>();

/** Reads from a place in the file: what has no places (a FIFO, a terminal) is refused by the system. */
export function readFile(fd: number, into: Buffer, offset: number, length: number, from: number): number {
  return readSync(fd, into, offset, length, from);
}

/**
 * Must be true before a byte that was read is used. It is asked apart from opening, since most files of a
 * search hold no candidate and are closed again without it.
 */
export function isRegularFile(fd: number): boolean {
  return fstatSync(fd).isFile();
}

export function stateOfFile(fd: number): FileState {
  return fstatSync(fd);
}

/** Whether the times of a file, on the disk of this number, move whenever its bytes change. */
export function keepsTrueTimes(fd: number, dev: number): boolean {
  let known = trueTimes.get(dev);
  if (known === undefined) {
    known = SAVED_TO_DISK.has(fs.statfsSync(`/proc/self/fd/${fd}`).type);
    trueTimes.set(dev, known);
  }
  return known;
}

/** The beginning of a regular file of the cursor's directory, if it is there and may be read. */
export function readSmallFile(cursor: Cursor, name: string, limit: number): Buffer | undefined {
  if (cursor.facts(name)?.type !== 'file') return undefined;
  const fd = cursor.open(name);
  if (typeof fd === 'string') return undefined;
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return undefined;
    const into = Buffer.alloc(Math.min(limit, stat.size));
    let length = 0;
    for (let count = -1; count !== 0 && length < into.length; length += count) {
      count = readFile(fd, into, length, into.length - length, length);
    }
    return into.subarray(0, length);
  } catch {
    return undefined;
  } finally {
    closeFile(fd);
  }
}

export function closeFile(fd: number): void {
  closeSync(fd);
}
