/** How long the journal keeps entries: the oldest go first, and never the last change of a file. */
import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { History } from '../../../../src/engine/index.ts';
import { Journal } from '../../../../src/engine/journal/journal.ts';
import { prune } from '../../../../src/engine/journal/retention/retention.ts';
import type { RetentionLimits } from '../../../../src/engine/journal/retention/retention-limits.ts';
import { openDirectoryState } from '../../../../src/state/directory/open.ts';
import { InProcessClient } from '../../../in-process.ts';
import { layOut, readBack, temporaryDirectory } from '../../../tree.ts';
import { type JournalFixture, openJournalFixture } from '../journal-fixture.ts';

const DAY = 24 * 3_600_000;
const START = Date.parse('2026-01-01T12:00:00Z');
const MUCH: RetentionLimits = { days: 1e6, bytes: 1e12 };

describe('pruning with invented times', () => {
  let fixture: JournalFixture;
  beforeEach(() => vi.useFakeTimers({ now: START, toFake: ['Date'] }));
  afterEach(async () => {
    vi.useRealTimers();
    await fixture.close();
  });

  const open = (tree: Parameters<typeof openJournalFixture>[0] = {}) => {
    fixture = openJournalFixture(tree, { keep: MUCH });
  };
  const onDay = (day: number) => vi.setSystemTime(START + day * DAY);
  const write = async (path: string, content: string) => {
    await fixture.engine.files.write(path, content);
    return (await fixture.newest()).id;
  };
  const tidy = async (keep: Partial<RetentionLimits>) => {
    // The files of the store have their own times.
    for (const path of stored()) utimesSync(path, (Date.now() - DAY) / 1000, (Date.now() - DAY) / 1000);
    const journal = new Journal(openDirectoryState(fixture.state));
    const pruned = await prune(journal, { ...MUCH, ...keep });
    journal.log.close();
    return pruned;
  };
  const ids = async () => (await fixture.entries()).map(({ id }) => id).reverse();
  const stored = (folder = 'store') => {
    const at = join(fixture.state, folder);
    const names = existsSync(at) ? readdirSync(at, { recursive: true, encoding: 'utf8' }) : [];
    return names.map((name) => join(at, name)).filter((path) => statSync(path).isFile());
  };

  test('removes entries that are too old, and keeps the last change of each file', async () => {
    open();
    const first = await write('a.txt', 'one');
    const other = await write('b.txt', 'only');
    onDay(5);
    const second = await write('a.txt', 'two');
    onDay(40);
    const third = await write('a.txt', 'three');
    expect(await tidy({ days: 30 })).toMatchObject({ entries: 2 });
    expect(await ids()).toEqual([other, third]);
    expect([first, second]).not.toContain((await ids())[0]);
    await fixture.undo();
    expect(fixture.tree()).toEqual({ 'a.txt': 'two', 'b.txt': 'only' });
  });

  test('removes the oldest entries when there is too much', async () => {
    open();
    const entries: string[] = [];
    for (let n = 0; n < 10; n++) entries.push(await write('a.txt', `${n} ${randomText(10_000)}`));
    await fixture.engine.history.entries();
    await settled();
    const before = total(stored());
    await tidy({ bytes: before / 2 });
    const left = await ids();
    expect(left.length).toBeGreaterThan(2);
    expect(left.length).toBeLessThan(8);
    expect(entries.slice(-left.length)).toEqual(left);
    expect(total(stored())).toBeLessThanOrEqual(before / 2);
    while ((await fixture.entries()).some(({ state }) => state === 'done')) {
      const open = (await fixture.entries()).find(
        ({ state, undoes }) => state === 'done' && undoes === undefined,
      );
      if (!open) break;
      await fixture.undo(open);
    }
    expect(fixture.tree()['a.txt']).toMatch(new RegExp(`^${10 - left.length - 1} `));
  });

  test('stores a content that two entries need once, and keeps it for the second', async () => {
    open({ 'a.txt': 'shared', 'b.txt': 'shared' });
    await write('a.txt', 'A');
    await write('b.txt', 'B');
    await settled();
    expect(stored().filter((path) => readFileSync(path, 'utf8') === 'shared')).toHaveLength(1);
    onDay(40);
    await write('a.txt', 'AA');
    await tidy({ days: 30 });
    await fixture.undo((await fixture.entries()).find(({ changes }) => changes[0]!.path.endsWith('b.txt')));
    expect(fixture.tree()['b.txt']).toBe('shared');
  });

  test('retires content before removing it, and brings it back if an entry still needs it', async () => {
    open({ 'a.txt': 'precious' });
    await write('a.txt', 'two');
    onDay(40);
    await write('a.txt', 'three');
    await settled();
    await tidy({ days: 30 });
    const [leaving] = stored('leaving').filter((path) => readFileSync(path, 'utf8') === 'precious');
    expect(leaving).toBeDefined();
    // Another server stored the same content at this moment.
    const journal = new Journal(openDirectoryState(fixture.state));
    const hash = leaving!.slice(-64);
    const before = { size: 8, mode: 0o644, hash, kept: { in: 'store' } } as const;
    const recorder = journal.begin({});
    const change = {
      kind: 'changed',
      path: join(fixture.root, 'c.txt'),
      before,
      after: { size: 1, mode: 0o644 },
    } as const;
    recorder.add([change], [fixture.root]);
    expect(await journal.store.has(hash)).toBe(true);
    journal.log.close();
    onDay(41);
    await tidy({ days: 30 });
    expect(stored('leaving')).toEqual([]);
    expect(stored().map((path) => readFileSync(path, 'utf8'))).toContain('precious');
  });

  test('finally removes content that no entry needs', async () => {
    open({ 'a.txt': 'old' });
    await write('a.txt', 'two');
    onDay(40);
    await write('a.txt', 'three');
    await settled();
    await tidy({ days: 30 });
    onDay(41);
    await tidy({ days: 30 });
    expect(stored('leaving')).toEqual([]);
    expect(
      stored()
        .map((path) => readFileSync(path, 'utf8'))
        .sort(),
    ).toEqual(['three', 'two']);
  });

  test('counts a move as a change of the file under its new name too', async () => {
    open({ 'a.txt': 'a' });
    await fixture.engine.files.move('a.txt', 'b.txt');
    const moved = (await fixture.newest()).id;
    await write('a.txt', 'another');
    onDay(40);
    await write('a.txt', 'yet another');
    await tidy({ days: 30 });
    expect(await ids()).toContain(moved);
  });

  test('keeps an undo without contents as long as the entry that it undid', async () => {
    open({ 'a.txt': 'a' });
    const id = await write('a.txt', 'b');
    writeFileSync(join(fixture.root, 'a.txt'), 'a');
    await fixture.undo();
    onDay(40);
    await tidy({ days: 30 });
    expect((await fixture.entries()).at(-1)).toMatchObject({ id, state: 'undone' });
  });

  test('removes a tree that was set aside together with its entry', async () => {
    open({ 'd/x.txt': 'x' });
    await fixture.engine.files.remove('d', { recursive: true });
    onDay(40);
    await fixture.engine.files.makeDirectory('d');
    expect(readdirSync(join(fixture.state, 'aside'))).toHaveLength(1);
    // Only the change time shows when it was set aside, and that time cannot be invented.
    vi.setSystemTime(Date.now() + 1000 * DAY);
    await tidy({ days: 30 });
    expect(readdirSync(join(fixture.state, 'aside'))).toEqual([]);
  });

  test('removes files of the journal, or shrinks them to the lines that are left', async () => {
    open();
    await write('kept.txt', 'once');
    for (let n = 0; n < 20; n++) await write('a.txt', `${n}`);
    const log = join(fixture.state, 'journal');
    const [firstDay] = readdirSync(log);
    const size = statSync(join(log, firstDay!)).size;
    onDay(20);
    await write('a.txt', 'later');
    onDay(100);
    await write('a.txt', 'much later');
    await tidy({ days: 30 });
    expect(readdirSync(log)).toEqual([firstDay, '2026-01-21.jsonl', '2026-04-11.jsonl']);
    expect(statSync(join(log, firstDay!)).size).toBeLessThan(size / 5);
    expect(await ids()).toHaveLength(2);
    onDay(150);
    await write('kept.txt', 'twice');
    await tidy({ days: 30 });
    expect(readdirSync(log)).toEqual(['2026-04-11.jsonl', '2026-05-31.jsonl']);
    expect(await ids()).toHaveLength(2);
    await fixture.undo();
    await fixture.undo();
    expect(fixture.tree()).toEqual({ 'kept.txt': 'once', 'a.txt': 'later' });
  });

  test('does not revive a dropped entry that ends in the next file when it shrinks files', async () => {
    open({ 'stays.txt': 'x' });
    vi.setSystemTime(Date.parse('2026-01-01T23:59:59Z'));
    const journal = new Journal(openDirectoryState(fixture.state));
    const change = { kind: 'created', path: join(fixture.root, 'never'), type: 'directory' } as const;
    const failed = journal.begin({});
    failed.add([change], [fixture.root]);
    for (let n = 0; n < 4; n++) await write(`stays${n}.txt`, 'y');
    vi.setSystemTime(Date.parse('2026-01-02T00:00:01Z'));
    failed.end('failed');
    for (let n = 0; n < 6; n++) await write('a.txt', `${n}`);
    onDay(100);
    await write('a.txt', 'later');
    journal.log.close();
    await tidy({ days: 30 });
    expect((await fixture.entries()).every(({ changes }) => !changes[0]!.path.endsWith('never'))).toBe(true);
    expect(await ids()).toHaveLength(5);
  });

  test('does not happen when entries are only read and undone', async () => {
    open({ 'a.txt': 'a' });
    await write('a.txt', 'b');
    onDay(400);
    await write('a.txt', 'c');
    const { id } = await fixture.newest();
    // With invented times, what another engine is writing looks abandoned: this one must have ended its pruning.
    await fixture.engine.close();
    const history = new History(fixture.state);
    expect(await history.undo(id)).toMatchObject({ done: true });
    expect(await history.entries()).toHaveLength(3);
  });

  /** Waits until nothing more is stored: the new content of a file is stored in the background. */
  const settled = async () => {
    let same = 0;
    for (let count = -1; same < 20; await pause(5)) {
      const now = stored().length;
      same = now === count ? same + 1 : 0;
      count = now;
    }
  };
});

