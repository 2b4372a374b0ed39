/** What only the state in PostgreSQL has: leases, the circuit breaker, the schema, and names of directories. */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../../src/state/postgres/connections/database.ts';
import { parseAddress } from '../../../src/state/postgres/connections/settings.ts';
import { Fleet } from '../../../src/state/postgres/open.ts';
import { SCHEMA_VERSION } from '../../../src/state/postgres/schema.ts';
import { WorkspacePaths } from '../../../src/state/postgres/shared-paths.ts';
import { bindWorkspace } from '../../../src/state/postgres/workspaces.ts';
import { StateUnavailable } from '../../../src/state/state.ts';
import { temporaryDirectory } from '../../tree.ts';
import { until } from '../../until.ts';
import { type Numbered, numbered } from '../contract/numbered.ts';
import { type Cluster, postgresPrograms, startCluster } from './cluster.ts';

describe.skipIf(postgresPrograms() === undefined)('a fleet on PostgreSQL', () => {
  let cluster: Cluster;
  let schemas = 0;
  let schema: string;
  let fleets: Fleet[];
  let scratch: { path: string; remove(): void };

  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster.remove());
  beforeEach(() => {
    schema = `more_${schemas++}`;
    fleets = [];
    scratch = temporaryDirectory();
  });
  afterEach(async () => {
    for (const fleet of fleets) await fleet.close();
    scratch.remove();
  });

  const open = (workspaces: { name: string; real: string }[] = []) => {
    const fleet = new Fleet(cluster.address(schema), workspaces);
    fleets.push(fleet);
    return fleet;
  };
  const entry = (path: string) => ({ onMachine: path, path });
  const check = (fleet: Fleet, mayMark = true) => fleet.check({ mayMark: () => mayMark });

  test('lets no replica lock a directory while another one changes something in it, whatever their mount points', async () => {
    const here = open([{ name: 'w', real: '/here' }]).openState();
    const there = open([{ name: 'w', real: '/mnt/there' }]).openState();
    let release = () => {};
    let isHeld = false;
    const held = here.locks.hold([entry('/here/a/b/file')], () => {
      isHeld = true;
      return new Promise<void>((resolve) => (release = resolve));
    });
    await until(() => isHeld);
    expect(await there.locks.tryHold(entry('/mnt/there/a/b/other'), async () => {})).toBe(true);
    for (const path of ['/mnt/there/a/b/file', '/mnt/there/a/b', '/mnt/there/a', '/mnt/there']) {
      expect(await there.locks.tryHold(entry(path), async () => {}), path).toBe(false);
    }
    release();
    await held;
    expect(await there.locks.tryHold(entry('/mnt/there/a'), async () => {})).toBe(true);
  });

  test('loses a lock when the database ends its session: others get it, and the holder cannot prove it', async () => {
    const [one, two] = [open().openState(), open().openState()];
    const lost = one.locks.hold(['key'], async (lease) => {
      await lease!.prove();
      lease!.requireFresh();
      await cluster.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction'",
      );
      expect(await two.locks.hold(['key'], async () => 'mine')).toBe('mine');
      await lease!.prove();
    });
    await expect(lost).rejects.toThrow(StateUnavailable);
    // Losing one session does not mean that the database is gone: the others continue.
    expect(await one.locks.hold(['key'], async () => 'again')).toBe('again');
  });

  test('refuses at once while the database is down, and writes waiting records exactly once when it is back', async () => {
    const state = open().openState();
    const log = state.log<Numbered>('journal', numbered);
    log.append({ n: 0 });
    await log.flush();
    await cluster.stop('immediate');
    for (let n = 1; n <= 5; n++) log.append({ n });
    await expect(log.flush()).rejects.toThrow(StateUnavailable);
    await expect(state.locks.hold(['key'], async () => {})).rejects.toThrow(StateUnavailable);
    await expect(state.contents.put(Buffer.from('x'), false)).rejects.toThrow(StateUnavailable);
    await cluster.start();
    log.append({ n: 6 });
    const records: number[] = [];
    const reader = log.reader({
      take: ({ n }) => void records.push(n),
      restart: () => void records.splice(0),
    });
    await fleets[0]!.database.breaker.whenBack();
    await reader.catchUp();
    expect(records).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(await state.locks.hold(['key'], async () => 'held')).toBe('held');
  });

  test('creates the tables once when many replicas start together, and explains why it refuses a newer schema', async () => {
    await Promise.all(Array.from({ length: 6 }, () => open().database.ready()));
    const [row] = await cluster.run(
      `SELECT count(*) AS n, min(version) AS version FROM ${schema}.schema_version`,
    );
    expect(row).toEqual({ n: '1', version: SCHEMA_VERSION });
    await cluster.run(
      `UPDATE ${schema}.schema_version SET version = 9, readable_from = 9, writable_from = 9`,
    );
    await expect(check(open())).rejects.toThrow(
      new RegExp(`made by a newer Cofferdam.*version 9.*version ${SCHEMA_VERSION}`),
    );
    // This version can still use this newer schema.
    await cluster.run(
      `UPDATE ${schema}.schema_version SET version = 9, readable_from = 1, writable_from = 1`,
    );
    await check(open());
  });

  test('binds a name to one directory, and a directory to one name', async () => {
    const [one, two] = ['one', 'two'].map((name) => join(scratch.path, name)) as [string, string];
    for (const path of [one, two]) mkdirSync(path);
    await Promise.all(Array.from({ length: 4 }, () => check(open([{ name: 'w', real: one }]))));
    expect(readFileSync(join(one, '.cofferdam-workspace'), 'utf8')).toMatch(/^[0-9a-f-]{36}\n$/);
    await expect(check(open([{ name: 'w', real: two }]))).rejects.toThrow(
      /is not the directory that the fleet calls w/,
    );
    await expect(check(open([{ name: 'v', real: one }]))).rejects.toThrow(/the fleet calls .*one w, not v/);
    await check(open([{ name: 'v', real: two }]));
    await expect(check(open([{ name: 'w', real: two }]))).rejects.toThrow(/names another one/);
    rmSync(join(one, '.cofferdam-workspace'));
    await expect(check(open([{ name: 'w', real: one }]))).rejects.toThrow(/has no file/);
  });

  test('binds a name to a directory even if another replica does the same at that moment', async () => {
    const { database } = open();
    await database.ready();
    // The other replica is first, and PostgreSQL reports the identity as the conflict.
    const late = Object.create(database) as Database;
    late.table = (name) => database.table(name);
    late.query = async (text, values) => {
      if (!text.startsWith('INSERT')) return database.query(text, values);
      await database.query(text, values);
      return database.query(text.replace('ON CONFLICT (name) DO NOTHING', ''), values);
    };
    await bindWorkspace(late, { name: 'w', real: scratch.path }, { mayMark: true });
    await expect(bindWorkspace(late, { name: 'v', real: scratch.path }, { mayMark: true })).rejects.toThrow(
      /the fleet calls .* w, not v/,
    );
  });

  test('writes nothing into a directory that is served read-only', async () => {
    await check(open([{ name: 'w', real: scratch.path }]), false);
    expect(existsSync(join(scratch.path, '.cofferdam-workspace'))).toBe(false);
  });

  test('removes no record that is younger than a day, whatever is chosen', async () => {
    const log = open().openState().log<Numbered>('journal', numbered);
    log.append({ n: 1 });
    await log.compact(() => []);
    const seen: number[] = [];
    await log.reader({ take: ({ n }) => void seen.push(n), restart: () => void seen.splice(0) }).catchUp();
    expect(seen).toEqual([1]);
  });
});

