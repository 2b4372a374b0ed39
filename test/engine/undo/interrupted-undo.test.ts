/** An undo or a redo is killed in the middle: the next undo or redo completes the work. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { Access } from '../../../src/engine/access/access.ts';
import { Changes } from '../../../src/engine/access/changes.ts';
import { Wall } from '../../../src/engine/confine/wall.ts';
import { anonymous, type Engine, type JournalEntry } from '../../../src/engine/index.ts';
import { Journal } from '../../../src/engine/journal/journal.ts';

import { LazySearch } from '../../../src/engine/search/lazy-search.ts';
import { planUndo } from '../../../src/engine/undo/plan.ts';
import { restore } from '../../../src/engine/undo/restore/restore.ts';
import { targetsOf } from '../../../src/engine/undo/undo-chain.ts';
import { openDirectoryState } from '../../../src/state/directory/open.ts';
import { soak } from '../../soak.ts';
import type { Tree } from '../../tree.ts';
import { type JournalFixture, openJournalFixture, otherFileSystem } from '../journal/journal-fixture.ts';

const TREE = {
  'a.txt': 'a\n',
  'b.txt': 'b\n',
  'm.txt': 'm\n',
  'n.txt': 'replaced\n',
  'one/x.txt': 'x\n',
  'two/deep/y.txt': 'y\n',
  link: { link: 'a.txt' },
} as const;

/** Each of these makes one entry with several changes. */
const CALLS: Record<string, (engine: Engine) => Promise<unknown>> = {
  'a call that deletes': async (engine) => {
    for (const path of ['a.txt', 'one', 'two', 'link']) await engine.files.remove(path, { recursive: true });
  },
  'a call that writes and moves': async (engine) => {
    await engine.files.write('a.txt', 'A\n');
    await engine.files.write('p/q/new.txt', 'new\n');
    await engine.files.move('m.txt', 'n.txt', { overwrite: true });
    await engine.files.write('a.txt', 'AA\n');
    await engine.files.move('two', 'p/two');
    await engine.files.remove('b.txt');
  },
  'a command': (engine) =>
    engine.commands.runShellLine(
      'rm -rf two link; mv one uno; echo B > b.txt; mkdir -p k/l; echo f > k/l/f; rm a.txt',
    ),
};

/** Interrupts only after every so many steps: a command has many. */
const STRIDE = soak(7, 3);

let fixture: JournalFixture;
afterEach(() => fixture.close());

/** Undoes the first `done` steps of an entry, as if killed there. Returns the number of all steps. */
async function interruptAfter(id: string, done: number): Promise<number> {
  const wall = new Wall([{ path: fixture.root, writable: true }]);
  const journal = new Journal(openDirectoryState(fixture.state));
  const access = new Access({ wall, journal, scanner: new LazySearch() });
  const targets = targetsOf(await journal.read(), await entryOf(id));
  const steps = await planUndo(access, journal, targets);
  const recorder = journal.begin({}, { undoes: targets.at(-1)!.entry.id });
  const changes = new Changes(access, recorder, undefined);
  await restore(access, journal, steps.slice(0, done), changes);
  wall.close();
  await journal.close();
  return steps.length;
}

const entryOf = async (id: string) => (await fixture.engine.history.entry(id))!;
const standing = async (id: string) =>
  (await fixture.entries()).find(({ undoes, state }) => undoes === id && state !== 'undone');

async function undo(id: string): Promise<void> {
  await fixture.undo(await entryOf(id));
  expect((await entryOf(id)).state).toBe('undone');
}

async function redo(id: string): Promise<void> {
  await fixture.undo(await standing(id));
  expect((await entryOf(id)).state).toBe('done');
  expect(await standing(id)).toBeUndefined();
}

const WAYS: Record<string, ('undo' | 'redo')[]> = {
  'undone and redone': ['undo', 'redo', 'undo', 'redo'],
  'redone and undone': ['redo', 'undo', 'redo', 'undo'],
};

