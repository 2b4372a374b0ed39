/** Collects the JSON of several messages as UTF-8, so that they can be sent together. */
import { MOST_BYTES_A_UNIT } from '../utf16.ts';

/** The first allocation for a list is as large as the lists before it became, up to this many bytes. */
const MOST_AT_ONCE = 512 * 1024;
/** When lists get shorter, the first allocation shrinks by this factor from list to list. */
const DECLINE = 0.9;

/** Where a list ended at some moment: a caller can measure or drop what was added after it. */
export interface ListEnd {
  readonly length: number;
  readonly text: string;
}

export class JsonBytes {
  #bytes = Buffer.alloc(0);
  #length = 0;
  /** Text that follows the bytes and is not encoded yet: encoding many short texts together takes less time. */
  #text = '';
  #usual = 0;

  /** An upper bound of the list's size in bytes. */
  get mostBytes(): number {
    return this.#length + this.#text.length * MOST_BYTES_A_UNIT;
  }

  get isEmpty(): boolean {
    return this.#length === 0 && this.#text === '';
  }

  get end(): ListEnd {
    return { length: this.#length, text: this.#text };
  }

  /** Drops what was added after `end` was read. */
  dropFrom({ length, text }: ListEnd): void {
    this.#length = length;
    this.#text = text;
  }

  /** How many bytes were added after `end` was read. */
  bytesSince({ length, text }: ListEnd): number {
    return this.#length + Buffer.byteLength(this.#text) - length - Buffer.byteLength(text);
  }

  add(text: string): void {
    this.#text += text;
  }

  /** Adds [from, end) of a memory that contains UTF-8. */
  addBytes(memory: Buffer, from: number, end: number): void {
    this.#encodeText();
    this.#makeRoom(end - from);
    this.#length += memory.copy(this.#bytes, this.#length, from, end);
  }

  /** Returns the list and begins another one. */
  take(): Buffer {
    this.#encodeText();
    const list = this.#bytes.subarray(0, this.#length);
    this.#usual = Math.max(this.#length, Math.floor(this.#usual * DECLINE));
    this.#bytes = Buffer.alloc(0);
    this.#length = 0;
    return list;
  }

  #encodeText(): void {
    if (this.#text === '') return;
    this.#makeRoom(this.#text.length * MOST_BYTES_A_UNIT);
    this.#length += this.#bytes.write(this.#text, this.#length, 'utf8');
    this.#text = '';
  }

  #makeRoom(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    const usual = Math.min(this.#usual, MOST_AT_ONCE);
    // Double the size, so that a list that grows by small pieces is not copied for each of them.
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, usual, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
