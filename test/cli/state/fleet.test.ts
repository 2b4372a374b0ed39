/** The command line of a fleet: names of directories, and the address of the database, which stays secret. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { isNamedRoot, toNamedRoot } from '../../../src/cli/arguments/roots.ts';
import { program } from '../../client.ts';
import { runInProcess } from '../../in-process.ts';
import { type Cluster, NO_POSTGRES, postgresPrograms, startCluster } from '../../state/postgres/cluster.ts';
import { layOut, temporaryDirectory } from '../../tree.ts';
import { until } from '../../until.ts';

test.each([
  ['/srv/docs=docs', { path: '/srv/docs', writable: true, name: 'docs' }],
  ['/srv/docs=docs:ro', { path: '/srv/docs', writable: false, name: 'docs' }],
  ['/srv/a=b==docs', { path: '/srv/a=b', writable: true, name: 'docs' }],
  ['/srv/a=b==docs:ro', { path: '/srv/a=b', writable: false, name: 'docs' }],
  ['.=v1.2_x-y', { path: '.', writable: true, name: 'v1.2_x-y' }],
])('%s is a directory with a name', (text, root) => expect(toNamedRoot(text)).toEqual(root));

test.each(['/srv/docs', '/srv/a=b/c', '/srv/a=b=c', '=docs', '/srv/docs=', '/srv/docs=.x', '/srv/docs=a b'])(
  '%s is not a directory with a name',
  (text) => {
    expect(isNamedRoot(text)).toBe(false);
    expect(() => toNamedRoot(text)).toThrow(/DIR=NAME/);
  },
);

describe.skipIf(postgresPrograms() === undefined)('the program with a database', () => {
  let cluster: Cluster;
  let scratch: { path: string; remove(): void };
  let shared: string;
  let address: string;
  let schemas = 0;

  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster.remove());
  beforeEach(() => {
    scratch = temporaryDirectory();
    shared = join(scratch.path, 'shared');
    layOut(shared, { 'a.txt': 'one\n', 'inner/': '' });
    const url = new URL(cluster.address(`cli_${schemas++}`));
    url.password = 'hidden-word';
    address = url.href;
  });
  afterEach(() => scratch.remove());

  const run = async (args: string[], env: Record<string, string> = { COFFERDAM_STATE: address }) => {
    const outcome = await runInProcess(args, { env: { ...process.env, ...env } });
    expect(`${outcome.stdout}${outcome.stderr}`).not.toContain('hidden-word');
    return outcome;
  };
  const edit = async (oldText: string, newText: string) =>
    await run([
      'call',
      'edit_file',
      JSON.stringify({ path: 'a.txt', edits: [{ oldText, newText }] }),
      `${shared}=docs`,
    ]);
  const content = () => readFileSync(join(shared, 'a.txt'), 'utf8');

  it('shows history without the directory, and undoes and redoes with it', async () => {
    expect((await edit('one', 'two')).status).toBe(0);
    expect((await run(['history'])).stdout).toMatch(/edit_file\s+done\s+changed =docs\/a\.txt/);
    expect((await run(['history', '=docs'])).stdout).toContain('=docs/a.txt');
    expect((await run(['history', '=other'])).stdout).toBe('No changes are recorded.\n');
    const [id] = /^\w+/.exec((await run(['history'])).stdout)!;
    expect((await run(['diff', id])).stdout).toMatch(/-one\n\+two/);
    const refused = await run(['undo']);
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('DIR=docs')]);
    expect(content()).toBe('two\n');
    expect((await run(['undo', `${shared}=docs`])).stdout).toContain('restore');
    expect(content()).toBe('one\n');
    expect((await run(['redo', `${shared}=docs`])).status).toBe(0);
    expect(content()).toBe('two\n');
    expect((await run(['trace'])).stdout).toMatch(/edit_file[\s\S]*undo/);
  });

  it('refuses command lines that would not keep replicas apart', async () => {
    const call = async (...roots: string[]) =>
      (await run(['call', 'list_directory', '{"path":"."}', ...roots])).stderr;
    expect(await call(shared)).toContain('DIR=NAME');
    expect(await call(`${shared}=a`, `${shared}/inner=b`)).toContain('give the outer directory alone');
    mkdirSync(join(scratch.path, 'other'));
    expect(await call(`${shared}=a`, `${scratch.path}/other=a`)).toContain(
      'a is the name of two directories',
    );
    expect(await call(`${shared}=a`)).toBe('');
    expect(await call(`${scratch.path}/other=a`)).toContain('is not the directory that the fleet calls a');
    expect((await run(['--no-journal', '--http', '0', `${shared}=a`])).stderr).toContain(
      '--no-journal is not for a fleet',
    );
    expect((await run(['--client-roots'])).stderr).toContain('DIR=NAME');
  });

  it('takes the address from a file that other users cannot read', async () => {
    const file = join(scratch.path, 'address');
    writeFileSync(file, `${address}\n`, { mode: 0o600 });
    expect((await run(['history', '--state-file', file], {})).stdout).toBe('No changes are recorded.\n');
    chmodSync(file, 0o640);
    expect((await run(['history', '--state-file', file], {})).stderr).toContain(`chmod 600 ${file}`);
    writeFileSync(file, 'hidden-word');
    chmodSync(file, 0o600);
    expect((await run(['history', '--state-file', file], {})).stderr).toContain('no address');
    expect((await run(['history', '--state', address, '--state-file', file], {})).stderr).toContain(
      'exclude each other',
    );
  });

  it('says where the database is and why it cannot be used, and never shows credentials', async () => {
    const away = new URL(address);
    away.port = '1';
    expect((await run(['history', '--state', away.href], {})).stderr).toMatch(
      /PostgreSQL at 127\.0\.0\.1:1.*ECONNREFUSED/,
    );
    expect((await run(['history', '--state', 'postgres://u:hidden-word@[/x'], {})).stderr).toContain(
      'not an address like',
    );
    expect((await run(['doctor', `${shared}=docs`])).stdout).toContain('kept in PostgreSQL at 127.0.0.1');
  });

  it.skipIf(process.platform !== 'linux')(
    'hides the address from process lists and from commands',
    async () => {
      const child = spawn(process.execPath, [program, '--http', '0', '--state', address, `${shared}=docs`], {
        stdio: ['ignore', 'ignore', 'pipe'],
        env: { ...process.env, COFFERDAM_TOKEN: 'a-long-enough-token-for-tests' },
      });
      let said = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
      try {
        await until(() => said.includes('serving http') || child.exitCode !== null);
        expect(said).toContain('serving http');
        expect(said).not.toContain('hidden-word');
        const line = readFileSync(`/proc/${child.pid}/cmdline`, 'utf8');
        expect(line).toMatch(/^cofferdam .*--state postgres:/);
        expect(line).not.toContain('hidden-word');
      } finally {
        const ended = new Promise((resolve) => child.once('close', resolve));
        child.kill();
        await ended;
      }
    },
  );
});

test.skipIf(postgresPrograms() !== undefined)(NO_POSTGRES, (context) => context.skip());
