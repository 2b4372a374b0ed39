/** Two replicas, one of them with a fast clock, and difficult files, names and databases. */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectToFleet } from '../../src/cli/state/fleet.ts';
import { Connection } from '../../src/state/postgres/connections/connection.ts';
import { runInProcess } from '../in-process.ts';
import { type Cluster, NO_POSTGRES, postgresPrograms, startCluster } from '../state/postgres/cluster.ts';
import { temporaryDirectory } from '../tree.ts';
import { settled, until } from '../until.ts';
import { editByAll, entriesOf, expectExactly, expectUndone, FIRST } from './edits.ts';
import { Replica } from './replica.ts';

const preload = spawnSync('faketime', ['-f', '+0s', 'printenv', 'LD_PRELOAD'], { encoding: 'utf8' });
const hasFaketime = preload.status === 0;
/** Sets what faketime sets, but does not start it: it would stay the parent process and not pass on signals. */
const FAST = [
  ...['env', `LD_PRELOAD=${preload.stdout?.trim()}`],
  ...['FAKETIME=+2.5s', 'FAKETIME_DONT_FAKE_MONOTONIC=1'],
];
const CLOCKS = hasFaketime
  ? 'one of them 2.5 s fast'
  : 'both right (faketime is not installed, Debian: faketime)';

const AWAY = /database that keeps the history cannot be reached/;

