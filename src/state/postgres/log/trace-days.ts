/**
 * The trace has a partition for each day of the database's clock, so that an old day can be dropped in one step. The
 * first replica that finds a day missing creates it, some days ahead.
 *
 * A replica that creates or drops days locks the head row of the trace, as every writer of the trace does.
 */
import { DAY_MS, dayOf } from '../../day.ts';
import type { LogBounds } from '../../log.ts';
import type { Connection } from '../connections/connection.ts';
import type { Database } from '../connections/database.ts';

/** How many days ahead partitions are created. The trace continues for this long when creating more fails. */
const AHEAD = 3;
/** How long a replica that creates or drops days waits for locks, and so the longest that it makes readers wait. */
const LOCK_MS = 1000;
const MAINTAIN_MS = 60_000;

/** The migration to version 4 of the schema: one table for both logs becomes two, one of them partitioned by days. */
export async function traceByDays(connection: Connection, schema: string): Promise<void> {
  const run = (sql: string) => connection.query(sql, undefined, { ms: MAINTAIN_MS });
  await run(`ALTER TABLE ${schema}.records RENAME TO journal_records;
CREATE TABLE ${schema}.records (LIKE ${schema}.journal_records INCLUDING DEFAULTS) PARTITION BY LIST (log);
CREATE TABLE ${schema}.trace_records PARTITION OF ${schema}.records (PRIMARY KEY (seq, at), UNIQUE (writer, n, at))
  FOR VALUES IN ('trace') PARTITION BY RANGE (at)`);
  const rows = await run(
    `SELECT DISTINCT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day FROM ${schema}.journal_records WHERE log = 'trace'`,
  );
  const { now } = await knownDays(connection, schema);
  await makeDays(connection, schema, [...rows.map(({ day }) => String(day)), ...daysFrom(now)]);
  await run(`INSERT INTO ${schema}.records SELECT * FROM ${schema}.journal_records WHERE log = 'trace';
DELETE FROM ${schema}.journal_records WHERE log = 'trace';
ALTER TABLE ${schema}.records ATTACH PARTITION ${schema}.journal_records FOR VALUES IN ('journal')`);
}

/** What one process knows about the days: the last one that exists, and the time at the database. */
export class TraceDays {
  readonly #database: Database;
  #bounds: LogBounds | undefined;
  /** The last day that has a partition. */
  #last: string | undefined;
  /** How far the database's clock is ahead of this process's clock. */
  #offset = 0;
  #maintaining: Promise<void> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Sets the limits of the trace; until then nothing is dropped. */
  keepWithin(bounds: LogBounds): void {
    this.#bounds = bounds;
  }

  /** The time at the database, in milliseconds since 1970; known after `prepare`. */
  now(): number {
    return performance.now() + this.#offset;
  }

  /** Sets the time at the database. */
  setClock(now: number): void {
    this.#offset = now - performance.now();
  }

