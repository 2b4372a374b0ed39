/** The size that --keep sets is never exceeded once a call is answered, whatever the call did. */
import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RawClient } from '../../../client.ts';
import { InProcessClient, runInProcess } from '../../../in-process.ts';
import { temporaryDirectory } from '../../../tree.ts';

const KIB = 1024;
const KEEP = 512 * KIB;

let home: { path: string; remove(): void };
let root: string;
let state: string;
const clients: (RawClient | InProcessClient)[] = [];
beforeEach(() => {
  home = temporaryDirectory();
  root = join(home.path, 'root');
  state = join(home.path, 'state');
  mkdirSync(root);
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.end();
  home.remove();
});

const options = (keep: string) => [
  ...['--dialect', 'replay', '--sandbox', 'off', '--keep', keep, '--state', state, root],
];

async function serve(keep = '512KiB'): Promise<InProcessClient> {
  const client = await InProcessClient.start(options(keep));
  clients.push(client);
  return client;
}

async function serveInOtherProcess(): Promise<RawClient> {
  const client = await RawClient.start(options('512KiB'));
  clients.push(client);
  return client;
}

/** How many bytes are kept, with the journal's own lines. The trace has its own limit. */
function kept(): number {
  let sum = 0;
  const into = (directory: string) => {
    for (const name of readdirSync(directory)) {
      const path = join(directory, name);
      const stat = lstatSync(path, { throwIfNoEntry: false });
      if (stat?.isDirectory() && path !== join(state, 'trace')) into(path);
      else if (stat && !stat.isDirectory()) sum += stat.size;
    }
  };
  into(state);
  return sum;
}

/** Text that cannot be compressed. */
const noise = (bytes: number) => randomBytes(bytes / 2).toString('hex');

function fill(directory: string, files: number, bytes: number): void {
  mkdirSync(join(root, directory), { recursive: true });
  for (let n = 0; n < files; n++) writeFileSync(join(root, directory, `f${n}`), noise(bytes));
}

const run = (...args: string[]) => runInProcess([...args, '--state', state]);

test('quick changes of a few files stay within the size, though their lines soon exceed their reserve', async () => {
  const client = await serve('200KiB');
  for (let n = 0; n < 60; n++) {
    await client.text('write_file', { path: `f${n % 4}`, content: noise(20_000 + (n % 25) * 2000) });
    expect(kept(), `${n}`).toBeLessThanOrEqual(200 * KIB);
  }
});

test('writes, deletions and commands of two servers at once stay within the size', async () => {
  const [one, two] = [await serve(), await serveInOtherProcess()];
  for (let round = 0; round < 6; round++) {
    fill(`tree${round}`, 10, 20 * KIB);
    fill(`other${round}`, 5, 20 * KIB);
    await one.text('write_file', { path: 'a.txt', content: noise(100 * KIB) });
    expect(kept()).toBeLessThanOrEqual(KEEP);
    await one.text('delete_file', { path: `tree${round}`, recursive: true });
    expect(kept()).toBeLessThanOrEqual(KEEP);
    await two.text('execute_command', { command: `rm -r other${round}` });
    expect(kept()).toBeLessThanOrEqual(KEEP);
    await two.text('write_file', { path: `b${round}.txt`, content: noise(60 * KIB) });
    expect(kept()).toBeLessThanOrEqual(KEEP);
    await Promise.all([
      one.text('write_file', { path: `b${round}.txt`, content: noise(60 * KIB) }),
      two.text('write_file', { path: 'c.txt', content: noise(80 * KIB) }),
    ]);
    expect(kept()).toBeLessThanOrEqual(KEEP);
  }
  // The newest change can always be undone.
  writeFileSync(join(root, 'last.txt'), 'precious\n');
  await one.text('delete_file', { path: 'last.txt' });
  expect((await run('undo')).status).toBe(0);
  expect(readFileSync(join(root, 'last.txt'), 'utf8')).toBe('precious\n');
});

test.each([
  ['delete a file', 'delete_file', { path: 'big' }],
  ['overwrite a file', 'write_file', { path: 'big', content: 'new' }],
  ['delete a tree', 'delete_file', { path: 'tree', recursive: true }],
])('a call to %s that is too large changes nothing, and the answer says why', async (_, tool, args) => {
  const client = await serve();
  writeFileSync(join(root, 'big'), noise(600 * KIB));
  fill('tree', 30, 20 * KIB);
  const { result, error } = await client.call(tool, args);
  const told = JSON.stringify(result ?? error);
  expect(told).toContain('more than --keep allows');
  expect(told).toContain('not changed');
  expect(readFileSync(join(root, 'big')).length).toBe(600 * KIB);
  expect(readdirSync(join(root, 'tree'))).toHaveLength(30);
  expect(kept()).toBeLessThanOrEqual(KEEP);
  await client.says('a larger change is refused');
});

test('reports what a command removes beyond the size as not kept', async () => {
  const client = await serve();
  fill('tree', 40, 20 * KIB);
  await client.text('execute_command', { command: 'rm -r tree' });
  expect(existsSync(join(root, 'tree'))).toBe(false);
  expect(kept()).toBeLessThanOrEqual(KEEP);
  const undo = await run('undo');
  expect([undo.status, undo.stdout + undo.stderr]).toEqual([
    1,
    expect.stringContaining('more than --keep allows'),
  ]);
  expect((await run('undo', '--force')).status).toBe(0);
  expect(readdirSync(join(root, 'tree')).length).toBeGreaterThan(10);
});

test('the first change shrinks a store that was filled with a larger limit', async () => {
  const before = await serve('10MiB');
  for (let n = 0; n < 20; n++) await before.text('write_file', { path: 'a.txt', content: noise(100 * KIB) });
  expect(kept()).toBeGreaterThan(KEEP);
  await before.end();
  const after = await serve();
  await after.text('write_file', { path: 'a.txt', content: 'small' });
  expect(kept()).toBeLessThanOrEqual(KEEP);
  expect((await run('undo')).status).toBe(0);
});