describe.skipIf(postgresPrograms() === undefined)(`two replicas with clocks, ${CLOCKS},`, () => {
  let cluster: Cluster;
  let scratch: { path: string; remove(): void };
  let directory: string;
  let replicas: [Replica, Replica];
  let address: string;

  beforeAll(async () => {
    cluster = await startCluster();
    scratch = temporaryDirectory();
    directory = join(scratch.path, 'shared');
    mkdirSync(directory);
    address = cluster.address('hostile');
    const args = [`${directory}=shared`];
    replicas = [new Replica(address, args, hasFaketime ? FAST : []), new Replica(address, args)];
    await Promise.all(replicas.map((replica) => replica.start()));
  });
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.kill()));
    await cluster.remove();
    scratch.remove();
  });

  const put = (path: string, content: string | Buffer = FIRST) =>
    writeFileSync(join(directory, path), content);
  const read = (path: string) => readFileSync(join(directory, path), 'utf8');
  const edit = (n: number, path: string, line: string) =>
    replicas[n % 2]!.call('edit_file', { path, edits: [{ oldText: 'last\n', newText: `${line}\nlast\n` }] });
  const cofferdam = (...args: string[]) =>
    runInProcess(args, { env: { ...process.env, COFFERDAM_STATE: address } });

  test('agree on the order of changes, and lose none', async () => {
    put('order.txt');
    for (let n = 0; n < 6; n++)
      expect(await edit(n, 'order.txt', `line ${n}`)).toMatchObject({ kind: 'done' });
    const path = join(directory, 'order.txt');
    const changes = (await entriesOf(address, directory, 'shared'))
      .flatMap((entry) => entry.changes)
      .filter((change) => change.path === path)
      .reverse();
    // Each change begins with the result of the previous one, whatever the clocks say.
    for (const [n, change] of changes.slice(1).entries())
      expect(change.before.hash).toBe(changes[n]!.after.hash);
    expect(changes).toHaveLength(6);
    const outcome = await editByAll({ replicas, files: ['order.txt'], clients: 8, edits: 1 });
    for (let n = 0; n < 6; n++) outcome.done.get('order.txt')!.push(`line ${n}`);
    expectExactly(directory, ['order.txt'], outcome);
    await expectUndone(address, directory, 'shared', ['order.txt']);
    const [row] = await cluster.run(
      "SELECT max(at) < clock_timestamp() AS past FROM hostile.records WHERE log = 'trace'",
    );
    expect(row).toEqual({ past: true });
  });

  test('serialize edits of one file under all the paths that lead to it', async () => {
    mkdirSync(join(directory, 'real'));
    put('real/file.txt');
    symlinkSync('real', join(directory, 'link'));
    symlinkSync('real/file.txt', join(directory, 'leaf'));
    const names = ['real/file.txt', 'link/file.txt', './real//file.txt', 'real/../link/./file.txt', 'leaf'];
    const answers = await Promise.all(
      names.flatMap((name, at) => [edit(0, name, `${at} zero`), edit(1, name, `${at} one`)]),
    );
    const done = answers.filter(({ kind }) => kind === 'done').length;
    const refused = answers.filter(({ kind }) => kind !== 'done');
    // A refused edit has changed nothing.
    expect(read('real/file.txt').split('\n')).toHaveLength(FIRST.split('\n').length + done);
    expect(done, JSON.stringify(refused)).toBeGreaterThanOrEqual(8);
  });

  test('treat names that only look alike as different files', async () => {
    const names = ['caf\u00e9.txt', 'cafe\u0301.txt', 'CAF\u00c9.txt'];
    for (const name of names) put(name);
    await Promise.all(names.map((name, n) => edit(n, name, `for ${n}`)));
    expect(names.map((name) => read(name))).toEqual(names.map((_, n) => `first\nfor ${n}\nlast\n`));
  });

  test('lose no edit of a file with two hard links', async () => {
    put('one-name');
    linkSync(join(directory, 'one-name'), join(directory, 'other-name'));
    const done = await Promise.all([edit(0, 'one-name', 'by one'), edit(1, 'other-name', 'by other')]);
    expect(done.map(({ kind }) => kind)).toEqual(['done', 'done']);
    expect(read('one-name')).toContain('by one');
    expect(read('other-name')).toContain('by other');
  });

  test('store and restore any bytes, and refuse a NUL in a path', async () => {
    const bytes = Buffer.from([0, 0xff, 0xfe, 0x0a, 0xc3, 0x28, 0, 0xed, 0xa0, 0x80]);
    put('bytes.bin', bytes);
    const odd = Buffer.concat([Buffer.from(join(directory, 'odd/')), Buffer.from([0xff, 0x20, 0xc3])]);
    mkdirSync(join(directory, 'odd'));
    writeFileSync(odd, bytes);
    const content = 'a\u0000b \uffff c';
    expect(await replicas[0].call('write_file', { path: 'bytes.bin', content })).toMatchObject({
      kind: 'done',
    });
    expect(await replicas[1].call('delete_file', { path: 'odd', recursive: true })).toMatchObject({
      kind: 'done',
    });
    for (const path of ['a\u0000b', 'bytes.bin\u0000', 'x\u0000/../bytes.bin']) {
      expect(await replicas[1].call('read_text_file', { path }), JSON.stringify(path)).toMatchObject({
        kind: 'refused',
      });
    }
    const undone = await cofferdam('undo', '--since', '1d', `${directory}=shared`);
    expect(undone).toMatchObject({ status: 0, stderr: '' });
    expect(readFileSync(join(directory, 'bytes.bin'))).toEqual(bytes);
    expect(readFileSync(odd)).toEqual(bytes);
    expect(readdirSync(join(directory, 'odd'))).toHaveLength(1);
  });

  test('serialize edits in a directory with its removal, and say which came first', async () => {
    const inside = Array.from({ length: 8 }, (_, n) => `dir-${n}/inner/file.txt`);
    for (const file of inside) {
      mkdirSync(join(directory, file, '..'), { recursive: true });
      put(file);
    }
    const answers = await Promise.all(
      inside.flatMap((file, n) => [
        ...[edit(n, file, 'by one'), edit(n + 1, file, 'by other')],
        replicas[n % 2]!.call('delete_file', { path: `dir-${n}`, recursive: true }),
      ]),
    );
    const removals = answers.filter((_, at) => at % 3 === 2);
    expect(removals.map(({ kind }) => kind)).toEqual(inside.map(() => 'done'));
    const edits = answers.filter((_, at) => at % 3 !== 2);
    for (const answer of edits) {
      if (answer.kind !== 'done')
        expect(answer).toMatchObject({ kind: 'refused', text: expect.stringMatching(/ENOENT|no such file/) });
    }
    expect(inside.filter((_, n) => existsSync(join(directory, `dir-${n}`)))).toEqual([]);
    await expectUndone(address, directory, 'shared', inside);
  });

  test('refuse to change a file that is too large for the database', async () => {
    put('large.bin', '');
    truncateSync(join(directory, 'large.bin'), 300 * 1024 * 1024);
    for (const [tool, args] of [
      ['delete_file', { path: 'large.bin' }],
      ['write_file', { path: 'large.bin', content: 'new' }],
    ] as const) {
      expect(await replicas[0].call(tool, args)).toMatchObject({
        kind: 'refused',
        text: expect.stringMatching(
          /more than --keep-file allows \(268435456 bytes\), so it was not changed/,
        ),
      });
    }
    expect(existsSync(join(directory, 'large.bin'))).toBe(true);
  });

  test('change a file that is too large if the operator allows it, and restore the rest of a tree', async () => {
    const large = join(directory, 'tree/large.bin');
    mkdirSync(join(directory, 'tree'));
    put('tree/small.txt', 'small');
    put('tree/large.bin', '');
    truncateSync(large, 300 * 1024 * 1024);
    const call = JSON.stringify({ path: 'tree', recursive: true });
    const root = `${directory}=shared`;
    const { status, stdout } = await cofferdam('call', 'delete_file', call, '--no-undo-for-large', root);
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^Successfully deleted tree with 2 entries in it\n[\s\S]*undo cannot restore all of it/,
    );
    const refused = await cofferdam('undo', root);
    expect(refused.status).not.toBe(0);
    expect(refused.stdout + refused.stderr).toMatch(
      /not everything was kept: large.bin \(--force brings back/,
    );
    expect((await cofferdam('undo', '--force', root)).status).toBe(0);
    expect(readdirSync(join(directory, 'tree'))).toEqual(['small.txt']);
  });

  test('change nothing once the database has ended their lock, however far the change has got', async () => {
    put('proven.txt');
    const journal = await Connection.open({ connectionString: cluster.address() });
    await journal.query("BEGIN; SELECT FROM hostile.logs WHERE log = 'journal' FOR UPDATE");
    const editing = edit(1, 'proven.txt', 'without a lock');
    // The edit has its lock, and waits for the journal.
    const ended = () =>
      cluster.run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE state = 'idle in transaction' AND application_name = 'cofferdam'`);
    await until(async () => (await ended()).length === 1);
    await journal.query('COMMIT');
    journal.close();
    expect(await editing).toMatchObject({ kind: 'refused', text: expect.stringMatching(AWAY) });
    expect(read('proven.txt')).toBe(FIRST);
    await until(async () => (await edit(1, 'proven.txt', 'with a lock')).kind === 'done');
  });

  test('refuse changes and keep reading while the database is read-only', async () => {
    put('kept.txt');
    await cluster.run('ALTER DATABASE postgres SET default_transaction_read_only = on');
    await cluster.run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cofferdam'",
    );
    const answer = await settled(
      () => edit(1, 'kept.txt', 'not now'),
      ({ kind }) => kind === 'refused',
    );
    expect(answer).toMatchObject({ text: expect.stringMatching(AWAY) });
    expect(await replicas[1].call('read_text_file', { path: 'kept.txt' })).toMatchObject({ kind: 'done' });
    expect(read('kept.txt')).not.toMatch(/not now\nnot now/);
    await cluster.run(
      'BEGIN READ WRITE; ALTER DATABASE postgres RESET default_transaction_read_only; COMMIT',
    );
    await cluster.run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cofferdam'",
    );
    await until(async () => (await edit(1, 'kept.txt', 'again')).kind === 'done');
  });

  test('say why they do not start, and never show the password', async () => {
    await cluster.run('CREATE ROLE weak LOGIN; REVOKE ALL ON SCHEMA hostile FROM weak');
    const as = (user: string, schema: string) =>
      cluster.address(schema).replace('cofferdam@', `${user}:hidden-secret@`);
    const cases: [string, RegExp][] = [
      [as('weak', 'new_one'), /permission denied/],
      [as('weak', 'hostile'), /permission denied/],
      [as('nobody_here', 'hostile'), /role "nobody_here" does not exist/],
      [as('cofferdam', 'hostile').replace('/postgres?', '/no_such?'), /database "no_such" does not exist/],
      [as('cofferdam', 'hostile').replace(String(cluster.port), '1'), /cannot be reached \(ECONNREFUSED\)/],
    ];
    for (const [at, why] of cases) {
      const { message } = await connectToFleet(at, [], true).then(
        () => expect.fail(`it worked: ${why}`),
        (error: Error) => error,
      );
      expect(message).toMatch(why);
      expect(message).not.toContain('hidden-secret');
    }
  });
});

test.skipIf(postgresPrograms() !== undefined)(NO_POSTGRES, (context) => context.skip());
