/**
 * Reads the text of one file into the kernel's memory as UTF-8, a window of whole lines at a time.
 *
 * It transcodes a file that begins with a byte-order mark of UTF-16, and one that is not UTF-8 and for which another
 * encoding is declared. A mark is not part of the text. A file with a NUL near its beginning is binary.
 */
import { type StreamDecoder, streamDecoder } from '../../charset/codec.ts';
import { type Charset, isUtf8Name } from '../../charset/names.ts';
import { Utf8Check } from '../../charset/utf8.ts';
import { isRegularFile, readFile } from '../../confine/scan/open-file.ts';
import type { Kernel } from '../../kernel/kernel.ts';

/** How much to read at once: little enough to stay in the processor's cache until the scan. */
export const WINDOW_BYTES: number = 1 << 20;
const LONGEST_LINE = 16 << 20;
const PROBED_FOR_NUL = 4096;
/** Up to this offset a short read means the end of the file. Beyond it, file systems may return short reads earlier. */
const SURELY_ENDED = 32_768;
const RAW_CHUNK = 1 << 17;

/** Thrown when the entry turns out not to be a regular file: nothing that was read from it may be used. */
export class NotAFile extends Error {}

export class FileText {
  /** Where the text that is in memory and not yet consumed starts and ends. */
  start = 0;
  end = 0;
  /** Whether the file ends at `end`. */
  ended = false;
  readonly #kernel: Kernel;
  #fd = -1;
  #offset = 0;
  #confirmed = false;
  #transcoding: TranscodingReader | undefined;
  /** How much of the kernel's memory to use: more than one window only for a file with very long lines. */
  #size = WINDOW_BYTES;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  /** Reads the beginning. False if the file is binary. `declared` is the encoding to use if the file is not UTF-8. */
  open(fd: number, declared?: Charset): boolean {
    this.#fd = fd;
    this.#offset = 0;
    this.#confirmed = false;
    this.#transcoding = undefined;
    this.#size = WINDOW_BYTES;
    this.ended = false;
    this.start = this.#kernel.text;
    this.end = this.start;
    this.#fill();
    const skipped = this.#readMark(declared);
    if (this.#holdsNul()) return false;
    this.start += skipped;
    return true;
  }

  /** Begins to transcode if needed. Returns the length of a UTF-8 mark at the beginning. */
  #readMark(declared: Charset | undefined): number {
    const { bytes } = this.#kernel;
    const length = this.end - this.start;
    const mark = bytes[this.start]! < 0xef || length < 2 ? 0 : bytes.readUInt16BE(this.start);
    if (mark === 0xfffe || mark === 0xfeff) this.#transcode(mark === 0xfeff ? 'utf-16be' : 'utf-16le');
    else if (mark === 0xefbb && length > 2 && bytes[this.start + 2] === 0xbf) return 3;
    else if (declared !== undefined && !isUtf8Name(declared) && !this.#isUtf8Throughout())
      this.#transcode(declared);
    return 0;
  }

  #isUtf8Throughout(): boolean {
    const check = new Utf8Check();
    const { bytes } = this.#kernel;
    if (!check.takes(bytes.subarray(this.start, this.end))) return false;
    if (this.ended) return check.isWhole;
    this.confirm();
    const chunk = Buffer.allocUnsafe(RAW_CHUNK);
    for (let at = this.#offset; ; ) {
      const count = readFile(this.#fd, chunk, 0, chunk.length, at);
      if (count === 0) return check.isWhole;
      if (!check.takes(chunk.subarray(0, count))) return false;
      at += count;
    }
  }

  /** All bytes of the file as they are on disk, if they are all in memory. */
  get whole(): { start: number; end: number } | undefined {
    const start = this.#kernel.text;
    const isWhole = this.ended && !this.#transcoding && this.end - start === this.#offset;
    return isWhole ? { start, end: this.end } : undefined;
  }

  /** Checks that the entry is a regular file. Call this before using any of the text. */
  confirm(): void {
    if (this.#confirmed) return;
    if (!isRegularFile(this.#fd)) throw new NotAFile();
    this.#confirmed = true;
  }

  /** Drops the text before `from` and reads more after the rest. */
  advance(from: number): void {
    this.#shift(from);
    this.#fill();
  }

  /** Makes room when the window holds no whole line. False if the line is too long to search. */
  widen(): boolean {
    if (this.#size > LONGEST_LINE) return false;
    // One byte more than the longest line, to see its newline or the end of the file.
    this.#size = Math.min(this.#size * 2, LONGEST_LINE + 1);
    this.#kernel.reserve(this.#size);
    this.advance(this.start);
    return true;
  }

  /** Skips the line at the beginning of the window. */
  skipLine(): void {
    for (;;) {
      const newline = this.#kernel.memchr(this.start, this.end, 0x0a);
      if (newline < this.end) {
        this.advance(newline + 1);
        return;
      }
      this.advance(this.end);
      if (this.start === this.end) return;
    }
  }

  #shift(from: number): void {
    const { bytes, text } = this.#kernel;
    if (from > text) bytes.copyWithin(text, from, this.end);
    this.end = text + (this.end - from);
    this.start = text;
  }

  #fill(): void {
    while (!this.ended) {
      const room = this.#kernel.text + this.#size - this.end;
      if (room === 0) return;
      const count = this.#transcoding ? this.#transcoding.read(this.end, room) : this.#read(room);
      this.end += count;
    }
  }

  #read(room: number): number {
    // A device could deliver bytes forever.
    if (this.#offset >= WINDOW_BYTES) this.confirm();
    const count = readFile(this.#fd, this.#kernel.bytes, this.end, room, this.#offset);
    this.#offset += count;
    this.ended = count === 0 || (count < room && this.#offset <= SURELY_ENDED);
    return count;
  }

  #transcode(charset: Charset): void {
    this.confirm();
    const begun = Buffer.from(this.#kernel.bytes.subarray(this.start, this.end));
    this.#transcoding = new TranscodingReader(this.#kernel, this.#fd, charset, begun, () => {
      this.ended = true;
    });
    this.ended = false;
    this.end = this.start;
    this.#fill();
  }

  #holdsNul(): boolean {
    const end = Math.min(this.end, this.start + PROBED_FOR_NUL);
    return this.#kernel.memchr(this.start, end, 0) < end;
  }
}

/** Reads a file in another encoding as UTF-8. Malformed input becomes replacement characters. */
class TranscodingReader {
  readonly #kernel: Kernel;
  readonly #fd: number;
  readonly #decoder: StreamDecoder;
  readonly #onEnd: () => void;
  /** Raw bytes that were read before the encoding was known. */
  #begun: Buffer;
  #offset: number;
  /** Text that is transcoded but not yet read by the caller. */
  #ready: Buffer = Buffer.alloc(0);

  constructor(kernel: Kernel, fd: number, charset: Charset, begun: Buffer, onEnd: () => void) {
    this.#kernel = kernel;
    this.#fd = fd;
    this.#decoder = streamDecoder(charset);
    this.#begun = begun;
    this.#offset = begun.length;
    this.#onEnd = onEnd;
  }

  read(at: number, room: number): number {
    while (this.#ready.length === 0) {
      const raw = this.#raw();
      const text = raw.length > 0 ? this.#decoder.write(raw) : this.#decoder.end();
      this.#ready = Buffer.from(text, 'utf8');
      if (raw.length === 0) break;
    }
    if (this.#ready.length === 0) this.#onEnd();
    const count = Math.min(room, this.#ready.length);
    this.#ready.copy(this.#kernel.bytes, at, 0, count);
    this.#ready = this.#ready.subarray(count);
    return count;
  }

  #raw(): Buffer {
    if (this.#begun.length > 0) {
      const raw = this.#begun.subarray(0, RAW_CHUNK);
      this.#begun = this.#begun.subarray(raw.length);
      return raw;
    }
    const chunk = Buffer.alloc(RAW_CHUNK);
    const count = readFile(this.#fd, chunk, 0, chunk.length, this.#offset);
    this.#offset += count;
    return chunk.subarray(0, count);
  }
}
