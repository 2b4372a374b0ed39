/** Contents are flushed in quiet moments, each of them once. */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { DeferredFlush } from '../../../src/state/directory/contents/deferred-flush.ts';
import { temporaryDirectory } from '../../tree.ts';

const flushes = vi.hoisted(() => ({ count: 0 }));

vi.mock('node:fs', async (original) => {
  const real = await original<typeof fs>();
  const fsync = (fd: number, done: fs.NoParamCallback) => {
    flushes.count++;
    real.fsync(fd, done);
  };
  return { ...real, fsync };
});

let directory: ReturnType<typeof temporaryDirectory>;
let flushing: DeferredFlush;

beforeEach(() => {
  directory = temporaryDirectory();
  flushing = new DeferredFlush();
  flushes.count = 0;
});

afterEach(() => directory.remove());

function written(name: string): string {
  const path = join(directory.path, name);
  fs.writeFileSync(path, name);
  return path;
}

it('flushes a file once, however often it is added', async () => {
  const paths = ['a', 'b', 'c'].map(written);
  for (const path of [...paths, ...paths]) flushing.add(path);
  await flushing.now();
  for (const path of paths) flushing.add(path);
  await flushing.now();
  expect(flushes.count).toBe(3);
});

it('does not flush a file twice that is added while it waits for its turn', async () => {
  const paths = ['a', 'b', 'c'].map(written);
  for (const path of paths) flushing.add(path);
  const first = flushing.now();
  flushing.add(paths[2]!);
  await Promise.all([first, flushing.now()]);
  expect(flushes.count).toBe(3);
});

it('flushes a file that is written anew under the name of one that was flushed', async () => {
  const path = written('a');
  flushing.addNew(path);
  await flushing.now();
  fs.rmSync(path);
  flushing.addNew(written('a'));
  await flushing.now();
  expect(flushes.count).toBe(2);
});

it('ignores a file that is gone', async () => {
  flushing.add(join(directory.path, 'none'));
  await flushing.now();
  expect(() => flushing.throwFailure()).not.toThrow();
});
