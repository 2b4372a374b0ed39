/** The entries of a journal, read from the lines of its log. */
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { EntryReader } from '../../../../src/engine/journal/entries/entry-reader.ts';
import { type Line, lineRecords } from '../../../../src/engine/journal/entries/line.ts';
import { DirectoryLog } from '../../../../src/state/directory/log/directory-log.ts';
import { soak } from '../../../soak.ts';
import { temporaryDirectory } from '../../../tree.ts';

/** More than can be read in one turn of the event loop, which ends after 10 ms. */
const MANY = soak(6000, 20_000);

let directory: { path: string; remove(): void };
let at: string;
let log: DirectoryLog<Line>;
let reader: EntryReader;
beforeEach(() => {
  directory = temporaryDirectory();
  at = join(directory.path, 'journal');
  log = new DirectoryLog(at, lineRecords);
  reader = new EntryReader(log);
});
afterEach(() => {
  vi.useRealTimers();
  log.close();
  directory.remove();
});

const entries = async () => (await reader.read()).entries;
const only = () => join(at, readdirSync(at)[0]!);

test('entries may have their lines in one file or in two', async () => {
  vi.useFakeTimers({ now: Date.parse('2026-03-31T23:59:59.900Z'), toFake: ['Date'] });
  log.append({
    e: 'a',
    at: Date.now(),
    by: {},
    roots: ['/r'],
    did: [{ kind: 'created', path: '/r/1', type: 'file' }],
  });
  expect(await entries()).toMatchObject([{ id: 'a', state: 'pending' }]);
  vi.setSystemTime(Date.parse('2026-04-01T00:00:00.100Z'));
  log.append({ e: 'a', did: [{ kind: 'created', path: '/r/2', type: 'file' }] });
  log.append({ e: 'a', end: 'done' });
  expect(await entries()).toMatchObject([
    { id: 'a', state: 'done', changes: [{ path: '/r/1' }, { path: '/r/2' }] },
  ]);
});

test('entries are read once; later reads take only what was added', async () => {
  for (const e of ['a', 'b']) {
    log.append({ e, at: 1, did: [] });
    log.append({ e, end: 'done' });
  }
  const before = await entries();
  expect(await entries()).toBe(before);
  appendFileSync(only(), '\n0123');
  log.append({ e: 'c', at: 2, did: [] });
  expect((await entries()).map(({ id, state }) => [id, state])).toEqual([
    ['a', 'done'],
    ['b', 'done'],
    ['c', 'pending'],
  ]);
  log.append({ e: 'c', end: 'failed' });
  log.append({ drop: ['a'] });
  expect((await entries()).map(({ id }) => id)).toEqual(['b']);
});

test('entries are read again after shorter files replace the old ones', async () => {
  for (const e of ['a', 'b']) log.append({ e, at: 1, did: [] });
  expect(await entries()).toHaveLength(2);
  writeFileSync(only(), readFileSync(only()).subarray(0, -10));
  expect((await entries()).map(({ id }) => id)).toEqual(['a']);
});

test('many entries are read in many turns of the event loop', async () => {
  log.append(...linesOfMany());
  const reading = entries();
  expect(await turnsUntil(reading)).toBeGreaterThan(2);
  expect(await reading).toHaveLength(MANY);
});

test('entries stay available while all of them are read again', async () => {
  log.append(...linesOfMany());
  const before = await entries();
  // The end of the last entry is cut off.
  writeFileSync(only(), readFileSync(only()).subarray(0, -10));
  const again = reader.read();
  await new Promise((resolve) => setImmediate(resolve));
  expect((await Promise.all([entries(), again]))[0].at(-1)).toMatchObject({
    id: `e${MANY - 1}`,
    state: 'pending',
  });
  expect(before.at(-1)).toMatchObject({ id: `e${MANY - 1}`, state: 'done' });
});

test('a read includes everything that existed when it was requested, even with concurrent reads', async () => {
  log.append({ e: 'a', at: 1, did: [] });
  const first = entries();
  log.append({ e: 'b', at: 2, did: [] });
  expect((await entries()).map(({ id }) => id)).toEqual(['a', 'b']);
  expect((await first)[0]).toMatchObject({ id: 'a' });
});

test('what was forgotten is known after the first read, and not before it', async () => {
  log.append({ at: 1, forgot: ['0123'] });
  expect(() => reader.forgotten).toThrow('not read');
  await entries();
  expect([...reader.forgotten.names]).toEqual(['0123']);
});

function linesOfMany(): Line[] {
  const ids = Array.from({ length: MANY }, (_, n) => `e${n}`);
  return ids.flatMap((e, at) => [
    { e, at, did: [] },
    { e, end: 'done' },
  ]);
}

/** How many turns the event loop makes until a promise settles. */
async function turnsUntil(promise: Promise<unknown>): Promise<number> {
  let isOver = false;
  const over = promise.then(() => {
    isOver = true;
  });
  let turns = 0;
  for (; !isOver; turns++) await new Promise((resolve) => setImmediate(resolve));
  await over;
  return turns;
}

test('an entry keeps a change that another server recorded as not made, once its own server confirms it', async () => {
  const change = (path: string) => ({ kind: 'created', path, type: 'file' }) as const;
  log.append({ e: 'a', at: 1, roots: ['/r'], did: [change('/r/1'), change('/r/2')] });
  log.append({ e: 'a', settled: [{ path: '/r/1', done: false }] });
  expect(await entries()).toMatchObject([{ id: 'a', state: 'pending', changes: [{ path: '/r/2' }] }]);
  log.append({ e: 'a', settled: [{ path: '/r/2', done: false }] });
  log.append({ e: 'b', at: 2, roots: ['/r'], did: [change('/r/3')] });
  expect(await entries()).toMatchObject([{ id: 'b' }]);
  log.append({ e: 'a', end: 'done' });
  expect(await entries()).toMatchObject([
    { id: 'a', state: 'done', changes: [{ path: '/r/1' }, { path: '/r/2' }] },
    { id: 'b', state: 'pending' },
  ]);
});
