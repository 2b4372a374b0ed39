/** Reads and writes what the last change of each path left there, which the rows for locks also store. */
import type { LastChange, LeftBehind, UnsettledChange } from '../../locks.ts';
import type { Row } from '../connections/connection.ts';
import type { LockRow } from './lock-rows.ts';

/** How many replaced files are remembered for each path. */
const MOST_REPLACED = 8;

/** Selects the changes of the locked entries that were planned and not ended; undefined when no entry is locked. */
export function unsettledStatement(table: string, rows: readonly LockRow[]): string | undefined {
  const hashes = rows.flatMap(({ hash, path }) => (path === undefined ? [] : [`'\\x${hash}'`]));
  if (hashes.length === 0) return undefined;
  return `SELECT key AS planned, part FROM ${table} WHERE key IN (${hashes.join(', ')})`;
}

export class LastChanges {
  readonly unsettled: UnsettledChange[] = [];
  readonly #last = new Map<string, LastChange>();

  /** `found` holds the rows that the statements for locking and for unsettled changes returned. */
  constructor(rows: readonly LockRow[], found: readonly Row[]) {
    const paths = new Map(rows.flatMap(({ hash, path }) => (path === undefined ? [] : [[hash, path]])));
    for (const row of found) {
      const path = row.key ? paths.get(hexOf(row.key)) : undefined;
      if (path === undefined || typeof row.part !== 'string') continue;
      this.#last.set(path, {
        part: row.part,
        replaced: (row.replaced as string[] | null) ?? [],
      });
    }
    for (const { planned, part } of found) {
      const path = planned ? paths.get(hexOf(planned)) : undefined;
      if (path === undefined) continue;
      this.unsettled.push({ path, part: String(part), isMade: this.#last.get(path)?.part === part });
    }
  }

  of(path: string): LastChange | undefined {
    return this.#last.get(path);
  }
}

/** Stores what the holder of locks left, by the keys of the rows. */
export function leftStatement(table: string, left: ReadonlyMap<string, LeftBehind>): string {
  const values = [...left].map(([key, { part, hash, replaced }]) => {
    const stamps = replaced === undefined ? "'{}'::text[]" : `ARRAY[${quoted(replaced)}]`;
    return `('\\x${key}'::bytea, ${quoted(part)}, ${hash === undefined ? 'NULL::bytea' : `'\\x${hash}'::bytea`}, ${stamps})`;
  });
  return `UPDATE ${table} SET part = now.part, hash = now.hash, at = clock_timestamp(),
    replaced = (now.replaced || ${table}.replaced)[1:${MOST_REPLACED}]
    FROM (VALUES ${values.join(', ')}) AS now (key, part, hash, replaced) WHERE ${table}.key = now.key`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function hexOf(bytes: unknown): string {
  return (bytes as Buffer).toString('hex');
}
