/** Merges the results of all threads in one order and caps them at the same place, whichever thread was first. */
import { rawOf, textOf } from '../../confine/scan/raw-names.ts';
import { ITEMS_PER_CHECK, mapInTurns, mergedInTurns, splitInTurns, type Yielder } from '../../event-loop.ts';
import type { Plan } from '../plan/plan.ts';
import type { FileMatches, GrepQuery, GrepResult, WalkEntry } from '../query.ts';
import type { FirstByPath } from '../queue/first-by-path.ts';
import type { ExtensionStatistics, FoundFile, PackedEntries, ThreadResult } from '../workers/jobs.ts';
import { capFile, type ResultCap } from './cap-file.ts';

export interface GrepFindings {
  /** It holds one match more than the cap allows, to show whether there are more. */
  found: FirstByPath<FoundFile>;
  threadResults: readonly ThreadResult[];
  cap: ResultCap;
  contextLines: number;
  countAll: boolean;
  summary: GrepQuery['summary'];
  plan: Plan;
}

export function grepResult(findings: GrepFindings): GrepResult {
  const { threadResults, countAll, plan } = findings;
  const { files, truncated, last } = findings.summary ? summarized(findings) : shown(findings);
  const matches = files.reduce((total, file) => total + file.matches, 0);
  // How much threads have read beyond the cap depends on their speed: leave that out.
  const isBeforeCap = (path: string) => !truncated || countAll || last === undefined || path <= last;
  const unreadable = threadResults.flatMap((result) => result.unreadable.filter(isBeforeCap)).map(textOf);
  const longLines = threadResults.flatMap((result) => result.longLines.filter(isBeforeCap)).map(textOf);
  return {
    files,
    matches,
    totalMatches: countAll ? sum(threadResults, (result) => result.matches) : matches,
    truncated,
    filesSearched: sum(threadResults, (result) => result.files),
    unreadable,
    skippedUnreadable: unreadable.length,
    longLines,
    skippedLongLines: longLines.length,
    plan,
  };
}

interface CappedFiles {
  files: FileMatches[];
  truncated: boolean;
  /** The raw path of the last file. */
  last: string | undefined;
}

function shown({ found, cap, contextLines }: GrepFindings): CappedFiles {
  const left = { ...cap };
  const files: FileMatches[] = [];
  let truncated = false;
  let last: string | undefined;
  for (const { path, item } of found.items()) {
    const capped = capFile(path, item.lines, left, contextLines);
    if (capped.matches < item.matches) truncated = true;
    if (capped.matches === 0) break;
    files.push({ path: textOf(path), lines: capped.lines, matches: capped.matches });
    left.matches -= capped.matches;
    left.characters -= capped.characters;
    last = path;
    if (truncated) break;
  }
  return { files, truncated, last };
}

/** Files with their counts. Here the cap counts files. */
function summarized({ found, cap }: GrepFindings): CappedFiles {
  const items = found.items();
  const kept = items.slice(0, cap.matches);
  const files = kept.map(({ path, item }) => ({ path: textOf(path), lines: [], matches: item.matches }));
  return { files, truncated: items.length > kept.length, last: kept.at(-1)?.path };
}

const TYPES: Record<string, WalkEntry['type']> = { f: 'file', d: 'directory', l: 'symlink', s: 'special' };

/** The entries of all threads in one order. Those of each thread are already sorted. */
export async function mergedEntries(
  threadResults: readonly ThreadResult[],
  limit: number,
  yielder: Yielder,
): Promise<WalkEntry[]> {
  let merged: WalkEntry[] = [];
  for (const { entries } of threadResults) {
    if (!entries) continue;
    const list = await unpack(entries, yielder);
    merged = merged.length === 0 ? list : await mergedInTurns(merged, list, yielder, byPath, limit);
  }
  const kept = merged.length > limit ? merged.slice(0, limit) : merged;
  // Changes the entries in place: there may be very many, and no one else has them yet.
  for (let index = 0; index < kept.length; index++) {
    if (index % ITEMS_PER_CHECK === 0 && yielder.isDue) await yielder.pause();
    nameAsText(kept[index]!);
  }
  return kept;
}

/** The paths stay raw until the entries are in order. */
async function unpack({ paths, types, facts }: PackedEntries, yielder: Yielder): Promise<WalkEntry[]> {
  if (types === '') return [];
  return mapInTurns(await splitInTurns(paths, '\0', yielder), yielder, (path, index) => {
    const type = TYPES[types[index]!]!;
    const size = facts?.[index * 2] ?? Number.NaN;
    return Number.isNaN(size) ? { path, type } : { path, type, size, modifiedMs: facts![index * 2 + 1]! };
  });
}

function nameAsText(entry: WalkEntry): void {
  const { path } = entry;
  const name = textOf(path);
  if (name === path) return;
  entry.path = name;
  if (rawOf(name) !== path) entry.unnameable = true;
}

function byPath(a: WalkEntry, b: WalkEntry): number {
  return a.path <= b.path ? -1 : 1;
}

export function mergedStatistics(threadResults: readonly ThreadResult[]): Map<string, ExtensionStatistics> {
  const merged = new Map<string, ExtensionStatistics>();
  for (const { statistics } of threadResults) {
    for (const [extension, { files, bytes }] of statistics ?? []) {
      const known = merged.get(extension) ?? { files: 0, bytes: 0 };
      merged.set(extension, { files: known.files + files, bytes: known.bytes + bytes });
    }
  }
  return merged;
}

export function sum(threadResults: readonly ThreadResult[], of: (result: ThreadResult) => number): number {
  return threadResults.reduce((total, result) => total + of(result), 0);
}

/** The unreadable entries up to the path `last`, or all of them if it is undefined. */
export function unreadableBefore(threadResults: readonly ThreadResult[], last: string | undefined): string[] {
  const found = threadResults.flatMap(({ unreadable }) => unreadable);
  return found.filter((path) => last === undefined || path <= last).map(textOf);
}
