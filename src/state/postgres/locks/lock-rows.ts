/**
 * The rows that represent what is locked, and the statement that locks them.
 *
 * A row is identified by the hash of its key. Transactions lock rows in the order of these hashes, whatever the mode,
 * so two that want the same rows meet at the first of them. A change locks its entry exclusively and every directory
 * above it in shared mode: nobody can remove or move a directory while somebody else changes something in it.
 */
import { createHash } from 'node:crypto';
import type { LockKey } from '../../locks.ts';
import type { SharedPaths } from '../../state.ts';

/** The longest time that a machine may still show a file after another machine replaced it. */
const STALE = "interval '1 minute'";
const LAST_CHANGE = `part, CASE WHEN at > clock_timestamp() - ${STALE} THEN replaced END AS replaced`;

type Mode = 'FOR UPDATE' | 'FOR KEY SHARE';

export interface LockRow {
  /** In hex, which sorts like the bytes. */
  hash: string;
  mode: Mode;
  /** The path on this machine, when the row is an entry that is locked exclusively. */
  path?: string;
}

/** The rows to lock for these keys, in the order in which they are locked. */
export function rowsOf(keys: readonly LockKey[], paths: SharedPaths): LockRow[] {
  const modes = new Map<string, Pick<LockRow, 'mode' | 'path'>>();
  const shared = new Set<string>();
  for (const key of keys) {
    if (typeof key === 'string') {
      modes.set(hashOf(`name ${key}`), { mode: 'FOR UPDATE' });
      continue;
    }
    const path = paths.toShared(key.path);
    modes.set(rowOfPath(path), { mode: 'FOR UPDATE', path: key.path });
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const above = path.slice(0, end);
      // The directories above this one were added before.
      if (shared.has(above)) break;
      shared.add(above);
    }
  }
  for (const path of shared) {
    const hash = rowOfPath(path);
    if (!modes.has(hash)) modes.set(hash, { mode: 'FOR KEY SHARE' });
  }
  return [...modes].map(([hash, row]) => ({ hash, ...row })).sort((a, b) => (a.hash < b.hash ? -1 : 1));
}

/** The row of an entry, in hex, by its shared path. */
export function rowOfPath(shared: string): string {
  return hashOf(`path ${shared}`);
}

/** Locks all rows with one message; the result has those that exist. */
export function lockStatements(table: string, rows: readonly LockRow[], settings: string, now = ''): string {
  const runs: LockRow[][] = [];
  for (const row of rows) {
    const run = runs.at(-1);
    if (run?.[0]?.mode === row.mode) run.push(row);
    else runs.push([row]);
  }
  const selects = runs.map((run) => {
    const hashes = run.map(({ hash }) => `'\\x${hash}'`).join(', ');
    const facts = run[0]!.mode === 'FOR UPDATE' ? `key, ${LAST_CHANGE}` : 'key';
    return `SELECT ${facts} FROM ${table} WHERE key IN (${hashes}) ORDER BY key ${run[0]!.mode}${now}`;
  });
  return ['BEGIN', settings, ...selects].join('; ');
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
