/** Reads a file that a cursor has opened, and finds out about it by its descriptor. */
import * as fs from 'node:fs';
import type { Cursor, FileState } from './cursor.ts';

// Taken out of the module once: they are called for every file, and a lookup in the module costs time at each call.
const { readSync, closeSync, fstatSync } = fs;

/** Reads at a position, which the system refuses for what has no positions, such as a FIFO or a terminal. */
export function readFile(fd: number, into: Buffer, offset: number, length: number, from: number): number {
  return readSync(fd, into, offset, length, from);
}

/**
 * Must be true before a byte that was read is used. It is separate from opening, since most files of a search hold no
 * candidate and are closed without this check.
 */
export function isRegularFile(fd: number): boolean {
  return fstatSync(fd).isFile();
}

export function stateOfFile(fd: number): FileState {
  return fstatSync(fd);
}

/** Reads the beginning of a regular file in the cursor's directory; undefined if that fails. */
export function readSmallFile(cursor: Cursor, name: string, limit: number): Buffer | undefined {
  if (cursor.facts(name)?.type !== 'file') return undefined;
  const fd = cursor.open(name);
  if (typeof fd === 'string') return undefined;
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return undefined;
    const into = Buffer.alloc(Math.min(limit, stat.size));
    return into.subarray(0, fillFrom(fd, into));
  } catch {
    return undefined;
  } finally {
    closeFile(fd);
  }
}

/** Reads from the beginning of a file until the buffer is full or the file ends. Returns how many bytes it has read. */
export function fillFrom(fd: number, into: Buffer): number {
  let length = 0;
  for (let count = -1; count !== 0 && length < into.length; length += count) {
    count = readFile(fd, into, length, into.length - length, length);
  }
  return length;
}

export function closeFile(fd: number): void {
  closeSync(fd);
}
