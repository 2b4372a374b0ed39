/** The start of a text, with an ellipsis for the rest; never splits a surrogate pair. */
import { pieceEnd } from '../utf16.ts';

export function truncate(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, pieceEnd(text, 0, length))}…`;
}
