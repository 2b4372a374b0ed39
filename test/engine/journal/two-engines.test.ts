/** Two engines in one process share nothing but what is on the disk. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Engine } from '../../../src/engine/index.ts';
import { layOut, readBack, temporaryDirectory } from '../../tree.ts';

let directories: { path: string; remove(): void }[];
let engines: Engine[];
beforeEach(() => {
  directories = [temporaryDirectory(), temporaryDirectory(), temporaryDirectory()];
  engines = [];
});
afterEach(async () => {
  for (const engine of engines) await engine.close();
  for (const directory of directories) directory.remove();
});

function open(root: string, journal: string): Engine {
  const engine = new Engine({ roots: [{ path: root, writable: true }], journal });
  engines.push(engine);
  return engine;
}

test('each of two engines on one journal reads what the other has added', async () => {
  const [root, journal] = directories.map(({ path }) => path) as [string, string, string];
  layOut(root, { 'a.txt': 'start\n' });
  const [one, two] = [open(root, journal), open(root, journal)];
  await one.files.write('a.txt', 'one\n');
  const [written] = await two.history.entries();
  await one.close();
  expect(await two.history.undo(written!.id)).toMatchObject({ done: true });
  expect(readBack(root)).toEqual({ 'a.txt': 'start\n' });
  expect(await two.history.entry(written!.id)).toMatchObject({ state: 'undone' });
});

test('engines with separate journals do not see each other’s entries', async () => {
  const [root, here, there] = directories.map(({ path }) => path) as [string, string, string];
  layOut(root, { 'a.txt': 'start\n' });
  const [one, two] = [open(root, here), open(root, there)];
  await one.files.write('a.txt', 'one\n');
  await two.files.write('a.txt', 'two\n');
  const [first, second] = [await one.history.entries(), await two.history.entries()];
  expect([first.length, second.length]).toEqual([1, 1]);
  expect(await two.history.entry(first[0]!.id)).toBeUndefined();
});
