/** Puts together what the threads found: in order, cut at the same place whichever thread was first. */
import { rawOf, textOf } from '../../confine/scan/raw-names.ts';
import { type Breathing, mapInTurns, mergedInTurns } from '../../event-loop.ts';
import type { Plan } from '../plan/plan.ts';
import type { FileMatches, GrepResult, WalkEntry } from '../query.ts';
import type { FirstByPath } from '../queue/first-by-path.ts';
import type { ExtensionStatistics, FoundFile, PackedEntries, ThreadResult } from '../workers/jobs.ts';
import { portionOf, type Room } from './cap-file.ts';

export interface GrepFindings {
  /** Of which one match more is wanted than is shown, to know whether there are more. */
  found: FirstByPath<FoundFile>;
  threadResults: readonly ThreadResult[];
  room: Room;
  contextLines: number;
  countAll: boolean;
  plan: Plan;
}

export function grepResult(findings: GrepFindings): GrepResult {
  const { found, threadResults, contextLines, countAll, plan } = findings;
  const room = { ...findings.room };
  const files: FileMatches[] = [];
  let truncated = false;
  let last: string | undefined;
  for (const { path, item } of found.items()) {
    const portion = portionOf(path, item.lines, room, contextLines);
    if (portion.matches < item.matches) truncated = true;
    if (portion.matches === 0) break;
    files.push({ path: textOf(path), lines: portion.lines });
    room.matches -= portion.matches;
    room.characters -= portion.characters;
    last = path;
    if (truncated) break;
  }
  const matches = findings.room.matches - room.matches;
  // Behind the cut it depends on the threads what was looked at.
  const counts = (path: string) => !truncated || countAll || last === undefined || path <= last;
  const unreadable = threadResults.flatMap((account) => account.unreadable.filter(counts)).map(textOf);
  const longLines = threadResults.flatMap((account) => account.longLines.filter(counts)).map(textOf);
  return {
    files,
    matches,
    totalMatches: countAll ? sum(threadResults, (account) => account.matches) : matches,
    truncated,
    filesSearched: sum(threadResults, (account) => account.files),
    unreadable,
    skippedUnreadable: unreadable.length,
    longLines,
    skippedLongLines: longLines.length,
    plan,
  };
}

const TYPES: Record<string, WalkEntry['type']> = { f: 'file', d: 'directory', l: 'symlink', s: 'special' };

interface RawEntry {
  path: string;
  type: WalkEntry['type'];
  size: number;
  modifiedMs: number;
}

/** The entries of all threads in one order; each thread's own are sorted already. */
export async function mergedEntries(
  threadResults: readonly ThreadResult[],
  limit: number,
  breathing: Breathing,
): Promise<WalkEntry[]> {
  let merged: RawEntry[] = [];
  for (const { entries } of threadResults) {
    if (!entries) continue;
    const list = await unpacked(entries, breathing);
    merged = merged.length === 0 ? list : await mergedInTurns(merged, list, breathing, byPath, limit);
  }
  const kept = merged.length > limit ? merged.slice(0, limit) : merged;
  return mapInTurns(kept, breathing, walkEntry);
}

function walkEntry({ path, type, size, modifiedMs }: RawEntry): WalkEntry {
  const name = textOf(path);
  const entry: WalkEntry = Number.isNaN(size) ? { path: name, type } : { path: name, type, size, modifiedMs };
  if (name !== path && rawOf(name) !== path) entry.unnameable = true;
  return entry;
}

async function unpacked({ paths, types, facts }: PackedEntries, breathing: Breathing): Promise<RawEntry[]> {
  if (types === '') return [];
  await breathing.pause();
  return mapInTurns(paths.split('\0'), breathing, (path, index) => ({
    path,
    type: TYPES[types[index]!]!,
    size: facts ? facts[index * 2]! : Number.NaN,
    modifiedMs: facts ? facts[index * 2 + 1]! : Number.NaN,
  }));
}

function byPath(a: RawEntry, b: RawEntry): number {
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

export function sum(threadResults: readonly ThreadResult[], of: (account: ThreadResult) => number): number {
  return threadResults.reduce((total, account) => total + of(account), 0);
}

/** Unreadable entries that come before the cut, if there is one. */
export function unreadableBefore(threadResults: readonly ThreadResult[], last: string | undefined): string[] {
  const found = threadResults.flatMap(({ unreadable }) => unreadable);
  return found.filter((path) => last === undefined || path <= last).map(textOf);
}
