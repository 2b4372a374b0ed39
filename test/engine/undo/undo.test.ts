import { appendFileSync, chmodSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type Engine, nobody } from '../../../src/engine/index.ts';
import { type House, openHouse } from '../journal/house.ts';

const TREE = {
  'a.txt': 'one\ntwo\nthree\n',
  'b.txt': 'b\n',
  'bin.dat': { base64: '/wD+' },
  'run.sh': { text: '#!/bin/sh\n', mode: '755' },
  'src/deep/x.ts': 'export const x = 1;\n',
  'src/deep/y.ts': 'export const y = 2;\n',
  'src/link': { link: 'deep/x.ts' },
  'src/none/': '',
  'empty/': '',
} as const;

let house: House;
afterEach(() => house.close());

const OPERATIONS: Record<string, (engine: Engine) => Promise<unknown>> = {
  'a new file': (engine) => engine.write('new.txt', 'new\n'),
  'a new file in new directories': (engine) => engine.write('p/q/new.txt', 'new\n'),
  'a file that is overwritten': (engine) => engine.write('a.txt', 'other\n'),
  'a binary file that is overwritten': (engine) => engine.write('bin.dat', Buffer.from([1, 2, 0, 255])),
  'a program that is overwritten': (engine) => engine.write('run.sh', '#!/bin/sh\nexit 1\n'),
  'files that are written together': (engine) =>
    engine.writeAll([
      { path: 'a.txt', content: 'A\n' },
      { path: 'more/c.txt', content: 'C\n' },
      { path: 'b.txt', content: 'B\n' },
    ]),
  'an edit': (engine) =>
    engine.edit('a.txt', [
      { kind: 'literal', find: 'two', replace: '2', match: 'exact', expect: 'unique' } as never,
    ]),
  'text that is appended': (engine) => engine.append('b.txt', 'more\n'),
  'lines that are inserted into two files': (engine) =>
    engine.insertLines([
      { path: 'a.txt', line: 1, content: 'zero\n' } as never,
      { path: 'b.txt', line: 1, content: 'zero\n' } as never,
    ]),
  'a patch that changes': (engine) =>
    engine.patch('a.txt', '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n'),
  'a patch that creates': (engine) =>
    engine.patch('n/new.txt', '--- /dev/null\n+++ b/n/new.txt\n@@ -0,0 +1 @@\n+hi\n'),
  'a patch that deletes': (engine) =>
    engine.patch('b.txt', '--- a/b.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n'),
  'a directory': (engine) => engine.makeDirectory('made'),
  'directories in a row': (engine) => engine.makeDirectory('m/a/d/e'),
  'a move': (engine) => engine.move('a.txt', 'moved.txt'),
  'a move into new directories': (engine) => engine.move('a.txt', 'x/y/moved.txt'),
  'a move that overwrites': (engine) => engine.move('a.txt', 'b.txt', { overwrite: true }),
  'a directory that is moved': (engine) => engine.move('src', 'lib'),
  'a directory that replaces an empty one': (engine) => engine.move('src', 'empty', { overwrite: true }),
  'a link that is moved': (engine) => engine.move('src/link', 'link'),
  'a file that is deleted': (engine) => engine.remove('a.txt'),
  'a program that is deleted': (engine) => engine.remove('run.sh'),
  'a link that is deleted': (engine) => engine.remove('src/link'),
  'an empty directory that is deleted': (engine) => engine.remove('empty'),
  'a tree that is deleted': (engine) => engine.remove('src', { recursive: true }),
};

