/** Undoing, pruning and changing at the same time: nothing is lost, and nothing is replaced unseen. */
import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { Engine, History } from '../../../src/engine/index.ts';
import { temporaryDirectory } from '../../tree.ts';
import { type JournalFixture, openJournalFixture } from './journal-fixture.ts';

let fixture: JournalFixture;
afterEach(() => fixture.close());

const another = (keep = { days: 30, bytes: 1e9 }) =>
  new Engine({ roots: [{ path: fixture.root, writable: true }], journal: fixture.state, keep });

/** Undoes every entry that is not undone, newest first: later changes of a file must go first. */
async function undoAll(): Promise<void> {
  for (const { id, state } of await fixture.entries()) {
    const now = (await fixture.entries()).find((entry) => entry.id === id)!;
    if (state === 'undone' || now.state === 'undone' || now.undoes !== undefined) continue;
    await fixture.undo(now);
  }
}

test('undo and tools on the same file take turns, and every change can be undone', async () => {
  fixture = openJournalFixture({ 'a.txt': 'start\n', 'b.txt': 'start\n' });
  const other = another();
  const seen = { done: 0, refused: 0 };
  const undoing = async () => {
    for (let n = 0; n < 40; n++) {
      const entry = (await other.history.entries()).find(
        ({ state, undoes }) => state !== 'undone' && undoes === undefined,
      );
      const outcome = entry && (await other.history.undo(entry.id).catch(() => undefined));
      if (outcome?.done) seen.done++;
      else seen.refused++;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const writing = async (path: string) => {
    for (let n = 0; n < 30; n++) await fixture.engine.files.write(path, `${path} ${n}\n`);
  };
  await Promise.all([undoing(), writing('a.txt'), writing('b.txt')]);
  expect(seen.done).toBeGreaterThan(0);
  await undoAll();
  expect(fixture.tree()).toEqual({ 'a.txt': 'start\n', 'b.txt': 'start\n' });
  await other.close();
});

test('an undo does not replace a change made while it was planned', async () => {
  fixture = openJournalFixture({ 'a.txt': 'start\n', 'b.txt': 'start\n' });
  for (let n = 0; n < 20; n++) {
    await fixture.engine.files.writeAll([
      { path: 'a.txt', content: `a ${n}\n` },
      { path: 'b.txt', content: `b ${n}\n` },
    ]);
    const undoing = fixture.engine.history.undo((await fixture.newest()).id).catch(() => ({ done: false }));
    for (let wait = 0; wait < n % 7; wait++) await new Promise((resolve) => setImmediate(resolve));
    appendFileSync(join(fixture.root, 'b.txt'), `theirs ${n}\n`);
    const outcome = await undoing;
    const text = readFileSync(join(fixture.root, 'b.txt'), 'utf8');
    expect([n, text]).toEqual([n, expect.stringContaining(`theirs ${n}\n`)]);
    // All of it or none: the other file was restored with this one, or not touched.
    const other = readFileSync(join(fixture.root, 'a.txt'), 'utf8');
    expect([n, other]).toEqual([n, outcome?.done ? 'start\n' : `a ${n}\n`]);
    writeFileSync(join(fixture.root, 'a.txt'), 'start\n');
    writeFileSync(join(fixture.root, 'b.txt'), 'start\n');
  }
});

test('two writers with small limits prune all the time, and the last change of each file can be undone', async () => {
  fixture = openJournalFixture({}, { keep: { days: 30, bytes: 250_000 } });
  const other = another({ days: 30, bytes: 250_000 });
  const noise = (seed: string) => createHash('sha512').update(seed).digest('hex');
  const content = (n: number) => Array.from({ length: 40 }, (_, line) => noise(`${n} ${line}`)).join('\n');
  const last = new Map<string, { before: string | undefined }>();
  const write = async (engine: Engine, who: number) => {
    for (let n = 0; n < 80; n++) {
      const path = `${who}-${n % 3}.txt`;
      last.set(path, { before: fixture.tree()[path] as string | undefined });
      await engine.files.write(path, content(n));
    }
  };
  await Promise.all([write(fixture.engine, 1), write(other, 2)]);
  await other.close();
  expect((await fixture.entries()).length).toBeLessThan(160);
  for (const [path, { before }] of last) {
    const entry = (await fixture.entries()).find(({ changes }) =>
      changes.some((change) => change.path.endsWith(path)),
    )!;
    await fixture.undo(entry);
    expect(fixture.tree()[path]).toBe(before);
  }
});

test('changes in a root that was given as a link are undone where the link leads', async () => {
  fixture = openJournalFixture({ 'a.txt': 'start\n' });
  const link = temporaryDirectory();
  symlinkSync(fixture.root, join(link.path, 'root'));
  const engine = new Engine({
    roots: [{ path: join(link.path, 'root'), writable: true }],
    journal: fixture.state,
  });
  await engine.files.write(join(link.path, 'root', 'a.txt'), 'changed\n');
  await engine.files.remove('a.txt');
  await engine.close();
  link.remove();
  const history = new History(fixture.state);
  for (const { id } of await history.entries()) expect(await history.undo(id)).toMatchObject({ done: true });
  expect(fixture.tree()).toEqual({ 'a.txt': 'start\n' });
});
