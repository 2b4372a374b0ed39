import { appendFileSync, chmodSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { anonymous, type Engine } from '../../../src/engine/index.ts';
import { soak } from '../../soak.ts';
import { type JournalFixture, openJournalFixture } from '../journal/journal-fixture.ts';

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

let fixture: JournalFixture;
afterEach(() => fixture.close());

const OPERATIONS: Record<string, (engine: Engine) => Promise<unknown>> = {
  'a new file': (engine) => engine.files.write('new.txt', 'new\n'),
  'a new file in new directories': (engine) => engine.files.write('p/q/new.txt', 'new\n'),
  'a file that is overwritten': (engine) => engine.files.write('a.txt', 'other\n'),
  'a binary file that is overwritten': (engine) => engine.files.write('bin.dat', Buffer.from([1, 2, 0, 255])),
  'a program that is overwritten': (engine) => engine.files.write('run.sh', '#!/bin/sh\nexit 1\n'),
  'files that are written together': (engine) =>
    engine.files.writeAll([
      { path: 'a.txt', content: 'A\n' },
      { path: 'more/c.txt', content: 'C\n' },
      { path: 'b.txt', content: 'B\n' },
    ]),
  'an edit': (engine) =>
    engine.files.edit('a.txt', [
      { kind: 'literal', find: 'two', replace: '2', ignoreCase: false, limit: 1, unique: true },
    ]),
  'text that is appended': (engine) => engine.files.append('b.txt', 'more\n'),
  'lines that are inserted into two files': (engine) =>
    engine.files.insertLines([
      { path: 'a.txt', line: 1, content: 'zero\n' } as never,
      { path: 'b.txt', line: 1, content: 'zero\n' } as never,
    ]),
  'a patch that changes': (engine) =>
    engine.files.patch('a.txt', '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n'),
  'a patch that creates': (engine) =>
    engine.files.patch('n/new.txt', '--- /dev/null\n+++ b/n/new.txt\n@@ -0,0 +1 @@\n+hi\n'),
  'a patch that deletes': (engine) =>
    engine.files.patch('b.txt', '--- a/b.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n'),
  'a directory': (engine) => engine.files.makeDirectory('made'),
  'directories in a row': (engine) => engine.files.makeDirectory('m/a/d/e'),
  'a move': (engine) => engine.files.move('a.txt', 'moved.txt'),
  'a move into new directories': (engine) => engine.files.move('a.txt', 'x/y/moved.txt'),
  'a move that overwrites': (engine) => engine.files.move('a.txt', 'b.txt', { overwrite: true }),
  'a directory that is moved': (engine) => engine.files.move('src', 'lib'),
  'a directory that replaces an empty one': (engine) =>
    engine.files.move('src', 'empty', { overwrite: true }),
  'a link that is moved': (engine) => engine.files.move('src/link', 'link'),
  'a file that is deleted': (engine) => engine.files.remove('a.txt'),
  'a program that is deleted': (engine) => engine.files.remove('run.sh'),
  'a link that is deleted': (engine) => engine.files.remove('src/link'),
  'an empty directory that is deleted': (engine) => engine.files.remove('empty'),
  'a tree that is deleted': (engine) => engine.files.remove('src', { recursive: true }),
};

describe('undo restores', () => {
  test.each(Object.entries(OPERATIONS))('%s, and redo does it again', async (_, operation) => {
    fixture = openJournalFixture(TREE);
    chmodSync(join(fixture.root, 'src/deep'), 0o750);
    const before = fixture.tree();
    await operation(fixture.engine);
    const after = fixture.tree();
    expect(after).not.toEqual(before);
    expect(await fixture.entries()).toHaveLength(1);
    const entry = await fixture.newest();
    expect(entry.state).toBe('done');

    await fixture.undo(entry);
    expect(fixture.tree()).toEqual(before);
    expect(statSync(join(fixture.root, 'run.sh')).mode & 0o777).toBe(0o755);
    expect(statSync(join(fixture.root, 'src/deep')).mode & 0o777).toBe(0o750);
    const [undoing, undone] = await fixture.entries();
    expect(undoing).toMatchObject({ state: 'done', undoes: entry.id });
    expect(undone).toMatchObject({ id: entry.id, state: 'undone' });

    await fixture.undo(undoing);
    expect(fixture.tree()).toEqual(after);
    expect((await fixture.entries()).at(-1)).toMatchObject({ id: entry.id, state: 'done' });

    await fixture.undo(entry);
    expect(fixture.tree()).toEqual(before);
    expect((await fixture.entries()).at(-1)).toMatchObject({ id: entry.id, state: 'undone' });
    await fixture.undo(undoing);
    expect(fixture.tree()).toEqual(after);
    expect((await fixture.entries()).at(-1)).toMatchObject({ id: entry.id, state: 'done' });
  });

  test.each(['a.txt', 'src'])('%s, and redo does not overwrite what was changed since', async (path) => {
    fixture = openJournalFixture(TREE);
    await fixture.engine.files.remove(path, { recursive: true });
    await fixture.undo();
    const undoing = await fixture.newest();
    const file = path === 'src' ? 'src/deep/x.ts' : path;
    appendFileSync(join(fixture.root, file), 'theirs\n');
    const changed = fixture.tree();
    expect(await fixture.engine.history.undo(undoing.id)).toMatchObject({
      done: false,
      obstacles: [{ why: expect.stringContaining('changed since'), forceable: true }],
    });
    expect(fixture.tree()).toEqual(changed);
    await fixture.undo(undoing, true);
    expect(fixture.tree()[file]).toBeUndefined();
    await fixture.undo(await fixture.newest());
    expect(fixture.tree()).toEqual(changed);
  });

  test('everything that one call changed in several steps', async () => {
    fixture = openJournalFixture(TREE);
    const before = fixture.tree();
    const ids: string[] = [];
    const caller = { ...anonymous, origin: { tool: 'edit_files' }, entered: (id: string) => ids.push(id) };
    const engine = fixture.engine.as(caller);
    await engine.files.write('a.txt', 'A\n');
    await expect(engine.files.append('missing.txt', 'x')).rejects.toThrow();
    await engine.files.append('a.txt', 'more\n');
    await fixture.engine.files.write('b.txt', 'by another call\n');
    await engine.files.move('run.sh', 'bin/run.sh');
    const after = fixture.tree();
    expect(new Set(ids)).toEqual(new Set([(await fixture.entries()).at(-1)!.id]));
    expect(await fixture.entries()).toHaveLength(2);
    const entry = (await fixture.entries()).at(-1)!;
    expect(entry.changes.map(({ kind }) => kind)).toEqual(['changed', 'changed', 'created', 'moved']);

    await fixture.undo(entry);
    expect(fixture.tree()).toEqual({ ...before, 'b.txt': 'by another call\n' });
    await fixture.undo(await fixture.newest());
    expect(fixture.tree()).toEqual(after);
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

describe('any sequence of changes', () => {
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

  test.each(soak([1, 2], [1, 2, 3, 4]))('can be undone and redone step by step (seed %i)', async (seed) => {
    fixture = openJournalFixture(TREE);
    const next = numbers(seed);
    const name = () => NAMES[next(NAMES.length)]!;
    const trees = [fixture.tree()];
    let tried = 0;
    while (trees.length < 20 && tried++ < 400) {
      const { engine } = fixture;
      const changes: (() => Promise<unknown>)[] = [
        () => engine.files.write(name(), `content ${next(5)}\n`),
        () => engine.files.append(name(), 'more\n'),
        () => engine.files.makeDirectory(name()),
        () => engine.files.move(name(), name(), { overwrite: next(2) === 0 }),
        () => engine.files.remove(name(), { recursive: next(2) === 0 }),
        () =>
          engine.files.writeAll([
            { path: name(), content: 'x' },
            { path: name(), content: `${next(9)}` },
          ]),
      ];
      const count = (await fixture.entries()).length;
      await changes[next(changes.length)]!().catch(() => {});
      // A call that fails or changes nothing leaves no entry.
      if ((await fixture.entries()).length > count) trees.push(fixture.tree());
      else expect(fixture.tree()).toEqual(trees.at(-1));
    }
    expect(trees.length).toBe(20);
    const undoings: string[] = [];
    for (const tree of trees.slice(0, -1).reverse()) {
      await fixture.undo();
      undoings.push((await fixture.newest()).id);
      expect(fixture.tree()).toEqual(tree);
    }
    for (const tree of trees.slice(1)) {
      const undoing = (await fixture.entries()).find(({ id }) => id === undoings.at(-1))!;
      undoings.pop();
      await fixture.undo(undoing);
      expect(fixture.tree()).toEqual(tree);
    }
  });
});

describe('a later change by somebody else', () => {
  const inTheWay = async () => {
    const entry = await fixture.newest();
    const before = fixture.tree();
    const outcome = await fixture.engine.history.undo(entry.id);
    expect(fixture.tree()).toEqual(before);
    if (!outcome || outcome.done) throw new Error('nothing was in the way');
    return outcome.obstacles;
  };

  test('is shown as a diff, and nothing is touched', async () => {
    fixture = openJournalFixture(TREE);
    await fixture.engine.files.write('a.txt', 'ours\n');
    appendFileSync(join(fixture.root, 'a.txt'), 'theirs\n');
    const [obstacle] = await inTheWay();
    expect(obstacle).toMatchObject({ path: join(fixture.root, 'a.txt'), forceable: true });
    expect(obstacle!.diff).toContain('+theirs');
    expect(obstacle!.diff).toContain(' ours');
  });

  test('is stored when a forced undo replaces it, and can be restored', async () => {
    fixture = openJournalFixture(TREE);
    await fixture.engine.files.write('a.txt', 'ours\n');
    appendFileSync(join(fixture.root, 'a.txt'), 'theirs\n');
    const both = fixture.tree();
    await fixture.undo(await fixture.newest(), true);
    expect(fixture.tree()).toEqual({ ...both, 'a.txt': TREE['a.txt'] });
    await fixture.undo(await fixture.newest());
    expect(fixture.tree()).toEqual(both);
  });

  test('can be a deleted file', async () => {
    fixture = openJournalFixture(TREE);
    await fixture.engine.files.write('a.txt', 'ours\n');
    rmSync(join(fixture.root, 'a.txt'));
    expect(await inTheWay()).toMatchObject([{ why: expect.stringContaining('removed'), forceable: true }]);
    await fixture.undo(await fixture.newest(), true);
    expect(fixture.tree()['a.txt']).toBe(TREE['a.txt']);
  });

  test('can be a new file in place of a deleted one', async () => {
    fixture = openJournalFixture(TREE);
    await fixture.engine.files.remove('src', { recursive: true });
    writeFileSync(join(fixture.root, 'src'), 'a file now\n');
    const now = fixture.tree();
    expect(await inTheWay()).toMatchObject([{ forceable: true }]);
    await fixture.undo(await fixture.newest(), true);
    expect(fixture.tree()['src/deep/x.ts']).toBe('export const x = 1;\n');
    await fixture.undo(await fixture.newest());
    expect(fixture.tree()).toEqual(now);
  });

  test('can be a new entry in a created directory', async () => {
    fixture = openJournalFixture(TREE);
    await fixture.engine.files.makeDirectory('made');
    writeFileSync(join(fixture.root, 'made/precious.txt'), 'precious\n');
    expect(await inTheWay()).toMatchObject([
      { why: expect.stringContaining('precious.txt'), forceable: true },
    ]);
    await fixture.undo(await fixture.newest(), true);
    expect(fixture.tree()['made/precious.txt']).toBeUndefined();
    await fixture.undo(await fixture.newest());
    expect(fixture.tree()['made/precious.txt']).toBe('precious\n');
  });

  test('does not matter in directories that were created only as parents', async () => {
    fixture = openJournalFixture(TREE);
    await fixture.engine.files.write('p/q/new.txt', 'new\n');
    writeFileSync(join(fixture.root, 'p/theirs.txt'), 'theirs\n');
    await fixture.undo();
    expect(fixture.tree()).toEqual({ ...TREE, ...sameModes(), 'p/theirs.txt': 'theirs\n' });
  });

  test('can be a new file in place of something that was moved away', async () => {
    fixture = openJournalFixture(TREE);
    await fixture.engine.files.move('a.txt', 'c.txt');
    writeFileSync(join(fixture.root, 'a.txt'), 'another\n');
    const both = fixture.tree();
    expect(await inTheWay()).toMatchObject([{ forceable: true }]);
    await fixture.undo(await fixture.newest(), true);
    expect(fixture.tree()['a.txt']).toBe(TREE['a.txt']);
    expect(fixture.tree()['c.txt']).toBeUndefined();
    await fixture.undo(await fixture.newest());
    expect(fixture.tree()).toEqual(both);
  });

  test('can be the removal of what was moved: then not even force can undo the move', async () => {
    fixture = openJournalFixture(TREE);
    await fixture.engine.files.move('a.txt', 'c.txt');
    rmSync(join(fixture.root, 'c.txt'));
    expect(await inTheWay()).toMatchObject([{ forceable: false }]);
    expect(await fixture.engine.history.undo((await fixture.newest()).id, { force: true })).toMatchObject({
      done: false,
    });
  });

  test('stops an undo of several files before it changes the first of them', async () => {
    fixture = openJournalFixture(TREE);
    await fixture.engine.files.writeAll([
      { path: 'a.txt', content: 'A' },
      { path: 'b.txt', content: 'B' },
    ]);
    appendFileSync(join(fixture.root, 'b.txt'), 'theirs\n');
    expect(await inTheWay()).toHaveLength(1);
    expect(fixture.tree()['a.txt']).toBe('A');
  });

  test('never makes an undo follow a link in its way', async () => {
    fixture = openJournalFixture(TREE);
    await fixture.engine.files.write('a.txt', 'ours\n');
    const outside = join(fixture.state, 'outside.txt');
    writeFileSync(outside, 'outside\n');
    rmSync(join(fixture.root, 'a.txt'));
    symlinkSync(outside, join(fixture.root, 'a.txt'));
    expect(await inTheWay()).toHaveLength(1);
    await fixture.undo(await fixture.newest(), true).catch(() => {});
    expect(statSync(outside).size).toBe('outside\n'.length);
  });

  test('can already have restored the old state: then nothing is left to do', async () => {
    fixture = openJournalFixture(TREE);
    await fixture.engine.files.write('a.txt', 'ours\n');
    writeFileSync(join(fixture.root, 'a.txt'), TREE['a.txt']);
    await fixture.undo();
    expect((await fixture.entries()).find(({ undoes }) => undoes === undefined)).toMatchObject({
      state: 'undone',
    });
  });
});

function sameModes() {
  return { 'run.sh': '#!/bin/sh\n' };
}

test('undo reports an entry that does not exist', async () => {
  fixture = openJournalFixture(TREE);
  expect(await fixture.engine.history.undo('nothing1')).toBeUndefined();
  expect(await fixture.engine.history.plan('nothing1')).toBeUndefined();
});

test('a plan says what would happen, and does nothing', async () => {
  fixture = openJournalFixture(TREE);
  await fixture.engine.files.write('a.txt', 'ours\n');
  const before = fixture.tree();
  const plan = await fixture.engine.history.plan((await fixture.newest()).id);
  expect(plan).toMatchObject({
    steps: [{ path: join(fixture.root, 'a.txt'), does: 'restore' }],
    obstacles: [],
  });
  expect(plan!.diffs[0]!.text).toContain('-ours\n+one\n');
  expect(fixture.tree()).toEqual(before);
  expect(await fixture.entries()).toHaveLength(1);
});

test('a plan says what undoing does: what was created would be removed, and the reverse', async () => {
  fixture = openJournalFixture(TREE);
  const planned = async () => {
    const { diffs } = (await fixture.engine.history.plan((await fixture.newest()).id))!;
    return diffs.map(({ path, kind, text, note }) => [relative(fixture.root, path), kind, note ?? text]);
  };
  await fixture.engine.files.write('new/deep.txt', 'x\n');
  expect(await planned()).toEqual([
    ['new/deep.txt', 'removed', expect.stringContaining('-x\n')],
    ['new', 'removed', 'a directory'],
  ]);
  await fixture.engine.files.remove('a.txt');
  expect(await planned()).toEqual([['a.txt', 'created', expect.stringContaining('+one\n')]]);
});

test('a call that fails leaves no entry, and no directory', async () => {
  fixture = openJournalFixture(TREE);
  mkdirSync(join(fixture.root, 'occupied'));
  await expect(fixture.engine.files.write('occupied', 'x')).rejects.toThrow();
  await expect(fixture.engine.files.move('a.txt', 'b.txt')).rejects.toThrow();
  await expect(fixture.engine.files.remove('src')).rejects.toThrow();
  expect(await fixture.entries()).toEqual([]);
});
