/** Writes matching lines as grep prints them: `path:line:text`, and `path-line-text` for context. */
import {
  blocksOf,
  type FileMatches,
  type FoundLine,
  type GrepResult,
  ITEMS_PER_CHECK,
  joinedInTurns,
  mapInTurns,
  Yielder,
} from '../../../engine/index.ts';
import { jsonTextBytes } from '../../../json/json-size.ts';
import { onOneLine } from '../../results/one-line.ts';
import { countThatFits } from '../../results/result-size.ts';
import { unreadableNote } from './search-scope.ts';

interface OutputLine {
  text: string;
  isMatch: boolean;
}

/** `outside` counts the paths that were skipped because they lead outside. */
export async function grepOutput(
  result: GrepResult,
  outside: number,
  { contextLines, maxResults }: { contextLines: number; maxResults: number },
): Promise<string> {
  const lines = await (contextLines > 0 ? inGroups(result.files) : withoutContext(result.files));
  const shown = lines.slice(0, await linesUpToAMatch(lines));
  const all = shown.length === lines.length;
  const text = await textOf(shown);
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

async function textOf(lines: readonly OutputLine[]): Promise<string> {
  const yielder = new Yielder(undefined);
  return joinedInTurns(await mapInTurns(lines, yielder, ({ text }) => text), '\n', yielder);
}

/** How many lines fit, from the first on. If not all of them do, the last one is a match. */
async function linesUpToAMatch(lines: readonly OutputLine[]): Promise<number> {
  let count = await countThatFits(lines, ({ text }) => jsonTextBytes(text));
  if (count < lines.length) while (count > 0 && !lines[count - 1]!.isMatch) count--;
  return count;
}

async function withoutContext(files: readonly FileMatches[]): Promise<OutputLine[]> {
  const yielder = new Yielder(undefined);
  const lines: OutputLine[] = [];
  for (const file of files) {
    const path = onOneLine(file.path);
    for (const line of file.lines) {
      lines.push(outputLine(path, line));
      if (lines.length % ITEMS_PER_CHECK === 0) await yielder.pause();
    }
  }
  return lines;
}

/** A match and its context form a group. A `--` line separates two groups. */
async function inGroups(files: readonly FileMatches[]): Promise<OutputLine[]> {
  const yielder = new Yielder(undefined);
  const lines: OutputLine[] = [];
  for (const file of files) {
    const path = onOneLine(file.path);
    for (const block of blocksOf(file)) {
      if (yielder.isDue) await yielder.pause();
      if (lines.length > 0) lines.push({ text: '--', isMatch: false });
      for (const line of block) lines.push(outputLine(path, line));
    }
  }
  return lines;
}

function outputLine(path: string, { number, text, match }: FoundLine): OutputLine {
  return { text: match ? `${path}:${number}:${text}` : `${path}-${number}-${text}`, isMatch: match };
}
