/** Finds the part of a text that fits into a number of bytes: whole lines, or a piece of a line that is longer. */
import { lineAfter } from '../diff/text-lines.ts';

export interface LineSpan {
  /** The first line, counted from 1. */
  from: number;
  /** The character of that line to start with, counted from 1. */
  column: number;
  /** The most lines to return. */
  lines: number;
  maxBytes: number;
}

export interface LinesOfText {
  /** The lines with their line ends. */
  text: string;
  /** The first line, and the last one; `from - 1` when there is none. */
  from: number;
  to: number;
  /** The character of its first line with which the text begins. */
  column: number;
  /** Set if the text ends within its last line: the character where the line continues, and the line's length. */
  continuesAt?: { column: number; length: number };
  /** The whole first line without its line end, if the text begins or ends within it. */
  firstLine?: string;
}

/** `first` is the number of the text's first line. Does not scan the text after the part, which may be long. */
export function partOfText(text: string, first: number, span: LineSpan): LinesOfText {
  const { from, column, lines, maxBytes } = span;
  const start = lines < 1 ? undefined : startOfLine(text, from - first);
  if (start === undefined) return { text: '', from, to: from - 1, column };
  const firstEnd = lineAfter(text, start);
  const begin = Math.min(start + column - 1, firstEnd);
  let to = from - 1;
  let end = begin;
  for (let room = maxBytes, lineEnd = firstEnd; to < from + lines - 1; lineEnd = lineAfter(text, end)) {
    room -= Buffer.byteLength(text.slice(end, lineEnd));
    if (room < 0) break;
    to++;
    end = lineEnd;
    if (end === text.length) break;
  }
  if (to >= from && column === 1) return { text: text.slice(begin, end), from, to, column };
  const firstLine = withoutLineEnd(text.slice(start, firstEnd));
  if (to >= from) return { text: text.slice(begin, end), from, to, column, firstLine };
  const rest = text.slice(begin, firstEnd);
  const most = firstBytes(rest, maxBytes);
  // Never splits a line end.
  const piece =
    most.length > 1 && most.endsWith('\r') && rest[most.length] === '\n' ? most.slice(0, -1) : most;
  const continuesAt = { column: column + piece.length, length: firstLine.length };
  return { text: piece, from, to: from, column, continuesAt, firstLine };
}

/** The start of the line after `before` others; undefined if the text has no such line. */
function startOfLine(text: string, before: number): number | undefined {
  let start = 0;
  for (let line = 0; line < before && start < text.length; line++) start = lineAfter(text, start);
  return start < text.length ? start : undefined;
}

/** The first whole characters of a text: at most this many bytes of UTF-8, but at least one character. */
function firstBytes(text: string, most: number): string {
  let [low, high] = [0, Math.min(text.length, most)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (Buffer.byteLength(text.slice(0, middle)) <= most) low = middle;
    else high = middle - 1;
  }
  if (isHalf(text, low)) low--;
  if (low === 0) low = isHalf(text, 1) ? 2 : 1;
  return text.slice(0, low);
}

/** Whether a cut there would split a character of two code units. */
function isHalf(text: string, at: number): boolean {
  return at > 0 && at < text.length && (text.codePointAt(at - 1) ?? 0) > 0xffff;
}

export function withoutLineEnd(line: string): string {
  return line.replace(/\r?\n$/, '');
}
