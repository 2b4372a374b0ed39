/**
 * Remembers where the lines of large files are, as far as they have been scanned: how many newlines come before every
 * stride of bytes. The index of the last few files is cached, so that only the first read of a file needs a scan.
 */
import type { OpenFile, Stat } from '../../confine/directory/dir.ts';
import { failIfCancelled } from '../../failures.ts';
import { type Half, type LineScanner, type Newline, PIECE_BYTES } from './line-scanner.ts';

const SMALLEST_STRIDE = PIECE_BYTES / 4;
/** Larger files get longer strides, so that no index takes more than this many numbers. */
const MOST_STRIDES = 16_384;
const MOST_FILES = 16;
/** A change this soon after the last one might not change the file's times. */
const FINE_CLOCK_MS = 100;
/** The same if the file system stores only whole seconds. */
const COARSE_CLOCK_MS = 2500;

const remembered = new Map<string, LineIndex>();

/** The index, cached or new, of a file in exactly this state and with newlines of this kind. */
export function indexOf({ stat }: OpenFile, newline: Newline = 'byte'): LineIndex {
  const key = `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}:${newline}`;
  const index = remembered.get(key) ?? new LineIndex(stat.size);
  remembered.delete(key);
  if (!isSettled(stat)) return index;
  remembered.set(key, index);
  if (remembered.size > MOST_FILES) remembered.delete(remembered.keys().next().value!);
  return index;
}

/** Whether any later change is sure to show in the file's times. */
function isSettled({ mtimeNs, ctimeNs }: Stat): boolean {
  const isCoarse = mtimeNs % 1_000_000_000n === 0n && ctimeNs % 1_000_000_000n === 0n;
  const changed = Number((mtimeNs > ctimeNs ? mtimeNs : ctimeNs) / 1_000_000n);
  return Date.now() - changed > (isCoarse ? COARSE_CLOCK_MS : FINE_CLOCK_MS);
}

export class LineIndex {
  readonly #size: number;
  readonly #stride: number;
  /** At index `i`: how many newlines there are before byte `i × stride`. */
  readonly #newlinesBefore: number[] = [0];
  /** Whether the whole file was scanned. */
  #isComplete = false;
  /** How many lines there are, once that is known. */
  totalLines: number | undefined;
  /** Whether all of the file is UTF-8 without a NUL, once that was checked. */
  isUtf8: boolean | undefined;

  constructor(size: number) {
    this.#size = size;
    this.#stride = SMALLEST_STRIDE;
    while (size / this.#stride > MOST_STRIDES) this.#stride *= 2;
  }

  /** The byte at which a line starts; undefined if there are fewer lines, and then `totalLines` is known. */
  async startOf(
    line: number,
    file: OpenFile,
    scanner: LineScanner,
    signal: AbortSignal | undefined,
  ): Promise<number | undefined> {
    if (!this.#has(line)) return undefined;
    await this.#extend(line - 1, file, scanner, signal);
    if (!this.#has(line)) return undefined;
    if (line === 1) return 0;
    const nearest = this.#lastBelow(line - 1);
    let position = nearest * this.#stride;
    let missing = line - 1 - this.#newlinesBefore[nearest]!;
    for (;;) {
      const got = await scanner.fill(0, file, position, Math.min(PIECE_BYTES, this.#stride));
      if (got === 0) return undefined;
      const skipped = scanner.skip(0, got, missing);
      if ('next' in skipped) return position + skipped.next;
      missing = skipped.left;
      position += got;
    }
  }

  async countAll(file: OpenFile, scanner: LineScanner, signal: AbortSignal | undefined): Promise<number> {
    if (this.totalLines === undefined) {
      await this.#extend(Number.POSITIVE_INFINITY, file, scanner, signal);
    }
    return this.totalLines!;
  }

  #has(line: number): boolean {
    return this.totalLines === undefined || line <= this.totalLines;
  }

  /** Scans until it has passed this many newlines, or the file ends. */
  async #extend(
    newlines: number,
    file: OpenFile,
    scanner: LineScanner,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    let count = this.#newlinesBefore.at(-1)!;
    if (this.#isComplete || (count >= newlines && this.#size > 0)) return;
    let position = (this.#newlinesBefore.length - 1) * this.#stride;
    let endsInNewline = true;
    let half: Half = 0;
    let reading = this.#read(scanner, half, file, position);
    try {
      while (count < newlines || position >= this.#size) {
        const got = await reading;
        failIfCancelled(signal);
        if (got === 0) {
          this.totalLines = endsInNewline ? count : count + 1;
          this.#isComplete = true;
          return;
        }
        const ready = half;
        half = half === 0 ? 1 : 0;
        reading = this.#read(scanner, half, file, position + got);
        count = this.#note(scanner, ready, got, position, count);
        endsInNewline = scanner.endsInNewline(ready, got);
        position += got;
      }
    } finally {
      // Do not return the scanner while a read into it may still be running.
      await reading.catch(() => 0);
    }
  }

  /** Counts the newlines of a piece and records the strides that end in it. Returns the newlines up to its end. */
  #note(scanner: LineScanner, half: Half, got: number, position: number, before: number): number {
    let count = before;
    for (let at = 0; at < got; at += SMALLEST_STRIDE) {
      const end = Math.min(got, at + SMALLEST_STRIDE);
      count += scanner.count(half, at, end);
      const here = position + end;
      // Another call may be scanning the same file: the first one records the stride. The very end is never
      // recorded, so that a scan that continues from the last stride always sees how the file ends.
      const isNext = here / this.#stride === this.#newlinesBefore.length;
      if (isNext && here < this.#size) this.#newlinesBefore.push(count);
    }
    return count;
  }

  /** Reads no further than where the file ended when it was opened, even if it grows meanwhile. */
  async #read(scanner: LineScanner, half: Half, file: OpenFile, position: number): Promise<number> {
    const length = Math.min(PIECE_BYTES, this.#size - position);
    return length <= 0 ? 0 : await scanner.fill(half, file, position, length);
  }

  /** The last stride that starts before the given newline. */
  #lastBelow(newlines: number): number {
    let low = 0;
    let high = this.#newlinesBefore.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#newlinesBefore[middle]! < newlines) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
