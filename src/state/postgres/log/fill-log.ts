/** Gives an empty log its first records, in one transaction. */
import { randomUUID } from 'node:crypto';
import { dayOf } from '../../day.ts';
import type { PlannedChanges } from '../../log.ts';
import type { Database } from '../connections/database.ts';
import { insertStatement } from './insert-records.ts';
import { makeDays } from './trace-days.ts';

const MOST_BYTES = 4 * 1024 * 1024;
const MOST_RECORDS = 500;
const BATCH_MS = 60_000;

export interface FirstRecord {
  body: string;
  /** In milliseconds since 1970; null for the database's clock. */
  at: number | null;
  plans: readonly PlannedChanges[];
}

/** False when the log is not empty. */
export function fillLog(database: Database, log: string, records: Iterable<FirstRecord>): Promise<boolean> {
  const [all, logs] = [database.recordsOf(log), database.table('logs')];
  return database.transaction(async (connection) => {
    // Every writer of the log changes this row: from here on they all wait.
    await connection.query(`SELECT FROM ${logs} WHERE log = $1 FOR UPDATE`, [log], { ms: BATCH_MS });
    const [found] = await connection.query(`SELECT EXISTS (SELECT FROM ${all} WHERE log = $1) AS some`, [
      log,
    ]);
    if (found?.some === true) return false;
    const writer = randomUUID();
    let from = 1;
    for (const { batch, bytes } of inBatches(records)) {
      if (log === 'trace') await makeDays(connection, database.settings.schema, daysOf(batch));
      const { text, values } = insertStatement(database, {
        ...{ log, writer, from, bytes },
        bodies: batch.map(({ body }) => body),
        times: batch.map(({ at }) => at),
        plans: batch.flatMap(({ plans }) => plans),
      });
      await connection.query(text, values, { ms: BATCH_MS });
      from += batch.length;
    }
    return true;
  });
}

function daysOf(batch: readonly FirstRecord[]): string[] {
  return batch.flatMap(({ at }) => (at === null ? [] : [dayOf(at)]));
}

function* inBatches(records: Iterable<FirstRecord>): Generator<{ batch: FirstRecord[]; bytes: number }> {
  let batch: FirstRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    batch.push(record);
    bytes += record.body.length;
    if (batch.length < MOST_RECORDS && bytes < MOST_BYTES) continue;
    yield { batch, bytes };
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield { batch, bytes };
}
