/** A long text in pieces: a change rebuilds a few of them, not the whole text, and lines are counted for each piece. */
import { newlinesBefore } from '../diff/text-lines.ts';
import type { Splice } from './splice.ts';

export class TextPieces {
  readonly #size: number;
  readonly #pieces: string[];
  /** How many newlines each piece has. */
  readonly #newlines: number[];

  /** Pieces have about `size` characters. */
  constructor(text: string, size: number) {
    this.#size = size;
    this.#pieces = cut(text, size);
    this.#newlines = this.#pieces.map((piece) => newlinesBefore(piece, piece.length));
  }

  get text(): string {
    return this.#pieces.join('');
  }

  /** The position of a text that occurs exactly once, overlapping places included; otherwise undefined. */
  onlyPlaceOf(needle: string): number | undefined {
    let only: number | undefined;
    let offset = 0;
    for (const [index, piece] of this.#pieces.entries()) {
      const seam = this.#seamAfter(index, needle.length - 1);
      const seamStart = piece.length - Math.min(piece.length, needle.length - 1);
      for (const [searched, from] of [
        [piece, 0],
        [seam, seamStart],
      ] as const) {
        for (let at = searched.indexOf(needle); at >= 0; at = searched.indexOf(needle, at + 1)) {
          if (only !== undefined) return undefined;
          only = offset + from + at;
        }
      }
      offset += piece.length;
    }
    return only;
  }

  /** This many characters on either side of the end of a piece. */
  #seamAfter(index: number, characters: number): string {
    if (characters === 0 || index === this.#pieces.length - 1) return '';
    let behind = '';
    for (let next = index + 1; next < this.#pieces.length && behind.length < characters; next++) {
      behind += this.#pieces[next]!.slice(0, characters - behind.length);
    }
    return this.#pieces[index]!.slice(-characters) + behind;
  }

  /** The line of a position, counted from 1. */
  lineNumberAt(position: number): number {
    const { index, offset } = this.#pieceAt(position);
    let line = 1;
    for (let before = 0; before < index; before++) line += this.#newlines[before]!;
    return line + newlinesBefore(this.#pieces[index]!, position - offset);
  }

  replace({ start, end, text }: Splice): void {
    const first = this.#pieceAt(start);
    const last = this.#pieceAt(end);
    const head = this.#pieces[first.index]!.slice(0, start - first.offset);
    const tail = this.#pieces[last.index]!.slice(end - last.offset);
    const made = cut(head + text + tail, 2 * this.#size);
    const counts = made.map((piece) => newlinesBefore(piece, piece.length));
    const replaced = last.index - first.index + 1;
    this.#pieces.splice(first.index, replaced, ...made);
    this.#newlines.splice(first.index, replaced, ...counts);
  }

  /** The piece that contains a position; for the end of the text, the last piece. */
  #pieceAt(position: number): { index: number; offset: number } {
    let offset = 0;
    let index = 0;
    for (; index < this.#pieces.length - 1; index++) {
      const { length } = this.#pieces[index]!;
      if (offset + length > position) break;
      offset += length;
    }
    return { index, offset };
  }
}

/** Returns at least one piece, which may be empty. */
function cut(text: string, size: number): string[] {
  if (text.length <= size) return [text];
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size));
  return pieces;
}
