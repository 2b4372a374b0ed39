/** Collects JSON in UTF-8, as a list of messages that go out together. */

/** A list takes as much memory at once as those before it needed, up to this. */
const MOST_AT_ONCE = 512 * 1024;
/** By how much less, from list to list, when they get shorter. */
const DECLINE = 0.9;
/** In UTF-8. */
const MOST_BYTES_A_UNIT = 3;

/** Where a list ended before something was added to it. */
export interface ListEnd {
  readonly length: number;
  readonly text: string;
}

export class JsonBytes {
  #bytes = Buffer.alloc(0);
  #length = 0;
  /** What comes behind the bytes: to encode many short texts together takes less time. */
  #text = '';
  #usual = 0;

  /** At most this many bytes. */
  get mostBytes(): number {
    return this.#length + this.#text.length * MOST_BYTES_A_UNIT;
  }

  get isEmpty(): boolean {
    return this.#length === 0 && this.#text === '';
  }

  get end(): ListEnd {
    return { length: this.#length, text: this.#text };
  }

  /** Drops what was added since. */
  dropFrom({ length, text }: ListEnd): void {
    this.#length = length;
    this.#text = text;
  }

  /** How many bytes were added since. */
  bytesSince({ length, text }: ListEnd): number {
    return this.#length + Buffer.byteLength(this.#text) - length - Buffer.byteLength(text);
  }

  add(text: string): void {
    this.#text += text;
  }

  /** A part of a memory that holds UTF-8. */
  addBytes(memory: Buffer, from: number, end: number): void {
    this.#encodeText();
    this.#makeRoom(end - from);
    this.#length += memory.copy(this.#bytes, this.#length, from, end);
  }

  /** Gives the list, and begins another one. */
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
    // Twice as much each time: a list that grows by small pieces is not copied for each of them.
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, usual, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
