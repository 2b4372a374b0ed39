/** How many threads the pool starts when all are at work. */
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

/** A worker that answers a job at once, unless the job is endless. */
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

it('starts no thread if the main thread was busy and has not read an answer yet', async () => {
  const pool = new SearchPool(1, worker);
  await search(pool);
  // Next, the event loop runs timers, and only then reads messages of threads.
  await new Promise(setImmediate);
  const { answer } = await startSearch(pool, 'quick');
  const others = Array.from({ length: 12 }, () => search(pool));
  started = 0;
  // This is longer than a search waits for a thread at work.
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
  // Otherwise each of the waiting searches would start a thread.
  expect(started).toBeLessThan(4);
  await pool.close();
  await answer;
});
