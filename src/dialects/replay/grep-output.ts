/** Matching lines the way grep prints them: `path:line:text`, and `path-line-text` for context. */
import { blocksOf, type FileMatches, type FoundLine, type GrepResult } from '../../engine/index.ts';
import { jsonBytes } from '../../json/json-size.ts';
import { onOneLine } from '../one-line.ts';
import { countThatFits, textFits } from '../result-size.ts';
import { unreadableNote } from './search-scope.ts';

interface OutputLine {
  text: string;
  isMatch: boolean;
}

/** `outside` counts the paths that were skipped because they lead outside. */
export function grepOutput(
  result: GrepResult,
  outside: number,
  { contextLines, maxResults }: { contextLines: number; maxResults: number },
): string {
  const lines = contextLines > 0 ? inGroups(result.files) : withoutContext(result.files);
  const whole = textOf(lines);
  const shown = textFits(whole) ? lines : lines.slice(0, linesUpToAMatch(lines));
  const all = shown.length === lines.length;
  const text = all ? whole : textOf(shown);
  const matches = all ? result.matches : shown.filter(({ isMatch }) => isMatch).length;
  const why = matches < maxResults ? ', too long for one answer' : '';
  return [
    ...(result.truncated || !all ? [`[truncated: the first ${matches} matches; there are more${why}]`] : []),
    ...(text === '' ? [] : [text]),
    `[${matches} matches]`,
    ...(outside > 0 ? [`[${outside} path(s) skipped: outside the allowed directories]`] : []),
    ...(result.skippedLongLines > 0
      ? [`[${result.skippedLongLines} line(s) too long to search skipped]`]
      : []),
    ...unreadableNote(result.skippedUnreadable),
  ].join('\n');
}

function textOf(lines: readonly OutputLine[]): string {
  return lines.map(({ text }) => text).join('\n');
}

/** How many of the first lines fit, the last of them a match. */
function linesUpToAMatch(lines: readonly OutputLine[]): number {
  let count = countThatFits(lines, ({ text }) => jsonBytes(text));
  while (count > 0 && !lines[count - 1]!.isMatch) count--;
  return count;
}

function withoutContext(files: readonly FileMatches[]): OutputLine[] {
  const lines: OutputLine[] = [];
  for (const file of files) {
    const path = onOneLine(file.path);
    for (const line of file.lines) lines.push(outputLine(path, line));
  }
  return lines;
}

/** A match and its context form a group; a line of its own stands between two groups. */
function inGroups(files: readonly FileMatches[]): OutputLine[] {
  const lines: OutputLine[] = [];
  for (const file of files) {
    const path = onOneLine(file.path);
    for (const block of blocksOf(file)) {
      if (lines.length > 0) lines.push({ text: '--', isMatch: false });
      for (const line of block) lines.push(outputLine(path, line));
    }
  }
  return lines;
}

function outputLine(path: string, { number, text, match }: FoundLine): OutputLine {
  return { text: match ? `${path}:${number}:${text}` : `${path}-${number}-${text}`, isMatch: match };
}
