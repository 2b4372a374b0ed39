/** Copying a history from a state directory to PostgreSQL and back changes neither its texts nor how it is undone. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { showHistory } from '../../src/cli/history/history.ts';
import { plainPaint } from '../../src/display/colour.ts';
import { Engine, History, type StateSource } from '../../src/engine/index.ts';
import { Connection } from '../../src/state/postgres/connections/connection.ts';
import { Fleet } from '../../src/state/postgres/open.ts';
import { program } from '../client.ts';
import { runInProcess } from '../in-process.ts';
import { type Cluster, postgresPrograms, startCluster } from '../state/postgres/cluster.ts';
import { layOut, temporaryDirectory } from '../tree.ts';
import { until } from '../until.ts';

const LARGE = 5 * 1024 * 1024;
const NOT_UTF8 = Buffer.from([0x66, 0xff, 0xfe]);

describe.skipIf(postgresPrograms() === undefined)('cofferdam state copy', () => {
  let cluster: Cluster;
  let scratch: { path: string; remove(): void };
  let root: string;
  let addressFile: string;

  beforeAll(async () => {
    cluster = await startCluster();
    scratch = temporaryDirectory();
    root = join(scratch.path, 'docs');
    addressFile = join(scratch.path, 'address');
    writeFileSync(addressFile, `${cluster.address('copied')}\n`, { mode: 0o600 });
    await makeHistory(root, at('first'));
    await call('read_text_file', { path: join(root, 'a.txt') });
  });
  afterAll(async () => {
    scratch.remove();
    await cluster.remove();
  });

  const at = (name: string) => join(scratch.path, name);
  const run = runInProcess;
  const call = (tool: string, args: object) =>
    run(['call', tool, JSON.stringify(args), '--state', at('first'), root]);
  const copy = (...args: string[]) => run(['state', 'copy', ...args]);

  test('says which directories need a name, and copies nothing without them', async () => {
    const { status, stderr } = await copy(at('first'), `@${addressFile}`);
    expect(status).toBe(1);
    expect(stderr).toContain(`  ${root}=NAME  (`);
    expect(await cluster.run('SELECT FROM copied.records')).toEqual([]);
  });

  test('publishes nothing if the history grows meanwhile or the copy is killed, and can be repeated', async () => {
    const args = ['state', 'copy', at('first'), `@${addressFile}`, `${root}=docs`];
    const holding = await heldBack('trace');
    const refused = startedCopy(args);
    await holding.isWaitedFor();
    await call('write_file', { path: join(root, 'late.txt'), content: 'late\n' });
    await holding.end();
    expect(await refused.ended).toEqual({
      status: 1,
      said: expect.stringMatching(/^A server changed the history/),
    });
    expect(await cluster.run("SELECT FROM copied.records WHERE log = 'journal'")).toEqual([]);

    const blocked = await heldBack('journal');
    const killed = startedCopy(args);
    await blocked.isWaitedFor();
    killed.kill();
    await killed.ended;
    await blocked.end();
    expect(await cluster.run("SELECT FROM copied.records WHERE log = 'journal'")).toEqual([]);

    const { status, stdout, stderr } = await run(args);
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^copied: \d+ entries\n +\d+ contents?, [\d,]+ bytes; \d+ more from an earlier copy\n/,
    );
    expect((await run(args)).stderr).toMatch(/has a history or a trace already/);
  });

  test('copies back to a directory, but only with a name for each directory', async () => {
    const unnamed = await copy(`@${addressFile}`, at('back'));
    expect(unnamed.status).toBe(1);
    expect(unnamed.stderr).toContain('  DIR=docs  (');
    const { status, stdout, stderr } = await copy(`@${addressFile}`, at('back'), `${root}=docs`);
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^copied: \d+ entries\n +\d+ contents, [\d,]+ bytes\n +2 trace events\n$/);
  });

  test('makes copies that show and undo the same as the original', async () => {
    const fleet = new Fleet(cluster.address('copied'), [{ name: 'docs', real: root }]);
    const sources: StateSource[] = [at('first'), () => fleet.openState(), at('back')];
    const [first, ...others] = await inTurn(sources, told);
    for (const other of others) expect(other).toEqual(first);
    execFileSync('cp', ['-a', root, at('as-it-was')]);
    const [undone, ...more] = await inTurn(sources, async (source) => {
      rmSync(root, { recursive: true });
      execFileSync('cp', ['-a', at('as-it-was'), root]);
      const outcomes = await undoAll(source);
      return { outcomes, files: filesIn(root) };
    });
    await fleet.close();
    for (const other of more) expect(other).toEqual(undone);
    expect(undone!.files).toContain(`./dir/${NOT_UTF8.toString('latin1')}/inner f 644`);
    expect(undone!.files).toContain('./gone/keep.txt f 600');
    expect(undone!.files).not.toContain('./gone/secret.txt');
    expect(undone!.files).toContain('./dir/link l 777 x.txt');
    expect(undone!.outcomes).toContainEqual(expect.stringContaining('its contents were forgotten'));
    expect((await run(['history', '--state', at('back')])).stdout).toContain('write_file');
  });

  test('leaves out changes in directories without a name if asked to', async () => {
    const state = at('two');
    const [named, other] = [at('named'), at('other')];
    for (const [directory, text] of [
      [named, 'n'],
      [other, 'o'],
      [named, 'm'],
    ] as const) {
      mkdirSync(directory, { recursive: true });
      const engine = new Engine({ roots: [{ path: directory, writable: true }], journal: state });
      await engine.files.writeText('file.txt', text);
      await engine.close();
    }
    const { status, stdout } = await copy(state, cluster.address('part'), `${named}=named`, '--only-named');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^copied: 2 entries\n[\s\S]*\nleft out: 1 entry of directories without a name\n/);
    const bodies = await cluster.run('SELECT body FROM part.records');
    expect(bodies.map(({ body }) => String(body)).join()).not.toContain(other);
  });

  test.each([
    [['state'], /say what state should do: cofferdam state copy FROM TO/],
    [['state', 'copy', '/nowhere'], /say what to copy, and where to/],
    [['state', 'copy', '/nowhere', '/x'], /\/nowhere: no such directory/],
    [['state', 'copy', '.', '.'], /the same directory/],
    [['state', 'copy', '.', '/x', 'a=b'], /between a directory and a database/],
    [
      ['state', 'copy', '.', '/x', 'postgres://u:hidden-word@h/d'],
      /postgres:\/\/…: after FROM and TO, give DIR=NAME/,
    ],
  ] as const)('refuses %j and says why', async (args, words) => {
    const { status, stderr } = await run(args);
    expect(status).toBe(2);
    expect(stderr).toMatch(words);
    expect(stderr).not.toContain('hidden-word');
  });

  /** Locks a log of the database, so that nobody can write to it until `end`. */
  const heldBack = async (log: string) => {
    const connection = await Connection.open({ connectionString: cluster.address() });
    await connection.query(`BEGIN; SELECT FROM copied.logs WHERE log = '${log}' FOR UPDATE`);
    const [own] = await connection.query('SELECT pg_backend_pid() AS pid');
    // Count only waits for this lock: a program that starts also locks rows to check that locks work.
    const waiting = `SELECT FROM pg_stat_activity WHERE ${own!.pid} = ANY (pg_blocking_pids(pid))`;
    return {
      isWaitedFor: () => until(async () => (await cluster.run(waiting)).length > 0),
      end: async () => {
        await connection.query('ROLLBACK');
        connection.close();
      },
    };
  };
});

