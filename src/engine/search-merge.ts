/** Results of several searches as if there had been one: in one order, each file once, under one cap. */
import { byBytes } from './files/order.ts';
import type { FileMatches, GrepQuery, GrepResult } from './search/query.ts';

export function merged(
  results: readonly GrepResult[],
  query: Pick<GrepQuery, 'maxMatches' | 'contextLines'>,
): GrepResult {
  const most = query.maxMatches;
  const files = new Map<string, FileMatches>();
  for (const file of results.flatMap((result) => result.files)) {
    if (!files.has(file.path)) files.set(file.path, file);
  }
  const kept: FileMatches[] = [];
  let matches = 0;
  let truncated = results.some((result) => result.truncated);
  for (const file of [...files.values()].sort((a, b) => byBytes(a.path, b.path))) {
    const count = file.lines.filter((line) => line.match).length;
    const left = most - matches;
    if (count > left) truncated = true;
    if (left === 0) break;
    kept.push(count > left ? firstMatches(file, left, query.contextLines ?? 0) : file);
    matches += Math.min(count, left);
  }
  const last = truncated ? kept.at(-1)?.path : undefined;
  const counts = (path: string) => last === undefined || byBytes(path, last) <= 0;
  const unreadable = [...new Set(results.flatMap((result) => result.unreadable))].filter(counts);
  const longLines = mostOfEach(results.map((result) => result.longLines)).filter(counts);
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

/** A path for each long line: lists that hold the same file tell of the same lines. */
function mostOfEach(lists: readonly (readonly string[])[]): string[] {
  const most = new Map<string, readonly string[]>();
  for (const list of lists) {
    for (const path of new Set(list)) {
      const here = list.filter((other) => other === path);
      if (here.length > (most.get(path)?.length ?? 0)) most.set(path, here);
    }
  }
  return [...most.values()].flat();
}

/** The first matches with the context of the last of them; further matches in that context become context. */
function firstMatches({ path, lines }: FileMatches, count: number, contextLines: number): FileMatches {
  let seen = 0;
  const last = lines.find((line) => line.match && ++seen === count)!.number;
  const kept = lines.filter((line) => line.number <= last + contextLines);
  return { path, lines: kept.map((line) => (line.number > last ? { ...line, match: false } : line)) };
}
