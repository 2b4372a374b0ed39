/** Adds lines to a text before one of its lines, or at its end. */
import { fail } from '../../failures.ts';
import { lineCount, linesBetween } from '../diff/text-lines.ts';
import { countLines } from '../encoding.ts';
import { lineEndingOf } from '../line-endings.ts';
import { sentLines, spliceLines } from './line-splice.ts';

export interface LineInsertion {
  /** 1 is before the first line, -1 before the last one; 0, or one more than there are lines, is at the end. */
  line: number;
  /** An empty string is an empty line. */
  content: string;
}

export interface LinesInserted {
  text: string;
  /** The number of the first new line. */
  line: number;
  inserted: number;
  /** How many lines the text has now. */
  lines: number;
}

export function insertLines(text: string, { line, content }: LineInsertion, path: string): LinesInserted {
  const old = linesBetween(text, 0, text.length);
  const count = lineCount(old);
  const at = line > 0 ? line - 1 : line === 0 ? count : count + line;
  if (at < 0 || at > count) fail({ kind: 'line-out-of-range', path, line, lines: count });
  const insert = sentLines(content);
  // An empty text does not show how lines end, so the content stays as it was sent.
  const now =
    count === 0 ? content || '\n' : spliceLines(old, [{ at, remove: 0, insert }], lineEndingOf(content));
  return { text: now, line: at + 1, inserted: insert.length, lines: countLines(now) };
}