describe.each(Object.entries(CALLS))('%s', (_, change) => {
  const open = async (): Promise<{ entry: JournalEntry; trees: Record<'undo' | 'redo', Tree> }> => {
    const commands = { sandbox: 'off', environment: process.env } as const;
    fixture = openJournalFixture(TREE, { commands });
    const before = fixture.tree();
    await change(fixture.engine.as({ ...anonymous, origin: { tool: 'test' } }));
    const trees = { undo: before, redo: fixture.tree() };
    expect(await fixture.entries()).toHaveLength(1);
    return { entry: await fixture.newest(), trees };
  };
  const go = async (way: readonly ('undo' | 'redo')[], { id }: JournalEntry, trees: Record<string, Tree>) => {
    for (const step of way) {
      await (step === 'undo' ? undo(id) : redo(id));
      expect([step, fixture.tree()]).toEqual([step, trees[step]]);
    }
    expect((await fixture.entries()).filter(({ state }) => state === 'pending')).toEqual([]);
  };

  test.each(Object.entries(WAYS))('whose undo was interrupted at any step can be %s', async (_way, way) => {
    for (let done = 1, steps = 1; done <= steps; done += STRIDE) {
      const { entry, trees } = await open();
      steps = await interruptAfter(entry.id, done);
      expect((await entryOf(entry.id)).state).toBe('pending');
      await go(way, entry, trees);
      await fixture.close();
    }
  });

  test.each(Object.entries(WAYS))('whose redo was interrupted at any step can be %s', async (_way, way) => {
    for (let done = 1, steps = 1; done <= steps; done += STRIDE) {
      const { entry, trees } = await open();
      await undo(entry.id);
      steps = await interruptAfter((await standing(entry.id))!.id, done);
      expect((await entryOf(entry.id)).state).toBe('pending');
      await go(way, entry, trees);
      await fixture.close();
    }
  });

  test('whose undo and redo were each interrupted twice can be undone and redone', async () => {
    const { entry, trees } = await open();
    await interruptAfter(entry.id, 1);
    await interruptAfter((await standing(entry.id))!.id, 1);
    await go(['undo', 'redo', 'undo'], entry, trees);
    await interruptAfter((await standing(entry.id))!.id, 2);
    await interruptAfter(entry.id, 1);
    await go(['redo', 'undo', 'redo'], entry, trees);
  });
});

test('the next undo completes the undo of a move that was interrupted and left an empty directory', async () => {
  fixture = openJournalFixture(TREE);
  await fixture.engine.files.move('two', 'zwei');
  const { id } = await fixture.newest();
  const journal = new Journal(openDirectoryState(fixture.state));
  journal
    .begin({}, { undoes: id })
    .add(
      [{ kind: 'moved', path: join(fixture.root, 'zwei'), to: join(fixture.root, 'two'), type: 'directory' }],
      [fixture.root],
    );
  await journal.close();
  mkdirSync(join(fixture.root, 'two'));
  await undo(id);
  expect(fixture.tree()).toEqual(TREE);
});

test.runIf(otherFileSystem).each(Object.entries(WAYS))(
  'a tree whose restoration entry by entry was interrupted can be %s',
  async (_, way) => {
    // The journal is on another file system, so it cannot move the tree back as a whole.
    fixture = openJournalFixture(TREE, {
      under: process.env.COFFERDAM_TESTS_DISK!,
      keptUnder: otherFileSystem!,
    });
    const trees = { undo: fixture.tree(), redo: {} };
    await fixture.engine.files.remove('two', { recursive: true });
    trees.redo = fixture.tree();
    const { id } = await fixture.newest();
    const wall = new Wall([{ path: fixture.root, writable: true }]);
    const journal = new Journal(openDirectoryState(fixture.state));
    const place = wall.resolve('two');
    await journal.begin({}, { undoes: id }).creates(place, 'directory', { whole: true });
    mkdirSync(join(fixture.root, 'two/deep'), { recursive: true });
    place.close();
    wall.close();
    await journal.close();
    for (const step of way) {
      await (step === 'undo' ? undo(id) : redo(id));
      expect([step, fixture.tree()]).toEqual([step, trees[step]]);
    }
  },
);

test('undoing a call that created and deleted a file leaves no file', async () => {
  fixture = openJournalFixture(TREE);
  const engine = fixture.engine.as({ ...anonymous, origin: { tool: 'test' } });
  await engine.files.write('new.txt', 'new\n');
  await engine.files.remove('new.txt');
  await engine.files.write('b.txt', 'B\n');
  const after = fixture.tree();
  const { id } = await fixture.newest();
  for (let round = 0; round < 2; round++) {
    await undo(id);
    expect(fixture.tree()).toEqual(TREE);
    await redo(id);
    expect(fixture.tree()).toEqual(after);
  }
});