describe('undo puts back', () => {
  test.each(Object.entries(OPERATIONS))('%s, and redo does it again', async (_, operation) => {
    house = openHouse(TREE);
    chmodSync(join(house.root, 'src/deep'), 0o750);
    const before = house.tree();
    await operation(house.engine);
    const after = house.tree();
    expect(after).not.toEqual(before);
    expect(house.entries()).toHaveLength(1);
    const entry = house.newest();
    expect(entry.state).toBe('done');

    await house.undo(entry);
    expect(house.tree()).toEqual(before);
    expect(statSync(join(house.root, 'run.sh')).mode & 0o777).toBe(0o755);
    expect(statSync(join(house.root, 'src/deep')).mode & 0o777).toBe(0o750);
    const [undoing, undone] = house.entries();
    expect(undoing).toMatchObject({ state: 'done', undoes: entry.id });
    expect(undone).toMatchObject({ id: entry.id, state: 'undone' });

    await house.undo(undoing);
    expect(house.tree()).toEqual(after);
    expect(house.entries().at(-1)).toMatchObject({ id: entry.id, state: 'done' });

    await house.undo(entry);
    expect(house.tree()).toEqual(before);
    expect(house.entries().at(-1)).toMatchObject({ id: entry.id, state: 'undone' });
    await house.undo(undoing);
    expect(house.tree()).toEqual(after);
    expect(house.entries().at(-1)).toMatchObject({ id: entry.id, state: 'done' });
  });

  test.each(['a.txt', 'src'])('%s, and is not done again over what was changed since', async (path) => {
    house = openHouse(TREE);
    await house.engine.remove(path, { recursive: true });
    await house.undo();
    const undoing = house.newest();
    const file = path === 'src' ? 'src/deep/x.ts' : path;
    appendFileSync(join(house.root, file), 'theirs\n');
    const changed = house.tree();
    expect(await house.engine.history.undo(undoing.id)).toMatchObject({
      done: false,
      obstacles: [{ why: expect.stringContaining('changed since'), forceable: true }],
    });
    expect(house.tree()).toEqual(changed);
    await house.undo(undoing, true);
    expect(house.tree()[file]).toBeUndefined();
    await house.undo(house.newest());
    expect(house.tree()).toEqual(changed);
  });

  test('all that one call has changed, though it was done one after another', async () => {
    house = openHouse(TREE);
    const before = house.tree();
    const ids: string[] = [];
    const caller = { ...nobody, origin: { tool: 'edit_files' }, entered: (id: string) => ids.push(id) };
    const engine = house.engine.as(caller);
    await engine.write('a.txt', 'A\n');
    await expect(engine.append('missing.txt', 'x')).rejects.toThrow();
    await engine.append('a.txt', 'more\n');
    await house.engine.write('b.txt', 'by another call\n');
    await engine.move('run.sh', 'bin/run.sh');
    const after = house.tree();
    expect(new Set(ids)).toEqual(new Set([house.entries().at(-1)!.id]));
    expect(house.entries()).toHaveLength(2);
    const entry = house.entries().at(-1)!;
    expect(entry.changes.map(({ kind }) => kind)).toEqual(['changed', 'changed', 'created', 'moved']);

    await house.undo(entry);
    expect(house.tree()).toEqual({ ...before, 'b.txt': 'by another call\n' });
    await house.undo(house.newest());
    expect(house.tree()).toEqual(after);
  });
});

