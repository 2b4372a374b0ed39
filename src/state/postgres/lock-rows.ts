/**
 * The rows that stand for what is locked, and the statement that locks them.
 *
 * A row is known by the hash of its key, and all rows are locked in the order of these hashes, whatever the mode: two
 * transactions that want the same rows meet at the first of them. An entry is locked for itself, and every directory
 * above it is shared: nobody can remove or move a directory while somebody else changes something in it.
 */
import { createHash } from 'node:crypto';
import type { LockKey } from '../locks.ts';
import type { SharedPaths } from '../state.ts';

type Mode = 'FOR UPDATE' | 'FOR KEY SHARE';

export interface LockRow {
  /** In hex, which sorts as the bytes do. */
  hash: string;
  mode: Mode;
}

/** In the order in which they are locked. */
export function rowsOf(keys: readonly LockKey[], paths: SharedPaths): LockRow[] {
  const modes = new Map<string, Mode>();
  const shared = new Set<string>();
  for (const key of keys) {
    if (typeof key === 'string') {
      modes.set(hashOf(`name ${key}`), 'FOR UPDATE');
      continue;
    }
    const path = paths.toShared(key.path);
    modes.set(hashOf(`path ${path}`), 'FOR UPDATE');
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const above = path.slice(0, end);
      // The directories above this one were met before.
      if (shared.has(above)) break;
      shared.add(above);
    }
  }
  for (const path of shared) {
    const hash = hashOf(`path ${path}`);
    if (!modes.has(hash)) modes.set(hash, 'FOR KEY SHARE');
  }
  return [...modes].map(([hash, mode]) => ({ hash, mode })).sort((a, b) => (a.hash < b.hash ? -1 : 1));
}

/** Locks all rows with one message; gives those that are there. */
export function lockStatements(table: string, rows: readonly LockRow[], settings: string, now = ''): string {
  const runs: LockRow[][] = [];
  for (const row of rows) {
    const run = runs.at(-1);
    if (run?.[0]?.mode === row.mode) run.push(row);
    else runs.push([row]);
  }
  const selects = runs.map((run) => {
    const hashes = run.map(({ hash }) => `'\\x${hash}'`).join(', ');
    return `SELECT key FROM ${table} WHERE key IN (${hashes}) ORDER BY key ${run[0]!.mode}${now}`;
  });
  return ['BEGIN', settings, ...selects].join('; ');
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
