/** What the snapshot before a command covers, what it leaves behind, and how the server reports the rest. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { InProcessClient, runInProcess } from '../../../in-process.ts';
import { soak } from '../../../soak.ts';
import { layOut, memoryDirectory, readBack } from '../../../tree.ts';

let home: { path: string; remove(): void };
let root: string;
let state: string;
let client: InProcessClient | undefined;
beforeEach(() => {
  home = memoryDirectory();
  root = join(home.path, 'root');
  state = join(home.path, 'state');
  mkdirSync(root);
});
afterEach(async () => {
  await client?.end();
  client = undefined;
  // Faster than Node where there are thousands of files.
  execFileSync('rm', ['-rf', root]);
  home.remove();
});

async function serve(): Promise<InProcessClient> {
  client = await InProcessClient.start(['--dialect', 'replay', '--sandbox', 'off', '--state', state, root]);
  return client;
}

async function command(line: string): Promise<string[]> {
  const { result } = await client!.call('execute_command', { command: line });
  return result!.content.map(({ text }) => text!);
}

async function run(...args: string[]) {
  const outcome = await runInProcess([...args, '--state', state]);
  return { ...outcome, all: outcome.stdout + outcome.stderr };
}

/** `count` files, spread over directories of a thousand. */
async function fill(count: number): Promise<void> {
  const script =
    'for d in $(seq 0 999 "$1"); do mkdir "d$d"; (cd "d$d" && seq -f "f%g" 1 999 | xargs touch); done';
  await promisify(execFile)('sh', ['-c', script, 'sh', String(count)], { cwd: root });
}

/** Like `fill`, with hard links to the first files, which cost less: for tests that only count entries. */
async function fillWithLinks(count: number): Promise<void> {
  await fill(1);
  const script = 'for d in $(seq 999 999 "$1"); do mkdir "../d$d" && ln f* "../d$d"; done';
  await promisify(execFile)('sh', ['-c', script, 'sh', String(count)], { cwd: join(root, 'd0') });
}

test('one file that a command removes from a large tree is named, and can be restored', async () => {
  await fill(soak(5_000, 30_000));
  writeFileSync(join(root, 'd999/f7'), 'precious\n');
  await serve();
  expect(await command('rm d999/f7')).toHaveLength(1);
  expect((await run('history')).stdout).toContain(`removed ${join(root, 'd999/f7')}`);
  expect((await run('undo')).status).toBe(0);
  expect(readFileSync(join(root, 'd999/f7'), 'utf8')).toBe('precious\n');
});

test('in a directory of thousands of entries only those that a command touched are named', async () => {
  const names = Array.from({ length: 1300 }, (_, i) => `f${i}`);
  layOut(root, Object.fromEntries(names.map((name) => [name, `${name}\n`])));
  await serve();
  await command('rm f700; echo other > f1200; mv f10 moved; echo new > added');
  const before = readBack(root);
  const [entry] = JSON.parse((await run('history', '--json')).stdout);
  const told = (entry.changes as { kind: string; path: string }[]).map(
    ({ kind, path }) => `${kind} ${path.slice(root.length + 1)}`,
  );
  expect(told.sort()).toEqual(
    ['changed f1200', 'created added', 'created moved', 'removed f10', 'removed f700'].sort(),
  );
  expect((await run('undo')).status).toBe(0);
  expect(readBack(root)).toEqual(Object.fromEntries(names.map((name) => [name, `${name}\n`])));
  expect((await run('redo')).status).toBe(0);
  expect(readBack(root)).toEqual(before);
});

test('the answer, the history, diff and undo name what the snapshot does not cover', async () => {
  await fillWithLinks(101_000);
  writeFileSync(join(root, 'd999/precious'), 'precious\n');
  await serve();
  for (const line of ['rm d999/precious', 'true']) {
    const [own, note, ...more] = await command(line);
    expect(own).not.toContain('not recorded');
    expect(note).toMatch(/^\[not recorded: .*100000 entries.*cannot be undone\]$/);
    expect(more).toEqual([]);
  }
  const [id] = (await run('history')).stdout.split(' ');
  expect((await run('history')).stdout).toMatch(/changed by a command; not recorded: .*100000 entries/);
  expect((await run('history', join(root, 'd999'))).stdout).toContain('not recorded');
  expect((await run('diff', id!)).stdout).toContain('not recorded');
  const undo = await run('undo');
  expect([undo.status, undo.all]).toEqual([1, expect.stringContaining('not recorded')]);
  expect((await run('undo', '--force')).status).toBe(1);
  await client!.says('100,000 entries');
});

