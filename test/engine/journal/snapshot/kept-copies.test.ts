/** Which files are copied before a command, and which copies are reused. */
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { TreeScanner } from '../../../../src/engine/confine/scan/tree-scanner.ts';
import { KeptCopies } from '../../../../src/engine/journal/snapshot/kept-copies.ts';
import { type Snapshot, takeSnapshot } from '../../../../src/engine/journal/snapshot/snapshot.ts';
import { SnapshotContents } from '../../../../src/engine/journal/snapshot/snapshot-contents.ts';
import { temporaryDirectory } from '../../../tree.ts';
import { type Fixture, fixture } from '../../search/search-fixture.ts';

const FILES = 40;
const SIZE = 100;
const NAMES = Array.from({ length: FILES }, (_, at) => `f${at}.txt`);

let here: Fixture;
let state: { path: string; remove(): void };
let contents: SnapshotContents;
let copies: KeptCopies;
/** The names of the files that the last snapshot had copied. */
let asked: string[];

beforeEach(async () => {
  here = await fixture(Object.fromEntries(NAMES.map((name) => [name, 'x'.repeat(SIZE)])));
  state = temporaryDirectory();
  copies = new KeptCopies();
  // Files that were changed a moment ago are copied every time, so make all of these old.
  const ahead = Date.now() + 10_000;
  vi.spyOn(Date, 'now').mockImplementation(() => ahead);
});
afterEach(async () => {
  vi.restoreAllMocks();
  contents.clear();
  await here.close();
  state.remove();
});

async function take(): Promise<Snapshot> {
  asked = [];
  const { trees } = here.search;
  const scanner: TreeScanner = {
    scan: (dir, options) => trees.scan(dir, options),
    copy: (dir, files, target) => {
      asked.push(...files.flatMap(({ names }) => names));
      return trees.copy(dir, files, target);
    },
  };
  const snapshot = (await takeSnapshot(scanner, here.wall.roots))!;
  await copies.take(snapshot, scanner, contents);
  return snapshot;
}

/** The file system's times are coarse: writes until the file is newer than all others. */
async function rewrite(name: string, text: string): Promise<void> {
  const path = join(here.root, name);
  const changed = (each: string) => Math.floor(statSync(join(here.root, each)).ctimeMs);
  const newest = Math.max(...NAMES.map(changed));
  while (changed(name) <= newest) {
    writeFileSync(path, text);
    await setImmediate();
  }
}

function copied(snapshot: Snapshot): number {
  return [...snapshot.directories.values()]
    .flatMap((directory) => [...directory.copies!])
    .filter(Number.isFinite).length;
}

test('files for which there is no room are not tried again, and the copies of the others are reused', async () => {
  contents = new SnapshotContents(state.path, SIZE * 16);
  expect(copied(await take())).toBe(14);
  expect(asked).toHaveLength(14);
  const again = await take();
  expect(asked).toEqual([]);
  expect(copied(again)).toBe(14);
  expect(copies.areOutdated(contents)).toBe(false);
});

test('the first snapshot leaves room for files that change later, until outdated copies take too much', async () => {
  contents = new SnapshotContents(state.path, SIZE * 16);
  await take();
  const first = asked[0]!;
  for (const text of ['y', 'z']) {
    expect(copies.areOutdated(contents)).toBe(false);
    await rewrite(first, text.repeat(SIZE));
    expect(copied(await take())).toBe(14);
    expect(asked).toEqual([first]);
  }
  expect(copies.areOutdated(contents)).toBe(true);
});
