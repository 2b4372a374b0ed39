/** A text that many edits change one after the other: its lines and line ends are counted once, not for each edit. */
import { newlinesBefore } from '../diff/text-lines.ts';
import type { LineEnding } from '../line-endings.ts';
import { hasLoneSurrogate, QUICK_PRODUCT } from './literal/occurrences.ts';
import type { Splice, Splices } from './splice.ts';
import { TextPieces } from './text-pieces.ts';

const PIECE = 64 * 1024;
/** After a splice that inserts more than this, everything is counted again: an update would cost as much. */
const LONGEST_PUT = 1024 * 1024;

interface LineEnds {
  crlf: number;
  lf: number;
}

export class EditedText {
  readonly #pieceSize: number;
  /** Undefined while only the pieces are up to date. */
  #text: string | undefined;
  #length: number;
  #pieces: TextPieces | undefined;
  #ends: LineEnds | undefined;
  #hasReturns: boolean | undefined;

  constructor(text: string, pieceSize = PIECE) {
    this.#text = text;
    this.#length = text.length;
    this.#pieceSize = pieceSize;
  }

  get text(): string {
    this.#text ??= this.#pieces!.text;
    return this.#text;
  }

  get length(): number {
    return this.#length;
  }

  /** The line of a position, counted from 1. */
  lineNumberAt(position: number): number {
    return this.#inPieces.lineNumberAt(position);
  }

  /** The ending that most lines have; undefined for a text without any line end. */
  lineEnding(): LineEnding | undefined {
    this.#ends ??= lineEndsIn(this.text, 0, this.#length);
    const { crlf, lf } = this.#ends;
    if (crlf === 0 && lf === 0) return undefined;
    return crlf > lf ? '\r\n' : '\n';
  }

  get hasReturns(): boolean {
    this.#hasReturns ??= this.text.includes('\r');
    return this.#hasReturns;
  }

  /** The position of a text that occurs exactly once; also undefined if only a search of the whole text can tell. */
  onlyPlaceOf(sought: string): number | undefined {
    if (this.#length < 2 * this.#pieceSize || sought === '' || sought.length * this.#length > QUICK_PRODUCT)
      return undefined;
    return hasLoneSurrogate(sought) ? undefined : this.#inPieces.onlyPlaceOf(sought);
  }

  /** Applies a splice by rebuilding only the pieces around it. Neither text may contain carriage returns. */
  replace(splice: Splice): void {
    const { start, end, text } = splice;
    const ends = this.#ends;
    const gone = ends === undefined ? 0 : this.lineNumberAt(end) - this.lineNumberAt(start);
    this.#inPieces.replace(splice);
    this.#text = undefined;
    this.#length += text.length - (end - start);
    if (ends !== undefined) ends.lf += newlinesBefore(text, text.length) - gone;
  }

  /** Takes over the text that the splices produced from this one. */
  setText(text: string, splices: Splices): void {
    const [splice] = splices;
    const before = this.text;
    this.#text = text;
    this.#length = text.length;
    this.#hasReturns = undefined;
    if (splices.length !== 1 || splice === undefined || splice.text.length > LONGEST_PUT) {
      this.#pieces = undefined;
      this.#ends = undefined;
      return;
    }
    this.#pieces?.replace(splice);
    if (this.#ends !== undefined) this.#ends = endsAfter(this.#ends, before, text, splice);
  }

  get #inPieces(): TextPieces {
    this.#pieces ??= new TextPieces(this.text, this.#pieceSize);
    return this.#pieces;
  }
}

/** Includes the character after the splice: a newline there may have gained or lost its carriage return. */
function endsAfter(ends: LineEnds, before: string, after: string, { start, end, text }: Splice): LineEnds {
  const gone = lineEndsIn(before, start, end + 1);
  const come = lineEndsIn(after, start, start + text.length + 1);
  return { crlf: ends.crlf + come.crlf - gone.crlf, lf: ends.lf + come.lf - gone.lf };
}

/** Counts the line ends whose newline is between two positions. */
function lineEndsIn(text: string, from: number, to: number): LineEnds {
  const ends = { crlf: 0, lf: 0 };
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) {
    if (at > 0 && text.charCodeAt(at - 1) === 13) ends.crlf++;
    else ends.lf++;
  }
  return ends;
}
