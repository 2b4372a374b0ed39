/** Undo recognises what was moved and what it replaced, and does not confuse them with what others put there. */
import {
  appendFileSync,
  existsSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type JournalFixture, openJournalFixture } from '../journal/journal-fixture.ts';

const OTHER = '/dev/shm';
const apart = existsSync(OTHER) && statSync(OTHER).dev !== statSync(tmpdir()).dev;

const TREE = {
  'm.txt': 'm\n',
  'o.txt': 'o\n',
  'd/x.txt': 'x\n',
  link: { link: 'm.txt' },
  fifo: { fifo: true },
} as const;

let fixture: JournalFixture;
afterEach(() => fixture.close());
const at = (path: string) => join(fixture.root, path);

async function expectChangedSince(path: string): Promise<void> {
  const now = fixture.tree();
  const { id } = await fixture.newest();
  expect(await fixture.engine.history.undo(id)).toMatchObject({
    done: false,
    obstacles: [{ why: `it was changed since, at ${at(path)}`, forceable: true }],
  });
  expect(fixture.tree()).toEqual(now);
}

describe('undo of a move', () => {
  test('refuses to move back a file that was edited after the call', async () => {
    fixture = openJournalFixture(TREE);
    await fixture.engine.files.move('m.txt', 'n.txt');
    appendFileSync(at('n.txt'), 'theirs\n');
    await expectChangedSince('n.txt');
    const plan = await fixture.engine.history.plan((await fixture.newest()).id);
    expect(plan!.obstacles[0]!.diff).toContain(' m\n+theirs\n');
    await fixture.undo(await fixture.newest(), true);
    expect(fixture.tree()).toEqual({ ...TREE, 'm.txt': 'm\ntheirs\n' });
    await fixture.undo(await fixture.newest());
    expect(fixture.tree()).toMatchObject({ 'n.txt': 'm\ntheirs\n' });
  });

  test('refuses to move back a file that was replaced after the call', async () => {
    fixture = openJournalFixture(TREE);
    await fixture.engine.files.move('m.txt', 'o.txt', { overwrite: true });
    rmSync(at('o.txt'));
    writeFileSync(at('o.txt'), 'a\n');
    await expectChangedSince('o.txt');
    writeFileSync(at('o.txt'), 'm\n');
    await fixture.undo();
    expect(fixture.tree()).toEqual(TREE);
  });

  test('refuses to move back a link that was changed after the call', async () => {
    fixture = openJournalFixture(TREE);
    await fixture.engine.files.move('link', 'other');
    rmSync(at('other'));
    symlinkSync('o.txt', at('other'));
    await expectChangedSince('other');
  });

  test('moves back a file that was only touched, or copied back and forth', async () => {
    fixture = openJournalFixture(TREE);
    await fixture.engine.files.move('m.txt', 'n.txt');
    utimesSync(at('n.txt'), 1, 1);
    writeFileSync(at('copy'), 'm\n');
    renameSync(at('copy'), at('n.txt'));
    await fixture.undo();
    expect(fixture.tree()).toEqual(TREE);
  });

  test('moves back a directory with what is in it now', async () => {
    fixture = openJournalFixture(TREE);
    await fixture.engine.files.move('d', 'e');
    appendFileSync(at('e/x.txt'), 'theirs\n');
    await fixture.undo();
    expect(fixture.tree()).toEqual({ ...TREE, 'd/x.txt': 'x\ntheirs\n' });
  });

  test.skipIf(!apart)('between file systems recognises the file by its content', async () => {
    fixture = openJournalFixture(TREE);
    const other = openJournalFixture({}, { under: OTHER });
    const { Engine } = await import('../../../src/engine/index.ts');
    const engine = new Engine({
      roots: [fixture.root, other.root].map((path) => ({ path, writable: true })),
      journal: fixture.state,
    });
    try {
      await engine.files.move(at('m.txt'), join(other.root, 'n.txt'));
      const [entry] = await engine.history.entries();
      appendFileSync(join(other.root, 'n.txt'), 'theirs\n');
      expect(await engine.history.undo(entry!.id)).toMatchObject({ done: false });
      writeFileSync(join(other.root, 'n.txt'), 'm\n');
      expect(await engine.history.undo(entry!.id)).toMatchObject({ done: true });
      expect(fixture.tree()).toEqual(TREE);
      expect(other.tree()).toEqual({});
    } finally {
      await engine.close();
      await other.close();
    }
  });
});

describe('a move over a FIFO', () => {
  test('can be undone and redone if the journal is on the same file system', async () => {
    fixture = openJournalFixture(TREE);
    await fixture.engine.files.move('m.txt', 'fifo', { overwrite: true });
    const moved = fixture.tree();
    for (let round = 0; round < 2; round++) {
      await fixture.undo();
      expect(fixture.tree()).toEqual(TREE);
      const undoing = (await fixture.entries()).find(({ undoes, state }) => undoes && state === 'done')!;
      await fixture.undo(undoing);
      expect(fixture.tree()).toEqual(moved);
    }
  });

  test.skipIf(!apart)('can be undone by force, without the FIFO, if that could not be kept', async () => {
    fixture = openJournalFixture(TREE, { under: OTHER });
    await fixture.engine.files.move('m.txt', 'fifo', { overwrite: true });
    expect(await fixture.engine.history.undo((await fixture.newest()).id)).toMatchObject({
      done: false,
      obstacles: [{ why: expect.stringContaining('cannot be kept'), forceable: true }],
    });
    await fixture.undo(await fixture.newest(), true);
    const { fifo: _, ...rest } = TREE;
    expect(fixture.tree()).toEqual(rest);
  });
});

describe('a link that a command has created', () => {
  const open = () => {
    fixture = openJournalFixture(TREE, { commands: { sandbox: 'off', environment: process.env } });
  };

  test('is not removed without force if its target was changed since', async () => {
    open();
    await fixture.engine.commands.runShellLine('ln -s aaa made');
    rmSync(at('made'));
    symlinkSync('bbb', at('made'));
    expect(await fixture.engine.history.undo((await fixture.newest()).id)).toMatchObject({
      done: false,
      obstacles: [{ path: at('made'), why: 'the link now leads elsewhere', forceable: true }],
    });
    await fixture.undo(await fixture.newest(), true);
    expect(fixture.tree()).toEqual(TREE);
    await fixture.undo(await fixture.newest());
    expect(fixture.tree()).toEqual({ ...TREE, made: { link: 'bbb' } });
  });

  test('gets its old target back when the change is undone', async () => {
    open();
    await fixture.engine.commands.runShellLine('ln -sfn o.txt link');
    const after = fixture.tree();
    expect(after).toEqual({ ...TREE, link: { link: 'o.txt' } });
    await fixture.undo();
    expect(fixture.tree()).toEqual(TREE);
    await fixture.undo(await fixture.newest());
    expect(fixture.tree()).toEqual(after);
  });
});
