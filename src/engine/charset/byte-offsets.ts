/** Maps positions in a text to positions in the bytes that it was decoded from. */
import { type Charset, isUtf16 } from './names.ts';
import { type Sequences, sequencesOf } from './sequences.ts';

/** A position between two characters: in the text, and in the bytes. */
export interface Boundary {
  at: number;
  byte: number;
}

/** The boundary at a position of the text or, if that is inside a character, the one before or after the character. */
export interface ByteOffsets {
  before(at: number): Boundary;
  after(at: number): Boundary;
}

const NEWLINE = 10;

/** Neither bytes nor text have a byte-order mark. Positions must be asked for in rising order. */
export function byteOffsets(bytes: Buffer, text: string, charset: Charset): ByteOffsets {
  const sequences = sequencesOf(charset);
  if (sequences) {
    const lines = new WideLines(bytes, text, sequences);
    return { before: (at) => lines.boundary(at, false), after: (at) => lines.boundary(at, true) };
  }
  const size = isUtf16(charset) ? 2 : 1;
  const place = (at: number) => ({ at, byte: Math.min(at * size, bytes.length) });
  return { before: place, after: place };
}

/**
 * For encodings with characters of several bytes. A newline is one byte in all of them, and that byte is a newline
 * wherever it occurs, so only the wanted lines are examined byte by byte.
 */
class WideLines {
  readonly #bytes: Buffer;
  readonly #text: string;
  readonly #sequences: Sequences;
  /** The current line, and the boundaries between its characters once they are known. */
  #line: Boundary = { at: 0, byte: 0 };
  #next: Boundary;
  #places: Boundary[] | undefined;

  constructor(bytes: Buffer, text: string, sequences: Sequences) {
    this.#bytes = bytes;
    this.#text = text;
    this.#sequences = sequences;
    this.#next = this.#lineAfter(this.#line);
  }

  boundary(at: number, isAfter: boolean): Boundary {
    while (at >= this.#next.at && this.#next.at < this.#text.length) {
      this.#line = this.#next;
      this.#next = this.#lineAfter(this.#line);
      this.#places = undefined;
    }
    if (at === this.#line.at) return this.#line;
    if (at === this.#next.at) return this.#next;
    this.#places ??= this.#placesInLine();
    const places = this.#places;
    let [low, high] = [0, places.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (places[middle]!.at <= at) low = middle;
      else high = middle - 1;
    }
    const found = places[low]!;
    return found.at === at || !isAfter ? found : (places[low + 1] ?? this.#next);
  }

  #lineAfter({ at, byte }: Boundary): Boundary {
    const newline = this.#text.indexOf('\n', at);
    const ending = this.#bytes.indexOf(NEWLINE, byte);
    const isLast = newline < 0 || ending < 0;
    return isLast
      ? { at: this.#text.length, byte: this.#bytes.length }
      : { at: newline + 1, byte: ending + 1 };
  }

  #placesInLine(): Boundary[] {
    const places: Boundary[] = [];
    const line = this.#bytes.subarray(0, this.#next.byte);
    let { at, byte } = this.#line;
    while (byte < line.length) {
      places.push({ at, byte });
      const { units, bytes } = this.#sequences.at(line, byte);
      at += units;
      byte += bytes;
    }
    // If the counts do not match, the line is one piece that is kept or written as a whole.
    return at === this.#next.at && byte === this.#next.byte
      ? [...places, this.#next]
      : [this.#line, this.#next];
  }
}
