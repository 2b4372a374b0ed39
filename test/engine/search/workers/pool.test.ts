/** How many threads searches start when all are at work. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { AnyJob } from '../../../../src/engine/search/workers/jobs.ts';
import { SearchPool } from '../../../../src/engine/search/workers/pool.ts';

const directory = mkdtempSync(join(tmpdir(), 'pool-'));
let started = 0;
const count = () => void started++;
process.on('worker', count);
afterAll(() => {
  process.off('worker', count);
  rmSync(directory, { recursive: true });
});

/** Answers a job at once, unless that one runs away. */
const worker = join(directory, 'worker.cjs');
writeFileSync(
  worker,
  `const { parentPort } = require('node:worker_threads');
   parentPort.on('message', ({ id, kind }) => {
     while (kind === 'endless');
     parentPort.postMessage({ id, kind: 'done' });
   });`,
);

const never = new AbortController().signal;
const queue = { releaseIdleThreads: () => {} };
let jobs = 0;

async function search(pool: SearchPool): Promise<void> {
  await (await startSearch(pool, 'quick')).answer;
}

async function startSearch(pool: SearchPool, kind: 'quick' | 'endless'): Promise<{ answer: Promise<void> }> {
  const [thread] = await pool.take({ client: '', surelyEnds: true, queue }, never);
  const job = { id: ++jobs, kind, queue: { slot: 0, shared: undefined } } as unknown as AnyJob;
  return {
    answer: new Promise((resolve) =>
      thread!.start(
        job,
        () => resolve(),
        () => resolve(),
      ),
    ),
  };
}

function holdMainThread(ms: number): void {
  const { user, system } = process.cpuUsage();
  for (;;) {
    const used = process.cpuUsage();
    if (used.user + used.system - user - system > ms * 1000) return;
  }
}

it('starts no thread if the main thread was busy and an answer waits to be read', async () => {
  const pool = new SearchPool(1, worker);
  await search(pool);
  // Timers come next in the turn of the event loop, and messages of threads only then.
  await new Promise(setImmediate);
  const { answer } = await startSearch(pool, 'quick');
  const others = Array.from({ length: 12 }, () => search(pool));
  started = 0;
  // Longer than a search waits for a thread at work.
  holdMainThread(700);
  await Promise.all([answer, ...others]);
  expect(started).toBe(0);
  await pool.close();
});

it('starts few threads at first if a pattern ran away on all of them', async () => {
  const pool = new SearchPool(1, worker);
  await search(pool);
  const { answer } = await startSearch(pool, 'endless');
  started = 0;
  await Promise.all(Array.from({ length: 12 }, () => search(pool)));
  // Each search that waits would start one.
  expect(started).toBeLessThan(4);
  await pool.close();
  await answer;
});
