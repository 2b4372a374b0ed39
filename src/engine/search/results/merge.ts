/** Merges the results of several searches: in one order, each file once, under one cap. */

import { limits } from '../../limits.ts';
import { byBytes } from '../../text/byte-order.ts';
import { charactersOf, type FileMatches, type GrepQuery, type GrepResult } from '../query.ts';
import { capFile } from './cap-file.ts';

export function mergeResults(
  results: readonly GrepResult[],
  query: Pick<GrepQuery, 'maxMatches' | 'contextLines' | 'maxCharacters'>,
): GrepResult {
  const { maxMatches, maxCharacters = limits.foundCharacters, contextLines = 0 } = query;
  const left = { matches: maxMatches, characters: maxCharacters };
  const files = new Map<string, FileMatches>();
  for (const file of results.flatMap((result) => result.files)) {
    if (!files.has(file.path)) files.set(file.path, file);
  }
  const kept: FileMatches[] = [];
  let truncated = results.some((result) => result.truncated);
  for (const file of [...files.values()].sort((a, b) => byBytes(a.path, b.path))) {
    const { lines, matches, characters } = capFile(file.path, file.lines, left, contextLines);
    if (matches < file.lines.filter((line) => line.match).length) truncated = true;
    if (matches === 0) break;
    kept.push({ path: file.path, lines, matches });
    left.matches -= matches;
    left.characters -= characters;
  }
  const matches = maxMatches - left.matches;
  const last = truncated ? kept.at(-1)?.path : undefined;
  const isBeforeCap = (path: string) => last === undefined || byBytes(path, last) <= 0;
  const unreadable = [...new Set(results.flatMap((result) => result.unreadable))].filter(isBeforeCap);
  const longLines = mergeLongLines(results.map((result) => result.longLines)).filter(isBeforeCap);
  const total = (of: (result: GrepResult) => number) => results.reduce((sum, result) => sum + of(result), 0);
  return {
    files: kept,
    matches,
    totalMatches: Math.max(matches, ...results.map((result) => result.totalMatches)),
    truncated,
    filesSearched: total((result) => result.filesSearched),
    unreadable,
    skippedUnreadable: unreadable.length,
    longLines,
    skippedLongLines: longLines.length,
    plan: results[0]?.plan ?? { plan: 'workers', why: 'nothing was searched' },
  };
}

/** About how many characters the result takes in an answer. */
export function charactersOfResult({ files }: GrepResult): number {
  return files.reduce((sum, { path, lines }) => sum + charactersOf(path, lines), 0);
}

/** Each list has one path for each long line. If two lists name the same file, they mean the same lines. */
function mergeLongLines(lists: readonly (readonly string[])[]): string[] {
  const most = new Map<string, readonly string[]>();
  for (const list of lists) {
    for (const path of new Set(list)) {
      const here = list.filter((other) => other === path);
      if (here.length > (most.get(path)?.length ?? 0)) most.set(path, here);
    }
  }
  return [...most.values()].flat();
}
