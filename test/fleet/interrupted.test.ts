/**
 * A server is killed, or loses its lock, after it recorded a change as planned and before it recorded it as done: the
 * next server that changes the file finds out whether the change was made. Also: a machine with a stale view of a file.
 */
import { createHash } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Engine } from '../../src/engine/index.ts';
import type { Change } from '../../src/engine/journal/entries/entry.ts';
import { Journal } from '../../src/engine/journal/journal.ts';
import { Fleet } from '../../src/state/postgres/open.ts';
import { type Cluster, postgresPrograms, startCluster } from '../state/postgres/cluster.ts';
import { temporaryDirectory } from '../tree.ts';
import { until } from '../until.ts';

describe.skipIf(postgresPrograms() === undefined)('an interrupted change', () => {
  let cluster: Cluster;
  let schemas = 0;
  let schema: string;
  let fleets: Fleet[];
  let scratch: { path: string; remove(): void };
  let directory: string;

  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster.remove());
  beforeEach(() => {
    schema = `interrupted_${schemas++}`;
    fleets = [];
    scratch = temporaryDirectory();
    directory = join(scratch.path, 'shared');
    mkdirSync(directory);
    for (const file of ['a', 'b']) writeFileSync(join(directory, file), 'first\n');
  });
  afterEach(async () => {
    for (const fleet of fleets) await fleet.close();
    scratch.remove();
  });

  const openFleet = () => {
    const fleet = new Fleet(cluster.address(schema), [{ name: 'shared', real: directory }]);
    fleets.push(fleet);
    return fleet;
  };
  const openEngine = () => {
    const fleet = openFleet();
    return new Engine({ roots: [{ path: directory, writable: true }], journal: () => fleet.openState() });
  };
  /** Records changes as planned, as a server does just before it is killed. */
  const plan = async (did: Change[]) => {
    const journal = new Journal(openFleet().openState());
    journal.log.append({ e: 'killed', at: Date.now(), by: { who: 'killed' }, roots: [directory], did });
    await journal.log.flush();
  };
  const changed = (file: string, before: string, after: string): Change => ({
    kind: 'changed',
    path: join(directory, file),
    before: { size: before.length, mode: 0o644, hash: sha256(before), kept: { in: 'store' } },
    after: { size: after.length, mode: 0o644, hash: sha256(after) },
  });
  const write = (file: string, text: string) => writeFileSync(join(directory, file), text);
  const read = (file: string) => readFileSync(join(directory, file), 'utf8');
  const edit = (engine: Engine, file: string, find: string, replace: string) =>
    engine.files.edit(file, [{ kind: 'literal', find, replace, ignoreCase: false, limit: 1 }]);
  const planned = async () => {
    const [row] = await cluster.run(`SELECT count(*) AS n FROM ${schema}.planned_changes`);
    return Number(row!.n);
  };
  const killedEntry = async (engine: Engine) =>
    (await engine.history.entries()).find(({ id }) => id === 'killed');

  test('is recorded as done if it was made, and can be undone', async () => {
    const engine = openEngine();
    await plan([changed('a', 'first\n', 'second\n')]);
    await new Journal(openFleet().openState()).state.contents.put(Buffer.from('first\n'), false);
    write('a', 'second\n');
    expect(await killedEntry(engine)).toMatchObject({ state: 'pending' });
    await edit(engine, 'a', 'second', 'third');
    expect(await killedEntry(engine)).toMatchObject({ state: 'done' });
    await until(async () => (await planned()) === 0);
    for (const { id } of await engine.history.entries()) await engine.history.undo(id);
    expect(read('a')).toBe('first\n');
  });

  test('is recorded as done if it was made and its server had already released its locks', async () => {
    const engine = openEngine();
    const made: Change = { kind: 'created', path: join(directory, 'd'), type: 'directory', parent: true };
    await plan([made, changed('a', 'first\n', 'second\n')]);
    write('a', 'second\n');
    const path = join(directory, 'a');
    await openFleet()
      .openState()
      .locks.hold([{ onMachine: 'a', path }], async (lease) =>
        lease!.leaves(path, { part: 'killed', hash: sha256('second\n'), replaced: undefined }),
      );
    expect(await killedEntry(engine)).toMatchObject({ state: 'pending' });
    await edit(engine, 'a', 'second', 'third');
    expect(await killedEntry(engine)).toMatchObject({ state: 'done', changes: [{}, {}] });
  });

  test('is not in the history if it was not made', async () => {
    const engine = openEngine();
    await plan([changed('a', 'first\n', 'second\n')]);
    await edit(engine, 'a', 'first', 'other');
    expect(await killedEntry(engine)).toBeUndefined();
    await until(async () => (await planned()) === 0);
  });

  test('is settled file by file if it concerns several files', async () => {
    const engine = openEngine();
    await plan([changed('a', 'first\n', 'second\n'), changed('b', 'first\n', 'second\n')]);
    write('a', 'second\n');
    await edit(engine, 'a', 'second', 'third');
    expect(await killedEntry(engine)).toMatchObject({ state: 'pending', changes: [{}, {}] });
    await edit(engine, 'b', 'first', 'third');
    const entry = await killedEntry(engine);
    expect(entry).toMatchObject({ state: 'done', changes: [{ path: join(directory, 'a') }] });
    expect(entry!.changes).toHaveLength(1);
  });

  test('is no longer planned once it has ended', async () => {
    const engine = openEngine();
    await edit(engine, 'a', 'first', 'second');
    await edit(engine, 'a', 'second', 'third');
    await until(async () => (await planned()) === 0);
    const [row] = await cluster.run(
      `SELECT encode(hash, 'hex') AS hash FROM ${schema}.locks WHERE part IS NOT NULL`,
    );
    expect(row).toEqual({ hash: sha256('third\n') });
  });

  test('is refused while this machine still shows a file that another one has replaced', async () => {
    const [one, two] = [openEngine(), openEngine()];
    const [path, old, fresh] = ['a', 'old', 'fresh'].map((name) => join(directory, name)) as [
      string,
      string,
      string,
    ];
    linkSync(path, old);
    await edit(one, 'a', 'first', 'first\nline of one');
    // Show the old file, as a stale cache would.
    linkSync(path, fresh);
    renameSync(old, path);
    await expect(edit(two, 'a', 'first', 'first\nline of two')).rejects.toMatchObject({
      facts: { kind: 'changed-meanwhile' },
    });
    expect(read('a')).toBe('first\n');
    const coming = edit(two, 'a', 'first', 'first\nline of two');
    renameSync(fresh, path);
    await coming;
    expect(read('a')).toBe('first\nline of two\nline of one\n');
  });
});

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
