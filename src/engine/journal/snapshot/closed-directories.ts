/**
 * Directories that their owner may not list or enter: what is in them is not known, be it before or after a command.
 * What a command only gives or takes the permission to see is neither made nor removed by it.
 */
import { dirname } from 'node:path';
import { isWithinAny, type Root } from '../../confine/roots.ts';
import type { EntryStat } from '../../confine/scan/packed-entries.ts';
import { limits } from '../../limits.ts';
import type { Entries } from './snapshot.ts';

const LIST_AND_ENTER = 0o500;

/** Modes do not bind root. */
export function isClosed({ type, mode }: Pick<EntryStat, 'type' | 'mode'>): boolean {
  return type === 'directory' && (mode & LIST_AND_ENTER) !== LIST_AND_ENTER && process.getuid?.() !== 0;
}

/** Why there is no snapshot of these directories, when there is none. */
export function whyUnseen(roots: readonly Root[]): string {
  const closed = roots.find(({ dir }) => isClosed(dir.stat()));
  const why = closed
    ? `${closed.given} cannot be listed`
    : `there are more than ${limits.watchedEntries} entries here`;
  return `not recorded: ${why}, so what a command changes is not looked for and cannot be undone`;
}

/** Drops what is in directories that were closed before or are closed after, also where they were moved meanwhile; returns those. */
export function dropClosed(before: Entries, after: Entries): string[] {
  const closed = new Set<string>();
  for (const entries of [before, after]) {
    for (const { stat } of entries.values()) if (isClosed(stat)) closed.add(identityOf(stat));
  }
  if (closed.size === 0) return [];
  const paths = new Set<string>();
  for (const entries of [before, after]) {
    for (const [path, { stat }] of entries) if (closed.has(identityOf(stat))) paths.add(path);
  }
  for (const entries of [before, after]) {
    for (const path of entries.keys()) if (isWithinAny(dirname(path), paths)) entries.delete(path);
  }
  return [...paths].filter((path) => before.has(path));
}

function identityOf({ dev, ino }: EntryStat): string {
  return `${dev}:${ino}`;
}
