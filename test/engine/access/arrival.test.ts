/** Calls keep their order of arrival, even while they still read their arguments and look around. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { anonymous, Engine } from '../../../src/engine/index.ts';
import { InProcessClient } from '../../in-process.ts';
import { layOut, temporaryDirectory } from '../../tree.ts';

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
  layOut(directory.path, { 'a.txt': 'old\n', 'd/b.txt': 'b\n' });
});
afterEach(() => directory.remove());

it('a read waits until an earlier write has named its path', async () => {
  const engine = new Engine({ roots: [{ path: directory.path, writable: true }] });
  const [first, second] = [engine.arrive(), engine.arrive()];
  const writer = engine.as({ ...anonymous, arrival: first });
  const reader = engine.as({ ...anonymous, arrival: second });
  const read = reader.files.readText('a.txt');
  // Looking around does not name any paths yet.
  await writer.files.peek('a.txt');
  await writer.files.check('a.txt', 'write');
  await new Promise((resolve) => setImmediate(resolve));
  const written = writer.files.write('a.txt', 'new\n');
  expect((await read).text).toBe('new\n');
  await written;
  for (const arrival of [first, second]) arrival.markNamed();
  await engine.close();
});

it('no call waits for one that ended without naming a path', async () => {
  const engine = new Engine({ roots: [{ path: directory.path, writable: true }] });
  const ended = engine.arrive();
  const reading = engine.as({ ...anonymous, arrival: engine.arrive() }).files.readText('a.txt');
  ended.markNamed();
  expect((await reading).text).toBe('old\n');
  await engine.close();
});

it.each([
  ['standard', 'move_file', { source: 'a.txt', destination: 'b.txt' }, 'b.txt', 'old\n'],
  ['standard', 'edit_file', { path: 'a.txt', edits: [{ oldText: 'old', newText: 'new' }] }, 'a.txt', 'new\n'],
  [
    'replay,patch',
    'patch_apply',
    { path: 'a.txt', patch: '--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-old\n+new\n' },
    'a.txt',
    'new\n',
  ],
  [
    'standard',
    'delete_file',
    { path: 'd', recursive: true },
    'd/b.txt',
    "ENOENT: no such file or directory, open 'd/b.txt'",
  ],
])('%s: a read that is sent right after %s sees what it did', async (dialect, tool, args, path, text) => {
  const client = await InProcessClient.start(['--no-journal', '--dialect', dialect, directory.path]);
  const [done, read] = await Promise.all([client.call(tool, args), client.call('read_file', { path })]);
  expect(done.result?.isError ?? false).toBe(false);
  expect(read.result?.content[0]?.text).toBe(text);
  await client.end();
});
