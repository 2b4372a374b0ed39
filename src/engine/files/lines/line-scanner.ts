/** Reads a file piece by piece into the memory of the WebAssembly kernel and finds newlines there. */

import { readChunk } from '../../confine/content/read.ts';
import type { OpenFile } from '../../confine/directory/dir.ts';
import { type Kernel, loadKernel } from '../../kernel/kernel.ts';

/** The most bytes that are read and scanned at a time. */
export const PIECE_BYTES = 1024 * 1024;
/** How many scans may run in parallel. Each holds two pieces: one is read while the other is scanned. */
const MOST_SCANNERS = 4;
const NEWLINE = 10;

/** How a newline is encoded: as the byte 10, or as two bytes of UTF-16 in either order. */
export type Newline = 'byte' | 'utf-16le' | 'utf-16be';

const idle: LineScanner[] = [];
const waiting: (() => void)[] = [];
let lent = 0;

/** Lends a scanner for as long as `work` runs; no read into the scanner may still be running when `work` ends. */
export async function withScanner<T>(
  newline: Newline,
  work: (scanner: LineScanner) => Promise<T>,
): Promise<T> {
  if (lent >= MOST_SCANNERS) await new Promise<void>((resolve) => waiting.push(resolve));
  else lent++;
  const scanner = idle.pop() ?? new LineScanner();
  scanner.newline = newline;
  try {
    return await work(scanner);
  } finally {
    // One is kept for the next call; the memory of the others is freed.
    if (idle.length === 0) idle.push(scanner);
    const next = waiting.shift();
    if (next === undefined) lent--;
    else next();
  }
}

/** Which of the two pieces; indices into a piece count from its start. */
export type Half = 0 | 1;

export class LineScanner {
  /** If a newline has two bytes, pieces must begin between two code units. */
  newline: Newline = 'byte';
  readonly #kernel: Kernel = loadKernel(2 * PIECE_BYTES);

  /** Reads up to `length` bytes into a piece: fewer only at the end of the file. */
  async fill(half: Half, file: OpenFile, position: number, length: number): Promise<number> {
    let filled = 0;
    while (filled < length) {
      const at = this.#start(half) + filled;
      const got = await readChunk(file.fd, this.#kernel.bytes, at, length - filled, position + filled);
      if (got === 0) break;
      filled += got;
    }
    return filled;
  }

  count(half: Half, from: number, end: number): number {
    const start = this.#start(half);
    if (this.newline !== 'byte') return this.#unitsBetween(start + from, start + end, Infinity).found;
    return this.#kernel.countByte(start + from, start + end, NEWLINE);
  }

  /** The index after the `lines`-th newline, or how many newlines are missing. */
  skip(half: Half, end: number, lines: number): { next: number } | { left: number } {
    const start = this.#start(half);
    if (this.newline !== 'byte') {
      const { found, next } = this.#unitsBetween(start, start + end, lines);
      return found === lines ? { next: next - start } : { left: lines - found };
    }
    const skipped = this.#kernel.skipLines(start, start + end, lines);
    return 'next' in skipped ? { next: skipped.next - start } : skipped;
  }

  endsInNewline(half: Half, end: number): boolean {
    const start = this.#start(half);
    return endsInNewline(this.#kernel.bytes.subarray(start, start + end), this.newline);
  }

  copy(half: Half, end: number): Buffer {
    const start = this.#start(half);
    return Buffer.from(this.#kernel.bytes.subarray(start, start + end));
  }

  /** Counts up to `most` newlines of two bytes, and says where the last of them ends. */
  #unitsBetween(from: number, end: number, most: number): { found: number; next: number } {
    const { bytes } = this.#kernel;
    const low = this.newline === 'utf-16le' ? 0 : 1;
    let [found, next] = [0, from];
    for (let at = from; at + 1 < end && found < most; at += 2) {
      if (bytes[at + low] !== NEWLINE || bytes[at + 1 - low] !== 0) continue;
      found++;
      next = at + 2;
    }
    return { found, next };
  }

  #start(half: Half): number {
    return this.#kernel.text + half * PIECE_BYTES;
  }
}

/** Whether bytes, which must begin between two code units, end in a newline. */
export function endsInNewline(bytes: Uint8Array, newline: Newline): boolean {
  if (newline === 'byte') return bytes.at(-1) === NEWLINE;
  return bytes.length % 2 === 0 && lastLineEnd(bytes.subarray(-2), newline) === 2;
}

/** The position after the last newline; 0 if there is none. */
export function lastLineEnd(bytes: Uint8Array, newline: Newline): number {
  if (newline === 'byte') return bytes.lastIndexOf(NEWLINE) + 1;
  const low = newline === 'utf-16le' ? 0 : 1;
  for (let at = (bytes.length & ~1) - 2; at >= 0; at -= 2) {
    if (bytes[at + low] === NEWLINE && bytes[at + 1 - low] === 0) return at + 2;
  }
  return 0;
}
