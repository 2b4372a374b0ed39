/**
 * Replaces, removes and adds whole lines of a text. All other lines keep their bytes, and new lines get the line ending
 * of the text. A text with a final newline keeps it, and a text without one gets none.
 */

import { endingAt, lineCount, type TextLines } from '../diff/text-lines.ts';
import { type LineEnding, lineEndingOf, withoutLastEnding } from '../line-endings.ts';

/** Replaces `remove` lines with the lines of `insert`, from line `at` on (counted from 0). */
export interface LineSplice {
  at: number;
  remove: number;
  insert: readonly string[];
}

/** The lines of a text that a client sent, without their line ends. */
export function sentLines(text: string): string[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  if (lines.length > 1 && lines.at(-1) === '') lines.pop();
  return lines;
}

/** Applies splices that are in ascending order and do not overlap. `otherwise` is for a text without line ends. */
export function spliceLines(
  lines: TextLines,
  splices: readonly LineSplice[],
  otherwise: LineEnding = '\n',
): string {
  const { text, starts } = lines;
  const ending = lineEndingOf(text) ?? otherwise;
  const parts: string[] = [];
  let done = 0;
  const keepUntil = (line: number) => {
    if (line > done) parts.push(text.slice(starts[done], starts[line]));
    done = line;
  };
  for (const { at, remove, insert } of splices) {
    keepUntil(at);
    if (insert.length > 0 && parts.at(-1)?.endsWith('\n') === false) parts.push(ending);
    for (const [index, line] of insert.entries()) {
      // In a text with both kinds of line ends, a line takes the line end of the one that it replaces.
      parts.push(line, (remove > 0 && endingAt(lines, at + Math.min(index, remove - 1))) || ending);
    }
    done = at + remove;
  }
  keepUntil(lineCount(lines));
  const result = parts.join('');
  return text.endsWith('\n') ? result : withoutLastEnding(result);
}