test('with --keep 1MB the store stays bounded, and the last change of each file can be undone', async () => {
  const root = temporaryDirectory();
  const state = temporaryDirectory();
  try {
    layOut(root.path, { 'a.txt': 'a0', 'b.txt': 'b0' });
    const client = await InProcessClient.start(['--keep', '1MB', '--state', state.path, root.path]);
    let largest = 0;
    const last: Record<string, string> = {};
    for (let n = 1; n <= 60; n++) {
      const name = n === 10 ? 'b.txt' : 'a.txt';
      last[name] = readFileSync(join(root.path, name), 'utf8');
      await client.text('write_file', {
        path: join(root.path, name),
        content: `${n} ${randomText(100_000)}`,
      });
      if (n % 10 === 0) largest = Math.max(largest, weigh(join(state.path, 'store')));
    }
    await client.end();
    expect(largest).toBeLessThan(2.5 * 1024 * 1024);
    expect(weigh(join(state.path, 'store'))).toBeLessThan(1.3 * 1024 * 1024);
    const history = new History(state.path);
    const entries = await history.entries();
    expect(entries.length).toBeLessThan(30);
    for (const name of ['a.txt', 'b.txt']) {
      const entry = entries.find(({ changes }) => changes[0]!.path === join(root.path, name))!;
      expect(await history.undo(entry.id)).toMatchObject({ done: true });
    }
    expect(readBack(root.path)).toEqual(last);
  } finally {
    root.remove();
    state.remove();
  }
});

/** Text that cannot be compressed. */
function randomText(length: number): string {
  let text = '';
  let state = length + text.length;
  while (text.length < length) {
    state = (Math.imul(state, 1664525) + 1013904223 + text.length) >>> 0;
    text += String.fromCharCode(33 + ((state >>> 16) % 90));
  }
  return `${text}${Math.random()}`;
}

function total(paths: readonly string[]): number {
  return paths.reduce((sum, path) => sum + statSync(path).size, 0);
}

function weigh(directory: string): number {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return total(names.map((name) => join(directory, name)).filter((path) => existsSync(path)));
}
