/** Puts together what the threads found: in order, cut at the same place whichever thread was first. */
import { textOf } from '../confine/raw-names.ts';
import type { FirstByPath } from './first.ts';
import type { Account, ExtensionStatistics, FoundFile, PackedEntries } from './jobs.ts';
import type { Plan } from './plan.ts';
import type { FileMatches, FoundLine, GrepResult, WalkEntry } from './query.ts';

export interface GrepFindings {
  /** Of which one match more is wanted than is shown, to know whether there are more. */
  found: FirstByPath<FoundFile>;
  accounts: readonly Account[];
  maxMatches: number;
  contextLines: number;
  countAll: boolean;
  plan: Plan;
}

export function grepResult(findings: GrepFindings): GrepResult {
  const { found, accounts, maxMatches, contextLines, countAll, plan } = findings;
  const files: FileMatches[] = [];
  let matches = 0;
  let truncated = false;
  let last: string | undefined;
  for (const { path, item } of found.items()) {
    const left = maxMatches - matches;
    if (left < item.matches) truncated = true;
    if (left === 0) break;
    matches += Math.min(left, item.matches);
    files.push({
      path: textOf(path),
      lines: left < item.matches ? cutLines(item.lines, left, contextLines) : item.lines,
    });
    last = path;
  }
  // Behind the cut it depends on the threads what was looked at.
  const counts = (path: string) => !truncated || countAll || last === undefined || path <= last;
  const unreadable = accounts.flatMap((account) => account.unreadable.filter(counts)).map(textOf);
  const longLines = accounts.flatMap((account) => account.longLines.filter(counts)).map(textOf);
  return {
    files,
    matches,
    totalMatches: countAll ? sum(accounts, (account) => account.matches) : matches,
    truncated,
    filesSearched: sum(accounts, (account) => account.files),
    unreadable,
    skippedUnreadable: unreadable.length,
    longLines,
    skippedLongLines: longLines.length,
    plan,
  };
}

/** The first `count` matches with the context of the last of them; matches in that context become context. */
function cutLines(lines: readonly FoundLine[], count: number, contextLines: number): FoundLine[] {
  const kept: FoundLine[] = [];
  let left = count;
  let end = Number.POSITIVE_INFINITY;
  for (const line of lines) {
    if (line.number > end) break;
    kept.push(left > 0 || !line.match ? line : { ...line, match: false });
    if (line.match && --left === 0) end = line.number + contextLines;
  }
  return kept;
}

const TYPES: Record<string, WalkEntry['type']> = { f: 'file', d: 'directory', l: 'symlink', s: 'special' };

interface RawEntry {
  path: string;
  type: WalkEntry['type'];
  size: number;
  modifiedMs: number;
}

/** The entries of all threads in one order; each thread's own are sorted already. */
export function mergedEntries(accounts: readonly Account[], limit: number): WalkEntry[] {
  const lists = accounts.flatMap(({ entries }) => (entries ? [unpacked(entries)] : []));
  let merged: RawEntry[] = [];
  for (const list of lists) merged = merged.length === 0 ? list : merge(merged, list, limit);
  return merged.slice(0, limit).map(({ path, type, size, modifiedMs }) => ({
    path: textOf(path),
    type,
    ...(Number.isNaN(size) ? {} : { size, modifiedMs }),
  }));
}

function unpacked({ paths, types, facts }: PackedEntries): RawEntry[] {
  if (types === '') return [];
  return paths.split('\0').map((path, index) => ({
    path,
    type: TYPES[types[index]!]!,
    size: facts ? facts[index * 2]! : Number.NaN,
    modifiedMs: facts ? facts[index * 2 + 1]! : Number.NaN,
  }));
}

function merge(a: readonly RawEntry[], b: readonly RawEntry[], limit: number): RawEntry[] {
  const merged: RawEntry[] = [];
  let i = 0;
  let j = 0;
  while (merged.length < limit && (i < a.length || j < b.length)) {
    const takeFirst = j >= b.length || (i < a.length && a[i]!.path <= b[j]!.path);
    merged.push(takeFirst ? a[i++]! : b[j++]!);
  }
  return merged;
}

export function mergedStatistics(accounts: readonly Account[]): Map<string, ExtensionStatistics> {
  const merged = new Map<string, ExtensionStatistics>();
  for (const { statistics } of accounts) {
    for (const [extension, { files, bytes }] of statistics ?? []) {
      const known = merged.get(extension) ?? { files: 0, bytes: 0 };
      merged.set(extension, { files: known.files + files, bytes: known.bytes + bytes });
    }
  }
  return merged;
}

export function sum(accounts: readonly Account[], of: (account: Account) => number): number {
  return accounts.reduce((total, account) => total + of(account), 0);
}

/** Unreadable entries that come before the cut, if there is one. */
export function unreadableBefore(accounts: readonly Account[], last: string | undefined): number {
  return sum(
    accounts,
    ({ unreadable }) => unreadable.filter((path) => last === undefined || path <= last).length,
  );
}
