/** `forget` as a user types it: afterwards, nothing in the state directory holds the secret any more. */
import { spawn } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { program, RawClient } from '../../client.ts';
import { InProcessClient, runInProcess } from '../../in-process.ts';
import { soak } from '../../soak.ts';
import { layOut, memoryDirectory, readBack } from '../../tree.ts';

const SECRET = 'hunter2-hunter2';

let home: { path: string; remove(): void };
let root: string;
let state: string;
let client: RawClient | InProcessClient | undefined;
beforeEach(() => {
  home = memoryDirectory();
  root = join(home.path, 'root');
  state = join(home.path, 'state');
  mkdirSync(root);
});
afterEach(async () => {
  await client?.end();
  client = undefined;
  home.remove();
});

async function run(...args: string[]) {
  const outcome = await runInProcess([...args, '--state', state], { cwd: root });
  return { ...outcome, all: outcome.stdout + outcome.stderr };
}

const SERVING = ['--dialect', 'replay', '--sandbox', 'off', '--trace-contents'];

async function serve(): Promise<void> {
  client = await InProcessClient.start([...SERVING, '--state', state, root]);
}

/** As users do: the server runs in a process of its own, and shares no memory with the commands. */
async function serveInOtherProcess(): Promise<void> {
  client = await RawClient.start([...SERVING, '--state', state, root]);
}

const write = (path: string, content: string) => client!.text('write_file', { path, content });
const newest = async (): Promise<string> =>
  JSON.parse((await run('history', '--json', '--limit', '1')).stdout)[0].id;

/** Every file below the state directory that contains the secret, compressed or not. */
function holdingSecret(): string[] {
  return readdirSync(state, { recursive: true, encoding: 'utf8' })
    .map((name) => join(state, name))
    .filter((path) => {
      const bytes = readIfFile(path);
      if (!bytes) return false;
      if (path.includes(SECRET) || bytes.includes(SECRET)) return true;
      return path.endsWith('.z') && inflateRawSync(bytes).includes(SECRET);
    });
}

/** The bytes of a file. Undefined if it is gone: a running server renames its drafts meanwhile. */
function readIfFile(path: string): Buffer | undefined {
  try {
    return statSync(path).isFile() ? readFileSync(path) : undefined;
  } catch {
    return undefined;
  }
}

/** Makes the journal and the trace keep the secret in every way that they have. */
async function scatter(): Promise<void> {
  const long = `${SECRET}\n${'padding that can be packed\n'.repeat(2000)}`;
  layOut(root, { 'tree/deep/key.txt': `${SECRET} in a tree\n`, 'tree/other.txt': 'other\n' });
  await serveInOtherProcess();
  await write('key.txt', `${SECRET}\n`);
  await write('key.txt', long);
  await client!.text('execute_command', { command: 'true' });
  await write('key.txt', 'clean\n');
  await write('copy.txt', `${SECRET}\n`);
  await write('copy.txt', 'clean too\n');
  await write('gone.txt', `${SECRET} gone\n`);
  await client!.text('delete_file', { path: 'gone.txt' });
  await client!.text('execute_command', { command: `echo ${SECRET} > made.txt` });
  await client!.text('execute_command', { command: 'rm made.txt' });
  await client!.text('delete_file', { path: 'tree', recursive: true });
  await write('plain.txt', 'one\n');
  await write('plain.txt', 'two\n');
}

test('removes all contents on request while a server runs, and the server keeps running', async () => {
  await scatter();
  expect(holdingSecret().length).toBeGreaterThan(3);
  const wouldGo = await run('forget', '--all', '--dry-run');
  expect(wouldGo.stdout).toContain('would forget');
  expect(holdingSecret().length).toBeGreaterThan(3);
  const { status, stdout } = await run('forget', '--all');
  expect(status).toBe(0);
  expect(stdout).toMatch(/^forgotten: \d+ contents/);
  expect(stdout).toContain('can no longer be undone:');
  expect(holdingSecret()).toEqual([]);
  await write('plain.txt', 'three\n');
  await write('plain.txt', 'four\n');
  expect((await run('undo')).status).toBe(0);
  expect(readBack(root)['plain.txt']).toBe('three\n');
});

