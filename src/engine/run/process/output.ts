/** Collects what a command prints on one stream: keeps the bytes up to a cap, and only counts those beyond it. */
import { characterEnd } from '../../charset/utf8.ts';

export interface StreamText {
  text: string;
  truncated: boolean;
  /** How many bytes the command printed in all. */
  bytes: number;
}

export class CappedStream {
  readonly #cap: number;
  #kept = Buffer.alloc(0);
  #keptBytes = 0;
  #bytes = 0;

  constructor(cap: number) {
    this.#cap = cap;
  }

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    const take = Math.min(chunk.length, this.#cap - this.#keptBytes);
    if (take <= 0) return;
    const needed = this.#keptBytes + take;
    if (needed > this.#kept.length) this.#grow(needed);
    chunk.copy(this.#kept, this.#keptBytes, 0, take);
    this.#keptBytes = needed;
  }

  /** Doubles the one buffer, because a command may print a megabyte byte by byte. */
  #grow(needed: number): void {
    const size = Math.min(this.#cap, Math.max(needed, this.#kept.length * 2, 4096));
    const larger = Buffer.alloc(size);
    this.#kept.copy(larger, 0, 0, this.#keptBytes);
    this.#kept = larger;
  }

  /** `interrupted`: something ended the command, perhaps in the middle of a character. */
  result(interrupted: boolean): StreamText {
    const kept = this.#kept.subarray(0, this.#keptBytes);
    const truncated = this.#bytes > this.#keptBytes;
    const whole = truncated || interrupted ? kept.subarray(0, characterEnd(kept)) : kept;
    const text = whole.toString('utf8');
    // Bytes that are not UTF-8 become longer replacement characters. The cap holds for the text too.
    if (Buffer.byteLength(text) <= this.#cap) return { text, truncated, bytes: this.#bytes };
    const encoded = Buffer.from(text);
    const end = characterEnd(encoded.subarray(0, this.#cap));
    return { text: encoded.toString('utf8', 0, end), truncated: true, bytes: this.#bytes };
  }
}