  /** Settles when today has a partition. `bytes` is the size of the trace as far as it is known. */
  async prepare(bytes: number): Promise<void> {
    if (this.#last === undefined) {
      await this.#maintain();
      return;
    }
    const [today, tomorrow] = [dayOf(this.now()), dayOf(this.now() + DAY_MS)];
    const isLong = this.#bounds !== undefined && bytes > this.#bounds.all;
    if (tomorrow <= this.#last && !isLong) return;
    const maintaining = this.#maintain();
    if (today > this.#last) await maintaining;
    // The next batch tries again.
    else maintaining.catch(() => {});
  }

  /** Forgets which days exist, because another process has dropped one. */
  forget(): void {
    this.#last = undefined;
  }

  #maintain(): Promise<void> {
    this.#maintaining ??= maintainDays(this.#database, this.#bounds)
      .then(({ now, last }) => {
        this.setClock(now);
        this.#last = last;
      })
      .finally(() => {
        this.#maintaining = undefined;
      });
    return this.#maintaining;
  }
}

/** Creates missing days, and drops days that are too old or exceed the size limit. */
async function maintainDays(
  database: Database,
  bounds: LogBounds | undefined,
): Promise<{ now: number; last: string }> {
  const { schema } = database.settings;
  return database.transactionInBackground(async (connection) => {
    await connection.query(`SET LOCAL lock_timeout = ${LOCK_MS}`);
    const head = `${schema}.logs WHERE log = 'trace'`;
    const [row] = await connection.query(`SELECT bytes FROM ${head} FOR UPDATE`);
    const { now, days } = await knownDays(connection, schema);
    await makeDays(connection, schema, daysFrom(now));
    if (bounds) {
      const gone = await dropDays(connection, schema, { now, days, bytes: Number(row!.bytes), bounds });
      if (gone > 0)
        await connection.query(`UPDATE ${schema}.logs SET bytes = bytes - ${gone} WHERE log = 'trace'`);
    }
    return { now, last: dayOf(now + AHEAD * DAY_MS) };
  });
}

interface Dropping {
  now: number;
  days: readonly string[];
  bytes: number;
  bounds: LogBounds;
}

/** Returns the bytes of the records that it removed. */
async function dropDays(
  connection: Connection,
  schema: string,
  { now, days, bytes, bounds: { all, part, days: most = Number.POSITIVE_INFINITY } }: Dropping,
): Promise<number> {
  const today = dayOf(now);
  const oldest = most === Number.POSITIVE_INFINITY ? '' : dayOf(now - most * DAY_MS);
  const least = bytes > all ? bytes - all + part : 0;
  let gone = 0;
  for (const day of days) {
    if (day >= today || (day >= oldest && gone >= least)) break;
    const table = `${schema}.${tableOf(day)}`;
    gone += await bytesOf(connection, `SELECT length(body) AS bytes FROM ${table}`);
    await connection.query(`DROP TABLE ${table}`, undefined, { ms: MAINTAIN_MS });
  }
  // Today alone exceeds the limit.
  if (bytes - gone > all) {
    gone += await bytesOf(
      connection,
      `DELETE FROM ${schema}.trace_records WHERE seq IN (
         SELECT seq FROM (
           SELECT seq, sum(length(body)) OVER (ORDER BY seq) AS bytes FROM ${schema}.trace_records
         ) each WHERE bytes <= ${least - gone}
       ) RETURNING length(body) AS bytes`,
    );
  }
  return gone;
}

async function bytesOf(connection: Connection, rows: string): Promise<number> {
  const sum = `WITH each AS (${rows}) SELECT coalesce(sum(bytes), 0) AS bytes FROM each`;
  const [row] = await connection.query(sum, undefined, { ms: MAINTAIN_MS });
  return Number(row!.bytes);
}

/** Creates the partitions of these days that are missing. */
export async function makeDays(
  connection: Connection,
  schema: string,
  wanted: readonly string[],
): Promise<void> {
  const { days } = await knownDays(connection, schema);
  const missing = [...new Set(wanted)].filter((day) => !days.includes(day));
  if (missing.length === 0) return;
  const statements = missing.map((day) => {
    const next = dayOf(Date.parse(day) + DAY_MS);
    return `CREATE TABLE ${schema}.${tableOf(day)} PARTITION OF ${schema}.trace_records
      FOR VALUES FROM ('${day} 00:00:00+00') TO ('${next} 00:00:00+00')`;
  });
  await connection.query(statements.join('; '), undefined, { ms: MAINTAIN_MS });
}

/** The days that have partitions, oldest first, and the database's time. */
async function knownDays(connection: Connection, schema: string): Promise<{ now: number; days: string[] }> {
  const rows = await connection.query(
    `SELECT child.relname AS name, extract(epoch FROM clock_timestamp()) * 1000 AS now
     FROM (SELECT '${schema}.trace_records'::regclass AS oid) parent
     LEFT JOIN pg_catalog.pg_inherits ON inhparent = parent.oid
     LEFT JOIN pg_catalog.pg_class child ON child.oid = inhrelid`,
  );
  const parts = rows.map(({ name }) => /^trace_(\d{4})(\d\d)(\d\d)$/.exec(String(name)));
  const days = parts.flatMap((each) => (each ? [each.slice(1).join('-')] : []));
  return { now: Number(rows[0]!.now), days: days.sort() };
}

/** The day of a time, and the days that are created ahead of it. */
function daysFrom(now: number): string[] {
  return Array.from({ length: AHEAD + 1 }, (_, n) => dayOf(now + n * DAY_MS));
}

function tableOf(day: string): string {
  return `trace_${day.replaceAll('-', '')}`;
}
