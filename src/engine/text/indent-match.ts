/**
 * Finds a block of lines whatever its indentation: the common leading whitespace is taken off both sides
 * before the lines are compared, and put back on the replacement.
 */
export interface IndentMatch {
  /** Position of the first character of the block's first line. */
  start: number;
  /** Position behind the block; behind its final newline when the block asked for one. */
  end: number;
  line: number;
  indent: string;
}

interface Block {
  lines: string[];
  endsLine: boolean;
}

export function findIndentMatches(text: string, wanted: string): IndentMatch[] {
  const block = toBlock(wanted);
  if (block.lines.every(isBlank)) return [];
  const needle = dedent(block.lines).lines;
  const lines = toBlock(text).lines;
  const starts = lineStarts(lines);
  const matches: IndentMatch[] = [];
  const anchor = needle.findIndex((line) => line !== '');
  for (let at = 0; at + needle.length <= lines.length; at++) {
    // Cheap first look: the first line with text must agree before the whole window is taken apart.
    if (!lines[at + anchor]!.endsWith(needle[anchor]!)) continue;
    const window = dedent(lines.slice(at, at + needle.length));
    if (window.lines.some((line, i) => line !== needle[i])) continue;
    const last = at + needle.length - 1;
    const contentEnd = starts[last]! + lines[last]!.length;
    const end = block.endsLine && contentEnd < text.length ? contentEnd + 1 : contentEnd;
    matches.push({ start: starts[at]!, end, line: at + 1, indent: window.indent });
  }
  return matches;
}

/** The replacement with the matched block's indentation in place of the one that the search text had. */
export function reindent(replacement: string, wanted: string, match: IndentMatch, text: string): string {
  const wantedIndent = dedent(toBlock(wanted).lines).indent;
  const lines = replacement.split('\n');
  const taken = lines.filter((line) => !isBlank(line)).reduce(commonPrefix, wantedIndent);
  const shifted = lines.map((line) => (isBlank(line) ? '' : match.indent + line.slice(taken.length)));
  const result = shifted.join('\n');
  const fileLacksFinalNewline = match.end === text.length && !text.endsWith('\n');
  return fileLacksFinalNewline && wanted.endsWith('\n') ? result.replace(/\n$/, '') : result;
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

function dedent(lines: readonly string[]): { lines: string[]; indent: string } {
  let indent: string | undefined;
  for (const line of lines) {
    if (isBlank(line)) continue;
    const own = /^[ \t]*/.exec(line)![0];
    indent = indent === undefined ? own : commonPrefix(indent, own);
  }
  const cut = indent?.length ?? 0;
  return { lines: lines.map((line) => (isBlank(line) ? '' : line.slice(cut))), indent: indent ?? '' };
}

function commonPrefix(a: string, b: string): string {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return a.slice(0, length);
}

function isBlank(line: string): boolean {
  return /^[ \t]*$/.test(line);
}
