/**
 * Reads some lines of a file of any size in bounded memory: a range by line numbers, or the last ones.
 *
 * A newline ends a line: `a\nb\n` and `a\nb` both have two lines, and an empty file has none. The bytes are returned as
 * they are, newlines included. A file ends where it ended when it was opened, even if it grows meanwhile.
 */

import { characterEnd, isContinuation } from '../../charset/utf8.ts';
import { readChunk } from '../../confine/content/read.ts';
import type { OpenFile } from '../../confine/directory/dir.ts';
import { failIfCancelled } from '../../failures.ts';
import { indexOf, type LineIndex } from './line-index.ts';
import {
  endsInNewline,
  type LineScanner,
  lastLineEnd,
  type Newline,
  PIECE_BYTES,
  withScanner,
} from './line-scanner.ts';

/** Most reads want a few lines, so the first piece is small and later ones are larger. */
const FIRST_PIECE_BYTES = 64 * 1024;
const MOST_LINES_AT_ONCE = 2 ** 31 - 1;

export interface LineOptions {
  /** The most bytes to return. */
  maxBytes: number;
  /** How newlines are encoded. Default: as a byte. */
  newline?: Newline | undefined;
  signal?: AbortSignal | undefined;
}

interface Truncation {
  /** Not all requested lines fit into `maxBytes`: the last ones (for a tail, the first ones) are left out. */
  truncated: boolean;
  /** A single line is longer than `maxBytes`: the bytes are its start (or, for a tail, its end). */
  partialLine: boolean;
  /** Set if it is known, which it always is once the end of the file was read. */
  totalLines?: number;
}

export interface LinesRead extends Truncation {
  bytes: Buffer;
  /** The first line, as requested. */
  from: number;
  /** The last line in `bytes`; `from - 1` when there is none. */
  to: number;
}

export interface Tail extends Truncation {
  bytes: Buffer;
  /** How many lines there are in `bytes`. */
  lines: number;
}

/** Reads lines `from` to `to`, both included and counted from 1. Beyond the end there are none; see `totalLines`. */
export async function readLineRange(
  file: OpenFile,
  from: number,
  to: number,
  { maxBytes, newline = 'byte', signal }: LineOptions,
): Promise<LinesRead> {
  if (from < 1) throw new RangeError('lines are counted from 1');
  failIfCancelled(signal);
  return await withScanner(newline, async (scanner) => {
    const index = indexOf(file, newline);
    const start = await index.startOf(from, file, scanner, signal);
    if (start === undefined || to < from) {
      return {
        bytes: Buffer.alloc(0),
        from,
        to: from - 1,
        truncated: false,
        partialLine: false,
        ...known(index),
      };
    }
    const taken = await takeLines(file, scanner, start, to - from + 1, maxBytes, signal);
    if (start + taken.bytes.length >= file.stat.size) index.totalLines = from - 1 + taken.lines;
    const { lines, ...rest } = taken;
    return { ...rest, from, to: from - 1 + lines, ...known(index) };
  });
}

/** Reads the last `lines` lines, from the end of the file. */
export async function readTail(
  file: OpenFile,
  lines: number,
  { maxBytes, signal }: LineOptions,
): Promise<Tail> {
  failIfCancelled(signal);
  return await withScanner('byte', async (scanner) => {
    const index = indexOf(file);
    const found = await findTail(file, scanner, lines, maxBytes, signal);
    let bytes = await readFrom(file, found.start, signal);
    if (found.partialLine) bytes = bytes.subarray(characterStart(bytes));
    const { start, ...rest } = found;
    if (start === 0) index.totalLines = found.lines;
    return { bytes, ...rest, ...known(index) };
  });
}

export async function countLines(
  file: OpenFile,
  options: Pick<LineOptions, 'newline' | 'signal'> = {},
): Promise<number> {
  const { newline = 'byte', signal } = options;
  failIfCancelled(signal);
  return await withScanner(newline, (scanner) => indexOf(file, newline).countAll(file, scanner, signal));
}

interface Taken {
  bytes: Buffer;
  lines: number;
  truncated: boolean;
  partialLine: boolean;
}

