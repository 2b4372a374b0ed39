/**
 * Splits texts into lines without making a string of each.
 *
 * A line includes the `\n` that ends it: a last line without a newline differs from the same line with one.
 */

export interface TextLines {
  text: string;
  /** Where each line begins, and where the last one ends. */
  starts: Int32Array;
}

export function lineCount(lines: TextLines): number {
  return lines.starts.length - 1;
}

/** A line with its newline. */
export function lineAt({ text, starts }: TextLines, line: number): string {
  return text.slice(starts[line], starts[line + 1]);
}

/** A line without its line end. */
export function contentAt(lines: TextLines, line: number): string {
  return lineAt(lines, line).replace(/\r?\n$/, '');
}

/** The line ending of a line; undefined for a last line without one. */
export function endingAt({ text, starts }: TextLines, line: number): '\n' | '\r\n' | undefined {
  const end = starts[line + 1]!;
  if (text[end - 1] !== '\n') return undefined;
  return end - 2 >= starts[line]! && text[end - 2] === '\r' ? '\r\n' : '\n';
}

/** The lines between two positions, each of which is the start of a line or the end of the text. */
export function linesBetween(text: string, from: number, to: number): TextLines {
  const starts: number[] = [];
  let at = from;
  while (at < to) {
    starts.push(at);
    at = lineAfter(text, at);
  }
  starts.push(at);
  return { text, starts: Int32Array.from(starts) };
}

/** The position after the next newline, or the end of the text. */
export function lineAfter(text: string, from: number): number {
  const newline = text.indexOf('\n', from);
  return newline < 0 ? text.length : newline + 1;
}

export function newlinesBefore(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
