/** Reads bytes from files that the wall has opened. */
import * as fs from 'node:fs';
import { promisify } from 'node:util';
import { failIfCancelled } from '../../failures.ts';
import { closing } from '../closing.ts';
import type { OpenFile } from '../directory/dir.ts';

const read = promisify(fs.read);

/** Up to this size, a synchronous read or write is quicker than a trip through the thread pool. */
export const SYNC_BYTES: number = 256 * 1024;
/** The most bytes that are read or written between two checks whether the call was cancelled. */
export const CHUNK_BYTES: number = 4 * 1024 * 1024;
/**
 * Small files share slabs: a buffer for each would take longer to allocate than the file takes to read, and would be
 * more work for the garbage collector.
 */
const SLAB_BYTES = 128 * 1024;
const MOST_IN_SLAB = 16 * 1024;
/** Few enough bytes to stay in the processor's cache between reading and comparing. */
const COMPARED_BYTES = 64 * 1024;

export async function readChunk(
  fd: number,
  into: Uint8Array,
  offset: number,
  length: number,
  position: number,
): Promise<number> {
  const { bytesRead } = await read(fd, into, offset, length, position);
  return bytesRead;
}

/** Reads up to `most` bytes from the beginning of a file. For a small file it returns them without a promise. */
export function readBytes(file: OpenFile, most: number, signal?: AbortSignal): Buffer | Promise<Buffer> {
  const expected = Math.min(file.stat.size, most);
  return expected <= SYNC_BYTES ? readBytesSync(file, most) : readManyBytes(file, expected, most, signal);
}

async function readManyBytes(
  file: OpenFile,
  expected: number,
  most: number,
  signal: AbortSignal | undefined,
): Promise<Buffer> {
  let buffer = Buffer.allocUnsafe(expected);
  let length = 0;
  while (length < most) {
    failIfCancelled(signal);
    if (length === buffer.length) buffer = Buffer.concat([buffer], Math.min(most, buffer.length * 2));
    const room = Math.min(CHUNK_BYTES, buffer.length - length);
    const got = await readChunk(file.fd, buffer, length, room, length);
    if (got === 0) break;
    length += got;
    if (length === file.stat.size && !(await hasMore(file.fd, length))) break;
  }
  return buffer.subarray(0, length);
}

/** The same as `readBytes`, and then closes the file. */
export async function readAndClose(file: OpenFile, most: number): Promise<Buffer> {
  return closing(file, () => readBytes(file, most));
}

/** Small files share memory: a caller that keeps the bytes for long should copy them. */
export function readBytesSync(file: OpenFile, most: number): Buffer {
  // One byte more than the size reveals a file that has grown, or one whose size the system does not report.
  let buffer = memoryFor(Math.min(file.stat.size, most) + 1);
  let length = 0;
  for (;;) {
    const got = fs.readSync(file.fd, buffer, length, Math.min(buffer.length, most) - length, length);
    length += got;
    // All bytes of the file's size have come, and there was room for more: this is the end.
    const isWhole = got > 0 && length === file.stat.size && length < buffer.length;
    if (got === 0 || isWhole || length >= most) return buffer.subarray(0, length);
    if (length === buffer.length) buffer = Buffer.concat([buffer], Math.max(4096, buffer.length * 2));
  }
}

let slab = Buffer.alloc(0);

function memoryFor(bytes: number): Buffer {
  if (bytes > MOST_IN_SLAB) return Buffer.allocUnsafe(bytes);
  if (bytes > slab.length) slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
  const memory = slab.subarray(0, bytes);
  slab = slab.subarray(bytes);
  return memory;
}

/** Whether a file holds exactly these bytes. It reads piece by piece into one small buffer, which is quick. */
export function holdsBytes({ fd }: OpenFile, expected: Buffer): boolean {
  const piece = Buffer.allocUnsafe(Math.min(COMPARED_BYTES, expected.length + 1));
  for (let at = 0; ; ) {
    const got = fs.readSync(fd, piece, 0, piece.length, at);
    if (got === 0) return at === expected.length;
    if (!piece.subarray(0, got).equals(expected.subarray(at, at + got))) return false;
    at += got;
  }
}

async function hasMore(fd: number, position: number): Promise<boolean> {
  return (await readChunk(fd, Buffer.allocUnsafe(1), 0, 1, position)) > 0;
}
