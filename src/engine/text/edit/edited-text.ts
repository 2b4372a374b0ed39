/** A text that many edits change one after the other, with what they ask of the whole of it counted only once. */
import type { LineEnding } from '../encoding.ts';
import type { Splice, Splices } from './splice.ts';

/** How far apart the places are before which lines are counted. */
const STRIDE = 16 * 1024;

interface LineEnds {
  crlf: number;
  lf: number;
}

export class EditedText {
  #text: string;
  /** Places in rising order, and how many newlines stand before each. */
  #marks: { at: number[]; newlines: number[] } | undefined;
  #ends: LineEnds | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  get text(): string {
    return this.#text;
  }

  /** The line of a position, from 1. */
  lineAt(position: number): number {
    this.#marks ??= marksOf(this.#text);
    const { at, newlines } = this.#marks;
    const mark = lastUpTo(at, position);
    return 1 + newlines[mark]! + newlinesIn(this.#text, at[mark]!, position);
  }

  /** The ending that most lines have; undefined for a text without any line end. */
  lineEnding(): LineEnding | undefined {
    this.#ends ??= lineEndsIn(this.#text, 0, this.#text.length);
    const { crlf, lf } = this.#ends;
    if (crlf === 0 && lf === 0) return undefined;
    return crlf > lf ? '\r\n' : '\n';
  }

  /** Goes on with the text that the splices made of this one. */
  become(text: string, splices: Splices): void {
    const before = this.#text;
    this.#text = text;
    const [splice] = splices;
    if (splices.length !== 1 || splice === undefined || splice.text.length > STRIDE) {
      this.#marks = undefined;
      this.#ends = undefined;
      return;
    }
    this.#moveMarks(before, splice);
    this.#countEndsAgain(before, splice);
  }

  #moveMarks(before: string, { start, end, text }: Splice): void {
    if (this.#marks === undefined) return;
    const { at, newlines } = this.#marks;
    const longer = text.length - (end - start);
    const more = newlinesIn(text, 0, text.length) - newlinesIn(before, start, end);
    const first = lastUpTo(at, start) + 1;
    let next = first;
    while (next < at.length && at[next]! < end) next++;
    at.splice(first, next - first);
    newlines.splice(first, next - first);
    for (let index = first; index < at.length; index++) {
      at[index]! += longer;
      newlines[index]! += more;
    }
  }

  /** A newline behind the splice may have a carriage return before it now, or have lost it. */
  #countEndsAgain(before: string, { start, end, text }: Splice): void {
    if (this.#ends === undefined) return;
    const gone = lineEndsIn(before, start, end + 1);
    const come = lineEndsIn(this.#text, start, start + text.length + 1);
    this.#ends = {
      crlf: this.#ends.crlf + come.crlf - gone.crlf,
      lf: this.#ends.lf + come.lf - gone.lf,
    };
  }
}

function marksOf(text: string) {
  const at = [0];
  const newlines = [0];
  for (let from = 0; from + STRIDE < text.length; from += STRIDE) {
    newlines.push(newlines.at(-1)! + newlinesIn(text, from, from + STRIDE));
    at.push(from + STRIDE);
  }
  return { at, newlines };
}

function newlinesIn(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** Of the newlines from one position up to another. */
function lineEndsIn(text: string, from: number, to: number): LineEnds {
  const ends = { crlf: 0, lf: 0 };
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) {
    if (at > 0 && text.charCodeAt(at - 1) === 13) ends.crlf++;
    else ends.lf++;
  }
  return ends;
}

/** The index of the last of the rising numbers that is not above `limit`; the first number never is. */
function lastUpTo(rising: readonly number[], limit: number): number {
  let low = 0;
  let high = rising.length;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (rising[middle]! <= limit) low = middle;
    else high = middle;
  }
  return low;
}