function startedCopy(args: readonly string[]) {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  const ended = new Promise<{ status: number | null; said: string }>((resolve) =>
    child.once('close', (status) => resolve({ status, said })),
  );
  return { ended, kill: () => child.kill('SIGKILL') };
}

/** Makes a history with everything that the two kinds of state store differently. */
async function makeHistory(root: string, state: string): Promise<void> {
  layOut(root, {
    'a.txt': 'one\n',
    'dir/x.txt': { text: 'x\n', mode: '640' },
    'dir/sub/y.txt': 'y\n',
    'dir/link': { link: 'x.txt' },
    'gone/keep.txt': { text: 'keep\n', mode: '600' },
    'gone/secret.txt': 'inner secret\n',
    'large.bin': { repeat: 'x', times: LARGE },
    'm.txt': 'move me\n',
    'secret.txt': 'old secret\n',
  });
  const raw = Buffer.concat([Buffer.from(`${root}/dir/`), NOT_UTF8]);
  mkdirSync(raw, { mode: 0o750 });
  writeFileSync(Buffer.concat([raw, Buffer.from('/inner')]), 'raw\n');
  const engine = new Engine({ roots: [{ path: root, writable: true }], journal: state });
  const { files, history } = engine;
  await files.writeText('a.txt', 'two\n');
  await files.writeText('a.txt', 'three\n');
  const redone = (await history.entries())[0]!;
  await history.undo(redone.id);
  await history.undo((await history.entries())[0]!.id);
  await files.move('m.txt', 'n.txt');
  await files.remove('dir', { recursive: true });
  await files.remove('gone', { recursive: true });
  await files.writeText('secret.txt', 'new\n');
  await files.writeText('large.bin', 'small\n');
  await engine.close();
  const stored = new History(state);
  await stored.forget({ what: 'path', path: join(root, 'secret.txt') });
  await stored.forget({ what: 'path', path: join(root, 'gone/secret.txt') });
}

/** Runs the work one source after another, because all of them use the same directory. */
async function inTurn<T>(
  sources: readonly StateSource[],
  work: (source: StateSource) => Promise<T>,
): Promise<T[]> {
  const all: T[] = [];
  for (const source of sources) all.push(await work(source));
  return all;
}

/** What `history` and `diff` show. PostgreSQL has a list of entries where a directory sets a whole tree aside. */
async function told(source: StateSource) {
  const history = new History(source);
  const { output } = await showHistory(history, { json: false }, plainPaint);
  const diffs: unknown[] = [];
  for (const { id } of await history.entries()) {
    for (const diff of await history.diff(id)) {
      diffs.push({
        ...diff,
        note: diff.note?.replace(/^a directory(, kept whole| with \d+ entries)/, 'a directory'),
      });
    }
  }
  return { output, diffs };
}

async function undoAll(source: StateSource): Promise<string[]> {
  const history = new History(source);
  return history.keepOpen(async () => {
    const outcomes: string[] = [];
    for (const { id, state, undoes } of await history.entries()) {
      if (state === 'undone' || undoes !== undefined) continue;
      const outcome = await history.undo(id, { force: true });
      outcomes.push(
        outcome?.done
          ? JSON.stringify(outcome.steps)
          : JSON.stringify(outcome?.obstacles.map(({ why }) => why)),
      );
    }
    return outcomes;
  });
}

/** All files with type, mode, link target and checksum; names as bytes. */
function filesIn(root: string): string {
  const list = execFileSync('find', ['.', '-printf', '%p %y %m %l\n'], { cwd: root, encoding: 'latin1' });
  const sums = execFileSync('find', ['.', '-type', 'f', '-exec', 'cksum', '{}', '+'], {
    cwd: root,
    encoding: 'latin1',
  });
  return [...list.split('\n'), ...sums.split('\n')].sort().join('\n');
}
