/**
 * Keeps V8's young space small. Under a flood of calls V8 lets it grow to 32 MB and never shrinks it again. A quarter
 * of that, collected by one thread, is enough: a read takes no more processor time with it.
 */
import type { PerformanceObserver as Observer } from 'node:perf_hooks';
import type { Worker } from 'node:worker_threads';

/** The limit for each of the two halves of the young space. */
const MAX_SEMI_SPACE_BYTES = 3 * 1024 * 1024;
/** The factor by which V8 lets a half grow at once, unless a flag says otherwise. */
const DEFAULT_GROWTH = 2;
const CHECK_EVERY_MS = 2;

let growth: number | undefined;
let observer: Observer | undefined;

/** Call this once, when the start is over: setting up the observer takes a millisecond. */
export function boundYoungSpace(): void {
  const { PerformanceObserver } = require('node:perf_hooks') as typeof import('node:perf_hooks');
  // The space grows only in a collection, and never by more than the last check allowed.
  observer = new PerformanceObserver(limitGrowth);
  observer.observe({ entryTypes: ['gc'] });
  process.on('worker', limitGrowthUntilOnline);
  setFlag('--no-parallel-scavenge');
  limitGrowth();
}

/** Whenever a thread starts, V8 resets the growth factor in all threads: this sets it again until the thread runs. */
function limitGrowthUntilOnline(thread: Worker): void {
  const checks = setInterval(limitGrowth, CHECK_EVERY_MS);
  const end = () => {
    clearInterval(checks);
    limitGrowth();
  };
  thread.once('online', end).once('exit', end);
}

/** Does the work with the flags that V8 had at the start: it rejects code that was compiled with other flags. */
export function withUsualFlags<T>(work: () => T): T {
  if (growth === undefined) return work();
  const before = growth;
  setFlag('--parallel-scavenge');
  allowGrowth(DEFAULT_GROWTH);
  try {
    return work();
  } finally {
    setFlag('--no-parallel-scavenge');
    allowGrowth(before);
  }
}

function limitGrowth(): void {
  const { getHeapSpaceStatistics } = require('node:v8') as typeof import('node:v8');
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  if (young === undefined) return;
  // Not `space_size`: V8 may have released one half for a while.
  const half = young.space_used_size + young.space_available_size;
  if (half > 0) allowGrowth(Math.max(1, Math.floor(MAX_SEMI_SPACE_BYTES / half)));
}

function allowGrowth(factor: number): void {
  growth = factor;
  setFlag(`--semi-space-growth-factor=${factor}`);
}

function setFlag(flag: string): void {
  const { setFlagsFromString } = require('node:v8') as typeof import('node:v8');
  setFlagsFromString(flag);
}
