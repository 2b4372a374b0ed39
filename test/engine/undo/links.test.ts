/** Links were put in the place of directories: undo and redo follow none of them, and say so. */
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Engine, History, type JournalEntry } from '../../../src/engine/index.ts';
import { layOut, readBack, temporaryDirectory } from '../../tree.ts';
import { fingerprint } from '../confine/wall-fixture.ts';

let home: { path: string; remove(): void };
let state: { path: string; remove(): void };
let root: string;
let engine: Engine;
let history: History;

beforeEach(() => {
  home = temporaryDirectory();
  root = at('root');
  mkdirSync(root);
  state = temporaryDirectory();
});
afterEach(async () => {
  await engine.close();
  home.remove();
  state.remove();
});

function at(path: string): string {
  return join(home.path, path);
}

/** The history of an engine that serves the root, and that of a program that serves nothing. */
function open(tree: Parameters<typeof layOut>[1]): void {
  layOut(root, tree);
  const commands = { sandbox: 'off', environment: process.env } as const;
  engine = new Engine({ roots: [{ path: root, writable: true }], journal: state.path, commands });
  history = new History(state.path);
}

const newest = async () => (await history.entries())[0]!;

/** Expects that an undo does nothing, with force or without, and says why. */
async function expectRefused({ id }: JournalEntry, words: string, by: Engine['history'] | History = history) {
  const before = fingerprint(home.path);
  for (const force of [false, true]) {
    const outcome = await by.undo(id, { force });
    expect(outcome).toMatchObject({ done: false });
    const { obstacles } = outcome as { obstacles: { why: string; forceable: boolean }[] };
    expect(obstacles.map(({ why }) => why)).toEqual(obstacles.map(() => expect.stringContaining(words)));
    expect(obstacles.length).toBeGreaterThan(0);
    expect(obstacles.every(({ forceable }) => !forceable)).toBe(true);
  }
  expect((await by.plan(id))!.obstacles[0]!.why).toContain(words);
  expect(fingerprint(home.path)).toEqual(before);
}

describe('a link in place of the root', () => {
  test.each([
    ['to the directory above it', '.'],
    ['to a directory next to it', 'beside'],
    ['to the top of the file system', '/'],
    ['to somewhere else', '/etc'],
    ['to nothing', 'nowhere'],
  ])('%s is not followed', async (_, target) => {
    open({ 'f.txt': 'ours\n', 'conf/x.txt': 'old\n', 'conf/y.txt': 'y\n' });
    layOut(home.path, { 'conf/x.txt': 'new\n', 'conf/y.txt': 'precious\n', 'beside/conf/x.txt': 'new\n' });
    await engine.files.remove('f.txt');
    const removed = await newest();
    await engine.files.write('conf/x.txt', 'new\n');
    const changed = await newest();
    await engine.files.write('conf/y.txt', 'z\n');
    const other = await newest();
    renameSync(root, at('away'));
    symlinkSync(target, root);
    for (const entry of [removed, changed, other]) await expectRefused(entry, 'link');
    rmSync(root);
    renameSync(at('away'), root);
    for (const { id } of [other, changed, removed])
      expect(await history.undo(id)).toMatchObject({ done: true });
    expect(readBack(root)).toEqual({ 'f.txt': 'ours\n', 'conf/x.txt': 'old\n', 'conf/y.txt': 'y\n' });
  });

  test('is not followed by a server of a directory above it either', async () => {
    open({ 'f.txt': 'ours\n' });
    await engine.files.remove('f.txt');
    const entry = await newest();
    await engine.close();
    engine = new Engine({ roots: [{ path: home.path, writable: true }], journal: state.path });
    renameSync(root, at('away'));
    symlinkSync('.', root);
    await expectRefused(entry, 'is now a link to .', engine.history);
  });
});

describe('a link in place of a directory', () => {
  const TREE = { 'd/a.txt': 'old\n', 'd/b.txt': 'bbb\n', 'd/m.txt': 'm\n', 'e/a.txt': 'new\n' };

  test.each([
    ['inside', 'e'],
    ['outside', '../outside'],
    ['above the root', '..'],
    ['nowhere', 'nothing'],
  ])('that leads %s is not followed, and is reported as an obstacle', async (_, target) => {
    open(TREE);
    layOut(home.path, { 'outside/a.txt': 'new\n' });
    const entries: JournalEntry[] = [];
    for (const change of [
      () => engine.files.write('d/a.txt', 'new\n'),
      () => engine.files.remove('d/b.txt'),
      () => engine.files.write('d/new.txt', 'new\n'),
      () => engine.files.write('d/deep/er/new.txt', 'new\n'),
      () => engine.files.move('d/m.txt', 'moved.txt'),
      () => engine.files.move('moved.txt', 'd/back.txt'),
    ]) {
      await change();
      entries.unshift(await newest());
    }
    renameSync(join(root, 'd'), join(root, 'dd'));
    symlinkSync(target, join(root, 'd'));
    for (const entry of entries) {
      await expectRefused(entry, `${join(root, 'd')} is now a link to ${target}`);
      await expectRefused(entry, 'put the directory back', engine.history);
    }
    rmSync(join(root, 'd'));
    renameSync(join(root, 'dd'), join(root, 'd'));
    for (const { id } of entries) expect(await history.undo(id)).toMatchObject({ done: true });
    expect(readBack(root)).toEqual(TREE);
  });

  test('is an obstacle, and so is a file', async () => {
    open(TREE);
    await engine.files.remove('d/b.txt');
    renameSync(join(root, 'd'), join(root, 'dd'));
    writeFileSync(join(root, 'd'), 'a file\n');
    await expectRefused(await newest(), 'is now a file, not a directory: move it away first');
  });

  test.each([
    ['moved', 'mv r r2; ln -s r2 r'],
    ['copied and removed', 'cp -r r r2; rm -rf r; ln -s r2 r'],
    ['moved deeper', 'mkdir -p p/q; mv r p/q/r; ln -s p/q/r r'],
    ['exchanged for a link that leads outside', 'mv r r2; ln -s / r'],
    ['moved file by file', 'mkdir s; mv r/x r/deep s; rmdir r; ln -s s r'],
  ])('that a command put there (directory %s) can be undone and redone', async (_, command) => {
    open({ 'r/x': 'precious\n', 'r/deep/y': 'y\n' });
    const before = readBack(root);
    await engine.commands.runShellLine(command);
    const after = readBack(root);
    expect(after.r).toMatchObject({ link: expect.anything() });
    const entry = await newest();
    for (let round = 0; round < 3; round++) {
      expect(await history.undo(entry.id)).toMatchObject({ done: true });
      expect(readBack(root)).toEqual(before);
      const undoing = (await history.entries()).find(({ undoes, state }) => undoes && state === 'done')!;
      expect(await history.undo(undoing.id)).toMatchObject({ done: true });
      expect(readBack(root)).toEqual(after);
    }
  });
});