test.each([
  ['/here', '=w'],
  ['/here/a/b', '=w/a/b'],
  ['/hereafter', '/hereafter'],
  ['/here/inner/x', '=inner/x'],
])('the path %s is shared as %s', (path, shared) => {
  const paths = new WorkspacePaths([
    { name: 'w', real: '/here' },
    { name: 'inner', real: '/here/inner' },
  ]);
  expect(paths.toShared(path)).toBe(shared);
  expect(paths.fromShared(shared)).toBe(path);
});

test('a shared path in a workspace that is not served here stays unchanged', () => {
  const paths = new WorkspacePaths([{ name: 'top', real: '/' }]);
  expect(paths.fromShared('=other/a')).toBe('=other/a');
  expect([paths.toShared('/a/b'), paths.fromShared('=top/a/b'), paths.toShared('/')]).toEqual([
    '=top/a/b',
    '/a/b',
    '=top',
  ]);
});

test('no error about a bad address repeats the address', () => {
  for (const address of [
    'postgres://u:secret@[/x',
    'postgres://u:secret@h/x?schema=A',
    'postgres://u:secret@h/x?locks=0',
  ]) {
    expect(() => parseAddress(address)).toThrow(/^(?!.*secret)/);
  }
  expect(parseAddress('postgres://user:secret@db.example:6000/work').says).toBe(
    'PostgreSQL at db.example:6000, database work, schema cofferdam',
  );
});
