/** The statement that appends records to a log: all of them or none. */
import type { PlannedChanges } from '../../log.ts';
import type { Database } from '../connections/database.ts';
import { plannedStatements } from './planned-changes.ts';

export interface RecordsToInsert {
  log: string;
  /** The writer, and the number that it gives to the first record: together they identify a record for good. */
  writer: string;
  from: number;
  bodies: readonly string[];
  /** In milliseconds since 1970; null for the database's clock. */
  times: readonly (number | null)[];
  bytes: number;
  plans: readonly PlannedChanges[];
  /** Gives up when another process has locked the log for this many milliseconds. */
  lockTimeoutMs?: number | undefined;
}

export function insertStatement(
  database: Database,
  { log, writer, from, bodies, times, bytes, plans, lockTimeoutMs }: RecordsToInsert,
): { text: string; values: unknown[] } {
  const values = [log, bodies.length, bytes, writer, from - 1, bodies, times];
  const planned = plannedStatements(database.table('planned_changes'), plans, values.length);
  // The lock timeout is set before any row is locked, and only for this statement. But PostgreSQL locks the table that
  // the statement names before that. So with a timeout the statement names the parent table, which nobody else locks;
  // its partitions are locked later.
  const records = lockTimeoutMs === undefined ? database.recordsOf(log) : database.table('records');
  const setTimeoutFirst =
    lockTimeoutMs === undefined
      ? ''
      : ` AND (SELECT set_config('lock_timeout', '${lockTimeoutMs}', true)) IS NOT NULL`;
  const text = `WITH head AS (
           UPDATE ${database.table('logs')} SET last = last + $2, bytes = bytes + $3 WHERE log = $1${setTimeoutFirst}
           RETURNING last, generation, bytes
         ), added AS (
           INSERT INTO ${records} (log, seq, writer, n, body, at)
           SELECT $1, head.last - $2 + each.place, $4, $5 + each.place, each.body,
             coalesce(to_timestamp(each.at / 1000), clock_timestamp())
           FROM head, unnest($6::text[], $7::float8[]) WITH ORDINALITY AS each (body, at, place)
         )${planned.map(({ sql }) => `, ${sql}`).join('')}
         SELECT last, generation, bytes, extract(epoch FROM clock_timestamp()) * 1000 AS now FROM head`;
  return { text, values: [...values, ...planned.flatMap((each) => each.values)] };
}