/** Reads up to `wanted` lines, from the start of a line. */
async function takeLines(
  file: OpenFile,
  scanner: LineScanner,
  start: number,
  wanted: number,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<Taken> {
  const parts: Buffer[] = [];
  const end = Math.min(file.stat.size, start + maxBytes);
  let lines = 0;
  let piece = FIRST_PIECE_BYTES;
  for (let position = start; position < end; piece = Math.min(PIECE_BYTES, piece * 4)) {
    const got = await scanner.fill(0, file, position, Math.min(piece, end - position));
    failIfCancelled(signal);
    if (got === 0) break;
    const most = Math.min(MOST_LINES_AT_ONCE, wanted - lines);
    const skipped = scanner.skip(0, got, most);
    if ('next' in skipped) {
      parts.push(scanner.copy(0, skipped.next));
      return { bytes: Buffer.concat(parts), lines: wanted, truncated: false, partialLine: false };
    }
    parts.push(scanner.copy(0, got));
    lines += most - skipped.left;
    position += got;
  }
  const bytes = Buffer.concat(parts);
  if (end < file.stat.size) return cutAtLine(bytes, lines, scanner.newline);
  const isOpen = bytes.length > 0 && !endsInNewline(bytes, scanner.newline);
  return { bytes, lines: isOpen ? lines + 1 : lines, truncated: false, partialLine: false };
}

function cutAtLine(bytes: Buffer, lines: number, newline: Newline): Taken {
  if (lines > 0) {
    const whole = bytes.subarray(0, lastLineEnd(bytes, newline));
    return { bytes: whole, lines, truncated: true, partialLine: false };
  }
  const part = bytes.subarray(0, characterEnd(bytes));
  return { bytes: part, lines: part.length > 0 ? 1 : 0, truncated: true, partialLine: true };
}

/** Finds where the last lines start, no further back than `maxBytes`. */
async function findTail(
  file: OpenFile,
  scanner: LineScanner,
  wanted: number,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<{ start: number; lines: number; truncated: boolean; partialLine: boolean }> {
  const { size } = file.stat;
  const whole = { truncated: false, partialLine: false };
  if (wanted <= 0 || size === 0) return { start: size, lines: 0, ...whole };
  const lowest = Math.max(0, size - maxBytes);
  // The newline that ends the last line does not start another one, so it does not count.
  let position = size - 1;
  let start = size;
  let lines = 0;
  let piece = FIRST_PIECE_BYTES;
  // A newline just before the lowest byte makes that byte the start of a line.
  const stop = Math.max(0, lowest - 1);
  while (position > stop) {
    const length = Math.min(piece, position - stop);
    const got = await scanner.fill(0, file, position - length, length);
    failIfCancelled(signal);
    const newlines = scanner.count(0, 0, got);
    if (newlines > 0) {
      // Which newline of the piece, counted from its start, comes before the first line that is still wanted.
      const before = Math.max(1, newlines - (wanted - lines) + 1);
      const skipped = scanner.skip(0, got, before);
      if ('next' in skipped) start = position - length + skipped.next;
      lines += newlines - before + 1;
      if (lines === wanted) return { start, lines, ...whole };
    }
    position -= length;
    piece = Math.min(PIECE_BYTES, piece * 4);
  }
  if (lowest === 0) return { start: 0, lines: lines + 1, ...whole };
  if (lines > 0) return { start, lines, truncated: true, partialLine: false };
  return { start: lowest, lines: maxBytes > 0 ? 1 : 0, truncated: true, partialLine: true };
}

/** Reads everything from `start` to the end, or what is left if the file was truncated meanwhile. */
async function readFrom(file: OpenFile, start: number, signal: AbortSignal | undefined): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(file.stat.size - start);
  let filled = 0;
  while (filled < bytes.length) {
    const length = Math.min(PIECE_BYTES, bytes.length - filled);
    const got = await readChunk(file.fd, bytes, filled, length, start + filled);
    failIfCancelled(signal);
    if (got === 0) break;
    filled += got;
  }
  return bytes.subarray(0, filled);
}

/** The index of the first byte that does not continue a UTF-8 character from before. */
function characterStart(bytes: Buffer): number {
  let at = 0;
  while (at < 3 && at < bytes.length && isContinuation(bytes[at]!)) at++;
  return at;
}

function known({ totalLines }: LineIndex): { totalLines?: number } {
  return totalLines === undefined ? {} : { totalLines };
}
