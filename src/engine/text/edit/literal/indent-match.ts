/**
 * Finds a block of lines, ignoring its indentation: removes the common leading whitespace from both sides before it
 * compares the lines, and gives the replacement the indentation of the file.
 */
import { linearSearch } from './linear-search.ts';

export interface IndentMatch {
  /** Position of the first character of the block's first line. */
  start: number;
  /** Position after the block; after its final newline if the search text ends with one. */
  end: number;
  line: number;
  /** The indentation that all lines of the block share, and the one that all lines of the search text share. */
  indent: string;
  wantedIndent: string;
}

interface Block {
  lines: string[];
  endsLine: boolean;
}

/** A line that is not blank. */
interface IndentedLine {
  /** Its index among all lines, blank ones included. */
  at: number;
  indent: string;
  content: string;
  /** How it differs from the row before: the distance in lines, and both indentations without their common start. */
  step: string;
}

/**
 * Two blocks match if their first rows have the same content and every further row has the same content and the same
 * step: then all of their lines differ by the same indentation. Comparing steps instead of whole blocks keeps this
 * linear, even in a repetitive file.
 */
export function findIndentMatches(text: string, wanted: string): IndentMatch[] {
  const block = toBlock(wanted);
  const needle = toRows(block.lines);
  const [head] = needle;
  if (head === undefined) return [];
  const wantedIndent = commonIndentOf(needle);
  const headIndent = head.indent.slice(wantedIndent.length);
  const lines = toBlock(text).lines;
  const rows = toRows(lines);
  const starts = lineStarts(lines);
  const matches: IndentMatch[] = [];
  for (const first of followedBy(rows, needle.slice(1))) {
    const row = rows[first]!;
    if (row.content !== head.content || !row.indent.endsWith(headIndent)) continue;
    const from = row.at - head.at;
    const last = from + block.lines.length - 1;
    if (from <= (rows[first - 1]?.at ?? -1)) continue;
    if (last >= (rows[first + needle.length]?.at ?? lines.length)) continue;
    const contentEnd = starts[last]! + lines[last]!.length;
    const end = block.endsLine && contentEnd < text.length ? contentEnd + 1 : contentEnd;
    const indent = row.indent.slice(0, row.indent.length - headIndent.length);
    matches.push({ start: starts[from]!, end, line: from + 1, indent, wantedIndent });
  }
  return matches;
}

/** Gives the replacement the indentation of the matched block instead of that of the search text. */
export function reindent(replacement: string, wanted: string, match: IndentMatch, text: string): string {
  const lines = replacement.split('\n');
  const taken = lines.filter((line) => !isBlankLine(line)).reduce(commonPrefix, match.wantedIndent);
  const shifted = lines.map((line) => (isBlankLine(line) ? '' : match.indent + line.slice(taken.length)));
  const result = shifted.join('\n');
  const fileLacksFinalNewline = match.end === text.length && !text.endsWith('\n');
  return fileLacksFinalNewline && wanted.endsWith('\n') ? result.replace(/\n$/, '') : result;
}

/** The indexes of the rows after which `rest` follows, compared by content and step. */
function followedBy(rows: readonly IndentedLine[], rest: readonly IndentedLine[]): number[] {
  if (rest.length === 0) return rows.map((_, index) => index);
  const known = new Map<string, number>();
  const numbered = ({ step, content }: IndentedLine): number => {
    const key = `${step}\n${content}`;
    const number = known.get(key) ?? known.size;
    known.set(key, number);
    return number;
  };
  return linearSearch(rows.slice(1).map(numbered), rest.map(numbered), true);
}

function toRows(lines: readonly string[]): IndentedLine[] {
  const rows: IndentedLine[] = [];
  let before: IndentedLine | undefined;
  for (const [at, line] of lines.entries()) {
    if (isBlankLine(line)) continue;
    const indent = indentOf(line);
    const step = before === undefined ? '' : stepBetween(before, at, indent);
    before = { at, indent, content: line.slice(indent.length), step };
    rows.push(before);
  }
  return rows;
}

function stepBetween(before: IndentedLine, at: number, indent: string): string {
  const shared = commonPrefix(before.indent, indent).length;
  return `${at - before.at}:${before.indent.slice(shared)}:${indent.slice(shared)}`;
}

function commonIndentOf(rows: readonly IndentedLine[]): string {
  return commonIndent(rows.map(({ indent }) => indent));
}

/** The longest common prefix of the indentations. */
export function commonIndent(indents: readonly string[]): string {
  return indents.reduce(commonPrefix, indents[0] ?? '');
}

export function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)![0];
}

function toBlock(text: string): Block {
  const lines = text.split('\n');
  const endsLine = lines.length > 1 && lines.at(-1) === '';
  if (endsLine) lines.pop();
  return { lines, endsLine };
}

function lineStarts(lines: readonly string[]): number[] {
  const starts: number[] = [];
  let at = 0;
  for (const line of lines) {
    starts.push(at);
    at += line.length + 1;
  }
  return starts;
}

function commonPrefix(a: string, b: string): string {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return a.slice(0, length);
}

export function isBlankLine(line: string): boolean {
  return /^[ \t]*$/.test(line);
}
