/**
 * Finds where characters end, in encodings that take several bytes for one.
 *
 * A byte that begins no character counts as a missing character by itself, and decoding continues at the next byte, as
 * iconv-lite does with whole files. (When iconv-lite reads a file in pieces, it loses characters after such bytes.)
 */
import { converter } from './converter.ts';
import type { Charset } from './names.ts';

const MISSING = '\uFFFD';
/** In GB 18030, the replacement character U+FFFD has bytes of its own. */
const GB18030_MISSING = '8431a437';
const LONGEST = 4;
/** A smaller byte is always a whole character by itself. */
const NEVER_LATER = 0x30;

const byCharset = new Map<Charset, Sequences>();

/** Undefined for an encoding with characters of one size. */
export function sequencesOf(charset: Charset): Sequences | undefined {
  if (!['shift_jis', 'gbk', 'gb18030', 'big5', 'euc-kr', 'euc-jp'].includes(charset)) return undefined;
  const known = byCharset.get(charset) ?? new Sequences(charset);
  byCharset.set(charset, known);
  return known;
}

export interface Sequence {
  bytes: number;
  /** How many UTF-16 units of text it is. */
  units: number;
  isMissing: boolean;
}

const ASCII: Sequence = { bytes: 1, units: 1, isMissing: false };
const NONE: Sequence = { bytes: 1, units: 1, isMissing: true };

export class Sequences {
  readonly #charset: Charset;
  /** Known characters by their first two bytes, if those decide. */
  readonly #known = new Map<number, Sequence>();

  constructor(charset: Charset) {
    this.#charset = charset;
  }

  /** The character that begins at a byte. */
  at(bytes: Buffer, at: number): Sequence {
    const first = bytes[at]!;
    if (first < 0x80) return ASCII;
    const key = first * 257 + (bytes[at + 1] ?? 256);
    const known = this.#known.get(key);
    if (known) return known;
    for (let length = 1; length <= LONGEST && at + length <= bytes.length; length++) {
      const found = this.#whole(bytes.subarray(at, at + length));
      if (found && length <= 2) this.#known.set(key, found);
      if (found) return found;
    }
    return NONE;
  }

  /** Where the last complete character ends. */
  end(bytes: Buffer): number {
    let at = bytes.length - 1;
    while (at >= 0 && bytes[at]! >= NEVER_LATER) at--;
    for (at += 1; at < bytes.length; ) {
      const { bytes: length, isMissing } = this.at(bytes, at);
      if (isMissing && at + LONGEST > bytes.length) break;
      at += length;
    }
    return at;
  }

  #whole(bytes: Buffer): Sequence | undefined {
    const text = converter().decode(bytes, this.#charset, { stripBOM: false });
    if (text.includes(MISSING) && bytes.toString('hex') !== GB18030_MISSING) return undefined;
    return { bytes: bytes.length, units: text.length, isMissing: false };
  }
}