test('unchanged contents are never left in the state directory, not even for a moment', async () => {
  layOut(root, { 'a.txt': 'only looked at\n', 'b.txt': 'b\n' });
  await serve();
  await command('echo more >> b.txt');
  const kept = readdirSync(state, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
  expect(kept).not.toContain('only looked at');
  expect((await run('undo')).status).toBe(0);
  expect(readBack(root)).toEqual({ 'a.txt': 'only looked at\n', 'b.txt': 'b\n' });
});

const SECRETS = [
  ...['.env', '.env.local', '.envrc', 'cert.pem', 'tls.key', 'x.p12', 'x.pfx', 'id_rsa', 'id_rsa.old'],
  ...[
    'id_ecdsa',
    'id_ed25519',
    '.ssh/known',
    '.aws/config',
    'sub/.gnupg/ring',
    '.netrc',
    '.npmrc',
    '.pypirc',
  ],
  ...[
    '.pgpass',
    '.git-credentials',
    'pass.kdbx',
    'my-credentials-2.json',
    '.docker/config.json',
    '.kube/config',
  ],
  ...[
    'ID_RSA',
    'Server.PEM',
    '.Env.Local',
    'up/.SSH/x',
    'A-Credentials.JSON',
    'keys.pem/inner.txt',
    'in/.env/x.txt',
  ],
];
/** Longer than any of the others: a file with the size of something lost counts as a possible copy of it. */
const CHANGED = 'changed'.repeat(10);
const NO_SECRETS = [
  '.env.example',
  '.env.sample',
  '.env.template',
  'key.txt',
  'config.json',
  'my.ssh/x',
  'a.keys',
];

test('a snapshot does not copy files with the names of secrets, and the answer says so', async () => {
  const tree = Object.fromEntries([...SECRETS, ...NO_SECRETS].map((path) => [path, `of ${path}\n`]));
  layOut(root, tree);
  await serve();
  await command(`find . -type f -exec sh -c 'for f; do echo ${CHANGED} > "$f"; done' sh {} +`);
  const [entry] = JSON.parse((await run('history', '--json')).stdout);
  const kept = (path: string) =>
    entry.changes.find((change: { path: string }) => change.path === join(root, path)).before.kept;
  for (const path of SECRETS)
    expect([path, kept(path).why]).toEqual([path, expect.stringContaining('suggests a secret')]);
  for (const path of NO_SECRETS) expect([path, kept(path)]).toEqual([path, { in: 'store' }]);
  const undo = await run('undo');
  expect([undo.status, undo.all]).toEqual([1, expect.stringContaining('not copied before a command')]);
  expect((await run('undo', '--force')).status).toBe(0);
  for (const path of NO_SECRETS) expect(readFileSync(join(root, path), 'utf8')).toBe(tree[path]);
  for (const path of SECRETS) expect(readFileSync(join(root, path), 'utf8')).toBe(`${CHANGED}\n`);
});

test('the changes of commands that run at the same time are all found', async () => {
  layOut(root, { 'a.txt': 'a\n', 'b.txt': 'b\n' });
  await serve();
  await Promise.all([command('sleep 0.5; echo more >> a.txt'), command('echo more >> b.txt')]);
  expect((await run('undo', '--since', '1h', '--force')).all).not.toContain('cannot be');
  expect(readBack(root)).toEqual({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
});

test('a file of some MiB that a command created is recognised by its content', async () => {
  await serve();
  await command('(head -c 1000000 /dev/zero | tr "\\0" x; echo; echo unique) > made.bin');
  const [{ id }] = JSON.parse((await run('history', '--json')).stdout);
  await client!.text('edit_file', {
    path: 'made.bin',
    edits: [{ oldText: 'unique', newText: 'y' }],
  });
  expect((await run('undo')).status).toBe(0);
  expect((await run('undo', id)).all).toContain('undone');
  expect(existsSync(join(root, 'made.bin'))).toBe(false);
});

test('a large file that was moved and then changed to the same size is not taken for the moved one', async () => {
  await serve();
  writeFileSync(join(root, 'large'), 'x'.repeat(5_000_000));
  await client!.text('move_file', { source: 'large', destination: 'moved' });
  writeFileSync(join(root, 'moved'), 'y'.repeat(5_000_000));
  const undo = await run('undo');
  expect([undo.status, undo.all]).toEqual([1, expect.stringContaining('changed since')]);
});