test('removes every content that a path ever had, and keeps those of other paths', async () => {
  await scatter();
  for (const path of ['key.txt', './gone.txt', 'tree/deep', join(root, 'made.txt')]) {
    expect((await run('forget', path)).status).toBe(0);
  }
  expect(holdingSecret()).toEqual([]);
  // The rest of the tree and other files can still be undone.
  const entries: { id: string; origin: { tool: string }; changes: { path: string }[] }[] = JSON.parse(
    (await run('history', '--json')).stdout,
  );
  const of = (path: string) => entries.find(({ changes }) => changes[0]!.path === join(root, path))!.id;
  expect((await run('undo', of('plain.txt'))).status).toBe(0);
  expect(readBack(root)['plain.txt']).toBe('one\n');
  const tree = await run('undo', of('tree'));
  expect(tree.status).toBe(1);
  expect(tree.all).toContain('contents were forgotten: deep');
  expect((await run('undo', of('tree'), '--force')).status).toBe(0);
  expect(readBack(root)).toMatchObject({ 'tree/other.txt': 'other\n' });
  expect(existsSync(join(root, 'tree/deep'))).toBe(false);
});

test('also removes the same content of another path, and says so', async () => {
  await serve();
  await write('a.txt', `${SECRET}\n`);
  await write('b.txt', `${SECRET}\n`);
  await write('b.txt', 'clean\n');
  await write('a.txt', 'clean\n');
  const { stdout } = await run('forget', 'a.txt');
  expect(stdout).toContain(`the same contents were kept for: ${join(root, 'b.txt')}`);
  expect(holdingSecret()).toEqual([]);
});

test('removes copies inside deleted directories too, whichever copy the user names', async () => {
  const tree = {
    'a.txt': `${SECRET}\n`,
    'b.txt': `${SECRET}\n`,
    't/c.txt': `${SECRET}\n`,
    't/d.txt': 'other\n',
  };
  for (const named of ['a.txt', 'b.txt', 't/c.txt', 't']) {
    layOut(root, tree);
    await serve();
    linkSync(join(root, 't/c.txt'), join(root, 't/hard'));
    await client!.text('delete_file', { path: 'b.txt' });
    await client!.text('delete_file', { path: 't' });
    await write('a.txt', 'clean\n');
    expect(holdingSecret().length).toBe(4);
    // A bare `t` could also be the beginning of an entry's id.
    const { stdout } = await run('forget', `./${named}`);
    for (const other of ['a.txt', 'b.txt', 't'].filter((path) => !named.startsWith(path))) {
      expect([named, stdout]).toEqual([named, expect.stringMatching(`same contents.*${join(root, other)}`)]);
    }
    expect([named, holdingSecret()]).toEqual([named, []]);
    await client!.end();
  }
});

test('names the other entry that still needs the content of a deleted file', async () => {
  layOut(root, { 'a.txt': `${SECRET}\n`, 't/b.txt': `${SECRET}\n` });
  await serve();
  await write('a.txt', 'clean\n');
  const written = await newest();
  await client!.text('delete_file', { path: 't' });
  const deleted = await newest();
  expect((await run('forget', deleted)).stdout).toContain(`1 content stays: needed by ${written}`);
  expect((await run('forget', written)).status).toBe(0);
  expect(holdingSecret()).toEqual([]);
});

test('history, diff and undo say plainly that contents were forgotten', async () => {
  await serve();
  await write('a.txt', `${SECRET}\n`);
  await write('a.txt', 'clean\n');
  const id = await newest();
  await run('forget', id);
  expect(holdingSecret()).toEqual([]);
  expect((await run('history')).stdout).toMatch(new RegExp(`^${id}.*contents were forgotten`));
  expect((await run('diff', id)).stdout).toContain('contents were forgotten');
  const undo = await run('undo', id);
  expect(undo.status).toBe(1);
  expect(undo.all).toContain('contents were forgotten');
  expect(readBack(root)).toEqual({ 'a.txt': 'clean\n' });
});

