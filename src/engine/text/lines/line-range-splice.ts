/** Turns a replacement of whole lines into a splice of characters. */
import { endingAt, lineCount, type TextLines } from '../diff/text-lines.ts';
import type { Splice } from '../edit/splice.ts';
import { lineEndingOf } from '../line-endings.ts';
import { sentLines } from './line-splice.ts';

/** Lines counted from 0, the end exclusive; if both are the same, the new lines go before that line. */
export interface LinesToReplace {
  from: number;
  to: number;
}

/**
 * The splice does not include the line end of the last line, so that it touches no other line. A text with a final
 * newline keeps it, and a text without one gets none.
 */
export function lineRangeSplice(lines: TextLines, { from, to }: LinesToReplace, newText: string): Splice {
  const { text, starts } = lines;
  const newLines = newText === '' ? [] : sentLines(newText);
  const ending = lineEndingOf(text) ?? lineEndingOf(newText) ?? '\n';
  const start = starts[from]!;
  if (text === '') return { start, end: start, text: newText };
  if (from === to) return { start, end: start, text: inserted(newLines, ending, isOpen(lines, from)) };
  const end = starts[to]!;
  if (newLines.length > 0) {
    // In a text with both kinds of line ends, each line takes the line end of the one that it replaces.
    const joined = newLines.map((line, index) => {
      if (index === newLines.length - 1) return line;
      return line + (endingAt(lines, Math.min(from + index, to - 1)) ?? ending);
    });
    return { start, end: end - (endingAt(lines, to - 1)?.length ?? 0), text: joined.join('') };
  }
  // If a text without a final newline loses its last line, it loses the line end before that, too.
  const before = from > 0 && isOpen(lines, to) ? (endingAt(lines, from - 1)?.length ?? 0) : 0;
  return { start: start - before, end, text: '' };
}

/** Whether a line is the end of a text without a final newline. */
function isOpen(lines: TextLines, line: number): boolean {
  return line === lineCount(lines) && !lines.text.endsWith('\n');
}

function inserted(newLines: readonly string[], ending: string, isAtOpenEnd: boolean): string {
  return newLines.map((line) => (isAtOpenEnd ? ending + line : line + ending)).join('');
}
