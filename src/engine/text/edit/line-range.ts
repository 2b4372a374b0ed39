/** Finds a range of lines in a text. */
import { fail } from '../../failures.ts';
import { lineAfter } from '../diff/text-lines.ts';
import { countLines } from '../encoding.ts';

/** Lines counted from 1, both included. A `to` beyond the text means its last line. */
export interface LineRange {
  from: number;
  to: number;
}

/** The positions from the start of the first line to the end of the last one, without its line end. */
export function offsetsOfLines(text: string, { from, to }: LineRange, path: string) {
  const lines = countLines(text);
  if (from > lines) fail({ kind: 'line-out-of-range', path, line: from, lines });
  let start = 0;
  for (let line = 1; line < from; line++) start = lineAfter(text, start);
  let end = start;
  for (let line = from; line <= Math.min(to, lines); line++) end = lineAfter(text, end);
  if (text[end - 1] === '\n') end -= text[end - 2] === '\r' && end - 2 >= start ? 2 : 1;
  return { start, end: Math.max(start, end) };
}