/** Small, repeatable numbers that look random. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe('any row of changes', () => {
  const NAMES = [
    'a.txt',
    'b.txt',
    'd',
    'd/e',
    'd/e/f.txt',
    'd/g.txt',
    'h/i.txt',
    'h',
    'src',
    'src/deep/x.ts',
  ];

  test.each([1, 2, 3, 4])('can be walked back and forth (%i)', async (seed) => {
    house = openHouse(TREE);
    const next = numbers(seed);
    const name = () => NAMES[next(NAMES.length)]!;
    const trees = [house.tree()];
    let tried = 0;
    while (trees.length < 20 && tried++ < 400) {
      const { engine } = house;
      const changes: (() => Promise<unknown>)[] = [
        () => engine.write(name(), `content ${next(5)}\n`),
        () => engine.append(name(), 'more\n'),
        () => engine.makeDirectory(name()),
        () => engine.move(name(), name(), { overwrite: next(2) === 0 }),
        () => engine.remove(name(), { recursive: next(2) === 0 }),
        () =>
          engine.writeAll([
            { path: name(), content: 'x' },
            { path: name(), content: `${next(9)}` },
          ]),
      ];
      const count = house.entries().length;
      await changes[next(changes.length)]!().catch(() => {});
      // What fails, and what changes nothing, leaves no entry.
      if (house.entries().length > count) trees.push(house.tree());
      else expect(house.tree()).toEqual(trees.at(-1));
    }
    expect(trees.length).toBe(20);
    const undoings: string[] = [];
    for (const tree of trees.slice(0, -1).reverse()) {
      await house.undo();
      undoings.push(house.newest().id);
      expect(house.tree()).toEqual(tree);
    }
    for (const tree of trees.slice(1)) {
      const undoing = house.entries().find(({ id }) => id === undoings.at(-1))!;
      undoings.pop();
      await house.undo(undoing);
      expect(house.tree()).toEqual(tree);
    }
  });
});

describe('what was changed since by somebody else', () => {
  const inTheWay = async (entry = house.newest()) => {
    const before = house.tree();
    const outcome = await house.engine.history.undo(entry.id);
    expect(house.tree()).toEqual(before);
    if (!outcome || outcome.done) throw new Error('nothing was in the way');
    return outcome.obstacles;
  };

  test('is shown as a diff, and nothing is touched', async () => {
    house = openHouse(TREE);
    await house.engine.write('a.txt', 'ours\n');
    appendFileSync(join(house.root, 'a.txt'), 'theirs\n');
    const [obstacle] = await inTheWay();
    expect(obstacle).toMatchObject({ path: join(house.root, 'a.txt'), forceable: true });
    expect(obstacle!.diff).toContain('+theirs');
    expect(obstacle!.diff).toContain(' ours');
  });

  test('is kept when it is overrun, and can be had again', async () => {
    house = openHouse(TREE);
    await house.engine.write('a.txt', 'ours\n');
    appendFileSync(join(house.root, 'a.txt'), 'theirs\n');
    const both = house.tree();
    await house.undo(house.newest(), true);
    expect(house.tree()).toEqual({ ...both, 'a.txt': TREE['a.txt'] });
    await house.undo(house.newest());
    expect(house.tree()).toEqual(both);
  });

  test('may be that the file is gone', async () => {
    house = openHouse(TREE);
    await house.engine.write('a.txt', 'ours\n');
    rmSync(join(house.root, 'a.txt'));
    expect(await inTheWay()).toMatchObject([{ why: expect.stringContaining('removed'), forceable: true }]);
    await house.undo(house.newest(), true);
    expect(house.tree()['a.txt']).toBe(TREE['a.txt']);
  });

  test('may be a file where one was deleted', async () => {
    house = openHouse(TREE);
    await house.engine.remove('src', { recursive: true });
    writeFileSync(join(house.root, 'src'), 'a file now\n');
    const now = house.tree();
    expect(await inTheWay()).toMatchObject([{ forceable: true }]);
    await house.undo(house.newest(), true);
    expect(house.tree()['src/deep/x.ts']).toBe('export const x = 1;\n');
    await house.undo(house.newest());
    expect(house.tree()).toEqual(now);
  });

  test('may be something in a directory that was made', async () => {
    house = openHouse(TREE);
    await house.engine.makeDirectory('made');
    writeFileSync(join(house.root, 'made/precious.txt'), 'precious\n');
    expect(await inTheWay()).toMatchObject([
      { why: expect.stringContaining('precious.txt'), forceable: true },
    ]);
    await house.undo(house.newest(), true);
    expect(house.tree()['made/precious.txt']).toBeUndefined();
    await house.undo(house.newest());
    expect(house.tree()['made/precious.txt']).toBe('precious\n');
  });

  test('does not matter in directories that were only made on the way', async () => {
    house = openHouse(TREE);
    await house.engine.write('p/q/new.txt', 'new\n');
    writeFileSync(join(house.root, 'p/theirs.txt'), 'theirs\n');
    await house.undo();
    expect(house.tree()).toEqual({ ...TREE, ...sameModes(), 'p/theirs.txt': 'theirs\n' });
  });

  test('may stand where something was moved away from', async () => {
    house = openHouse(TREE);
    await house.engine.move('a.txt', 'c.txt');
    writeFileSync(join(house.root, 'a.txt'), 'another\n');
    const both = house.tree();
    expect(await inTheWay()).toMatchObject([{ forceable: true }]);
    await house.undo(house.newest(), true);
    expect(house.tree()['a.txt']).toBe(TREE['a.txt']);
    expect(house.tree()['c.txt']).toBeUndefined();
    await house.undo(house.newest());
    expect(house.tree()).toEqual(both);
  });

  test('may be that what was moved is gone: then nothing can be done, not even by force', async () => {
    house = openHouse(TREE);
    await house.engine.move('a.txt', 'c.txt');
    rmSync(join(house.root, 'c.txt'));
    expect(await inTheWay()).toMatchObject([{ forceable: false }]);
    expect(await house.engine.history.undo(house.newest().id, { force: true })).toMatchObject({
      done: false,
    });
  });

  test('stops an undo of several files before the first of them', async () => {
    house = openHouse(TREE);
    await house.engine.writeAll([
      { path: 'a.txt', content: 'A' },
      { path: 'b.txt', content: 'B' },
    ]);
    appendFileSync(join(house.root, 'b.txt'), 'theirs\n');
    expect(await inTheWay()).toHaveLength(1);
    expect(house.tree()['a.txt']).toBe('A');
  });

  test('is no reason to follow a link that was put in the way', async () => {
    house = openHouse(TREE);
    await house.engine.write('a.txt', 'ours\n');
    const outside = join(house.state, 'outside.txt');
    writeFileSync(outside, 'outside\n');
    rmSync(join(house.root, 'a.txt'));
    symlinkSync(outside, join(house.root, 'a.txt'));
    expect(await inTheWay()).toHaveLength(1);
    await house.undo(house.newest(), true).catch(() => {});
    expect(statSync(outside).size).toBe('outside\n'.length);
  });

  test('may be that somebody has put it back already: then there is nothing left to do', async () => {
    house = openHouse(TREE);
    await house.engine.write('a.txt', 'ours\n');
    writeFileSync(join(house.root, 'a.txt'), TREE['a.txt']);
    await house.undo();
    expect(house.entries().find(({ undoes }) => undoes === undefined)).toMatchObject({ state: 'undone' });
  });
});

function sameModes() {
  return { 'run.sh': '#!/bin/sh\n' };
}

test('an entry that is not there is told as such', async () => {
  house = openHouse(TREE);
  expect(await house.engine.history.undo('nothing1')).toBeUndefined();
  expect(await house.engine.history.plan('nothing1')).toBeUndefined();
});

test('a plan says what would happen, and does nothing', async () => {
  house = openHouse(TREE);
  await house.engine.write('a.txt', 'ours\n');
  const before = house.tree();
  const plan = await house.engine.history.plan(house.newest().id);
  expect(plan).toMatchObject({
    steps: [{ path: join(house.root, 'a.txt'), does: 'put back' }],
    obstacles: [],
  });
  expect(plan!.diffs[0]!.text).toContain('-ours\n+one\n');
  expect(house.tree()).toEqual(before);
  expect(house.entries()).toHaveLength(1);
});

test('a plan calls what undoing does by its name: what was created would be removed, and the reverse', async () => {
  house = openHouse(TREE);
  const planned = async () => {
    const { diffs } = (await house.engine.history.plan(house.newest().id))!;
    return diffs.map(({ path, kind, text, note }) => [relative(house.root, path), kind, note ?? text]);
  };
  await house.engine.write('new/deep.txt', 'x\n');
  expect(await planned()).toEqual([
    ['new/deep.txt', 'removed', expect.stringContaining('-x\n')],
    ['new', 'removed', 'a directory'],
  ]);
  await house.engine.remove('a.txt');
  expect(await planned()).toEqual([['a.txt', 'created', expect.stringContaining('+one\n')]]);
});

test('a call that fails leaves no entry, and no directory', async () => {
  house = openHouse(TREE);
  mkdirSync(join(house.root, 'occupied'));
  await expect(house.engine.write('occupied', 'x')).rejects.toThrow();
  await expect(house.engine.move('a.txt', 'b.txt')).rejects.toThrow();
  await expect(house.engine.remove('src')).rejects.toThrow();
  expect(house.entries()).toEqual([]);
});