test('keeps what another entry needs until the user forgets that entry too, in any order', async () => {
  await serve();
  await write('a.txt', 'A\n');
  await write('a.txt', 'B\n');
  const first = await newest();
  await write('a.txt', 'A\n');
  await write('a.txt', 'C\n');
  const last = await newest();
  const forgotten = await run('forget', first);
  expect(forgotten.stdout).toMatch(new RegExp(`stay.*needed by .*${last}`));
  expect((await run('undo', last)).status).toBe(0);
  expect((await run('redo', last)).status).toBe(0);
  await run('forget', last);
  expect((await run('undo', last)).all).toContain('contents were forgotten');
});

test('--force undoes the remaining files of an entry', async () => {
  layOut(root, { 'a.txt': 'a\n', 'b.txt': 'b\n' });
  await serve();
  await client!.text('execute_command', { command: 'echo x >> a.txt; echo x >> b.txt' });
  await run('forget', 'a.txt');
  const undo = await run('undo');
  expect([undo.status, undo.all]).toEqual([1, expect.stringContaining('contents were forgotten')]);
  expect((await run('undo', '--force')).status).toBe(0);
  expect(readBack(root)).toEqual({ 'a.txt': 'a\nx\n', 'b.txt': 'b\n' });
});

test('removes contents that no entry names', async () => {
  await serve();
  await write('a.txt', 'one\n');
  writeFileSync(join(state, 'store', 'f'.repeat(64)), SECRET);
  const { status, stdout } = await run('forget', 'a.txt');
  expect([status, stdout]).toEqual([0, expect.stringContaining('1 content that no entry needs')]);
  expect(holdingSecret()).toEqual([]);
});

test('removes what a killed server left behind', async () => {
  mkdirSync(join(state, 'store'), { recursive: true });
  mkdirSync(join(state, 'forgetting'), { recursive: true });
  mkdirSync(join(state, 'trace'), { recursive: true });
  writeFileSync(join(state, 'store/.new-0123'), SECRET);
  writeFileSync(join(state, 'forgetting/aside-0123'), SECRET);
  writeFileSync(join(state, 'trace/2026-01-01.jsonl'), `{"id":"torn","arguments":"${SECRET}`);
  await run('forget', '--all');
  expect(holdingSecret()).toEqual([]);
});

test('the next run completes a forget that was killed', async () => {
  const names = Array.from({ length: soak(120, 400) }, (_, n) => `d/f${n}`);
  layOut(root, Object.fromEntries(names.map((name) => [name, `${SECRET} ${name}\n`])));
  await serve();
  await client!.text('execute_command', { command: 'for f in d/*; do echo clean > $f; done' });
  const before = holdingSecret().length;
  expect(before).toBeGreaterThanOrEqual(names.length);
  const child = spawn(process.execPath, [program, 'forget', '--all', '--state', state]);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  while (!existsSync(join(state, 'forgetting')) && child.exitCode === null) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  child.kill('SIGKILL');
  await ended;
  expect((await run('forget', '--all')).status).toBe(0);
  expect(holdingSecret()).toEqual([]);
  expect((await run('undo')).all).toContain('contents were forgotten');
});

test('never guesses what the user meant', async () => {
  expect((await run('forget')).status).toBe(2);
  expect((await run('forget', '')).all).toContain('say what to forget');
  expect((await run('forget', '--all')).stdout).toBe('There is nothing to forget.\n');
  expect((await run('forget', 'nosuch')).all).toContain('there is no entry nosuch');
  expect((await run('forget', '--all', 'x')).status).toBe(2);
  const nothing = await run('forget', './nosuch');
  expect([nothing.status, nothing.stdout]).toEqual([0, expect.stringContaining('nothing to forget')]);
});
