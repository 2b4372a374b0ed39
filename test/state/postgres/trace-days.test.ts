/** The trace of a fleet: its days are created ahead and dropped later, and no call ever waits for them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Connection } from '../../../src/state/postgres/connections/connection.ts';
import { Fleet } from '../../../src/state/postgres/open.ts';
import { SCHEMA_VERSION } from '../../../src/state/postgres/schema.ts';
import { StateUnavailable } from '../../../src/state/state.ts';
import type { TraceEvent } from '../../../src/trace/events/event.ts';
import { TraceLog } from '../../../src/trace/log.ts';
import { until } from '../../until.ts';
import { type Numbered, numbered } from '../contract/numbered.ts';
import { type Cluster, NO_POSTGRES, postgresPrograms, startCluster } from './cluster.ts';

const DAY_MS = 24 * 3_600_000;

describe.skipIf(postgresPrograms() === undefined)('the trace of a fleet', () => {
  let cluster: Cluster;
  let schemas = 0;
  let schema: string;
  let fleets: Fleet[];

  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster.remove());
  beforeEach(() => {
    schema = `trace_${schemas++}`;
    fleets = [];
  });
  afterEach(async () => {
    for (const fleet of fleets) await fleet.close();
  });

  const open = () => {
    const fleet = new Fleet(cluster.address(schema));
    fleets.push(fleet);
    return fleet;
  };
  const openLog = (options = {}) =>
    open()
      .openState()
      .log<Numbered>('trace', { ...numbered, ...options });
  const numbers = async (log = openLog()) => {
    const all: number[] = [];
    for await (const page of log.newestFirst()) all.push(...page.map(({ n }) => n));
    return all.reverse();
  };
  const days = async () => {
    const rows = await cluster.run(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = '${schema}.trace_records'::regclass ORDER BY 1`,
    );
    return rows.map(({ name }) => String(name).replace(`${schema}.trace_`, ''));
  };
  const dayFromNow = (n: number) =>
    new Date(Date.now() + n * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '');
  /** One record for each of the last days, oldest first. */
  const fillDays = async (count: number) => {
    const log = openLog({ appendedAt: ({ n }: Numbered) => Date.now() - (count - n) * DAY_MS });
    const records = Array.from({ length: count }, (_, n) => ({ n, text: 'x'.repeat(1000) }));
    expect(await log.fill(records)).toBe(true);
  };

  test('is migrated once from an older version, and an older program can still write to it', async () => {
    const old = readFileSync(join(import.meta.dirname, 'version-3.sql'), 'utf8');
    await cluster.run(
      old.replaceAll('cofferdam.', `${schema}.`).replace('SCHEMA cofferdam', `SCHEMA ${schema}`),
    );
    await Promise.all(Array.from({ length: 5 }, () => open().database.ready()));
    expect(await cluster.run(`SELECT * FROM ${schema}.schema_version`)).toEqual([
      { version: SCHEMA_VERSION, readable_from: 1, writable_from: 1 },
    ]);
    expect(await days()).toEqual(['20260105', '20260106', '20260107', ...[0, 1, 2, 3].map(dayFromNow)]);
    // What a program that only knows version 3 writes.
    await cluster.run(`WITH head AS (UPDATE ${schema}.logs SET last = last + 1 WHERE log = 'trace' RETURNING last)
      INSERT INTO ${schema}.records (log, seq, writer, n, body, at)
      SELECT 'trace', last, gen_random_uuid(), 1, '{"n":4}', clock_timestamp() FROM head`);
    const log = openLog();
    log.append({ n: 5 });
    expect(await numbers(log)).toEqual([1, 2, 3, 4, 5]);
    const journal = open().openState().log<Numbered>('journal', numbered);
    const lines: number[] = [];
    const reader = journal.reader({
      take: ({ n }) => void lines.push(n),
      restart: () => void lines.splice(0),
    });
    journal.append({ n: 3 });
    await reader.catchUp();
    expect(lines).toEqual([1, 2, 3]);
  });

  test('has days that are created ahead, and again when somebody has dropped them', async () => {
    const log = openLog();
    log.append({ n: 1 });
    await log.flush();
    expect(await days()).toEqual([0, 1, 2, 3].map(dayFromNow));
    await cluster.run(`DROP TABLE ${schema}.trace_${dayFromNow(0)}`);
    log.append({ n: 2 });
    await until(async () => (await numbers()).includes(2));
    expect(await days()).toContain(dayFromNow(0));
  });

  test('drops days that are too old, and the oldest days when it exceeds its size limit', async () => {
    await fillDays(40);
    const byAge = openLog({ bounds: { all: 1e6, part: 1e5, days: 30 } });
    byAge.append({ n: 40 });
    expect(await numbers(byAge)).toEqual(Array.from({ length: 31 }, (_, n) => n + 10));
    expect((await days())[0]).toBe(dayFromNow(-30));
    const bySize = openLog({ bounds: { all: 20_000, part: 5000 } });
    for (const n of [41, 42]) {
      bySize.append({ n });
      await bySize.flush();
    }
    await until(async () => (await numbers()).length < 20);
    const left = await numbers();
    expect(left.slice(-3)).toEqual([40, 41, 42]);
    expect(left.length).toBeGreaterThan(12);
    const [head] = await cluster.run(`SELECT bytes, (SELECT sum(length(body)) FROM ${schema}.records) AS there
      FROM ${schema}.logs WHERE log = 'trace'`);
    expect(head!.bytes).toBe(head!.there);
  });

  test('drops the oldest records of a day that exceeds the size limit by itself', async () => {
    const log = openLog({ bounds: { all: 20_000, part: 5000 } });
    for (let n = 0; n < 30; n++) {
      log.append({ n, text: 'x'.repeat(1000) });
      await log.flush();
    }
    await until(async () => !(await numbers()).includes(0));
    expect((await numbers()).slice(-15)).toEqual(Array.from({ length: 15 }, (_, n) => n + 15));
  });

  test('makes no call wait, even while its table is locked', async () => {
    const fleet = open();
    const state = fleet.openState();
    const log = state.log<Numbered>('trace', numbered);
    log.append({ n: 0 });
    await log.flush();
    const other = await Connection.open({ connectionString: cluster.address() });
    await other.query(`BEGIN; LOCK TABLE ${schema}.trace_records IN ACCESS EXCLUSIVE MODE`);
    await other.query(`SELECT FROM ${schema}.logs WHERE log = 'trace' FOR UPDATE`);
    for (let n = 1; n < 20; n++) log.append({ n });
    await expect(log.flush()).rejects.toMatchObject({ code: '55P03' });
    await expect(numbers()).rejects.toThrow(StateUnavailable);
    const journal = state.log<Numbered>('journal', numbered);
    journal.append({ n: 1 });
    await journal.flush();
    expect(await state.locks.hold(['key'], async () => 'held')).toBe('held');
    expect(fleet.database.breaker.isOpen).toBe(false);
    await other.query('COMMIT');
    other.close();
    await until(async () => (await numbers()).length === 20);
    expect(await numbers()).toEqual(Array.from({ length: 20 }, (_, n) => n));
  });

  test('queues events up to a limit while the database is down, and counts the lost ones', async () => {
    const told: string[] = [];
    let now = Date.now();
    const settings = { onProblem: (problem: string) => void told.push(problem), now: () => now };
    const log = new TraceLog(open().openState(), settings);
    log.append(eventOf(0));
    await until(async () => (await log.recent(10)).length === 1);
    await cluster.stop('immediate');
    const SENT = 1300;
    for (let n = 1; n <= SENT; n++) log.append(eventOf(n, 'x'.repeat(60_000)));
    expect(told).toEqual([expect.stringMatching(/^not all calls are recorded: too many records wait/)]);
    await cluster.start();
    const stored = async () =>
      Number((await cluster.run(`SELECT count(*) AS n FROM ${schema}.records WHERE log = 'trace'`))[0]!.n);
    // Reading the trace first writes the waiting events.
    await until(() =>
      log.recent(1).then(
        () => true,
        () => false,
      ),
    );
    const last = await stored();
    now += 60_000;
    log.append(eventOf(SENT + 1));
    await until(async () => (await stored()) === last + 1);
    const lost = SENT + 2 - (last + 1);
    expect(told.slice(1)).toEqual([`calls are recorded again; ${lost} were not`]);
    expect(lost).toBeGreaterThan(0);
    log.close();
  });
});

function eventOf(n: number, text?: string): TraceEvent {
  return {
    ...{ id: `server-${n}`, at: n, server: 'server', roots: [], dialect: 'standard', tool: 'read' },
    ...{ paths: [], outcome: 'ok', ms: 1, bytesIn: 1, bytesOut: 1, tokensOut: 1 },
    ...(text !== undefined && { note: text }),
  };
}

test.skipIf(postgresPrograms() !== undefined)(NO_POSTGRES, (context) => context.skip());
