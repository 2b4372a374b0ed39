/**
 * When the heap is collected: after it has grown, even by the last call of a flood, twice after that, and never when
 * that would take long.
 */
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';

const MiB = 1024 * 1024;
const heap = vi.hoisted(() => ({ used: 0, collected: 0, flags: [] as string[], isExposed: true }));

vi.mock('node:v8', () => ({
  getHeapSpaceStatistics: () => [
    { space_name: 'new_space', space_used_size: 100 * 1024 * 1024 },
    { space_name: 'old_space', space_used_size: heap.used / 2 },
    { space_name: 'new_large_object_space', space_used_size: 100 * 1024 * 1024 },
    { space_name: 'large_object_space', space_used_size: heap.used / 2 },
  ],
  setFlagsFromString: (flag: string) => void heap.flags.push(flag),
}));
vi.mock('node:vm', () => ({
  runInNewContext: () => {
    if (!heap.isExposed) return undefined;
    return () => {
      heap.collected++;
      heap.flags.push('collected');
      heap.used = 10 * 1024 * 1024;
    };
  },
}));

const { boundThreadHeap, tidyHeap, tidyHeapInPauses } = await import('../../src/engine/heap.ts');
const { ownHeap } = await import('../../src/engine/heap-owner.ts');

beforeAll(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] }));
beforeEach(() => {
  heap.collected = 0;
});
afterAll(() => void vi.useRealTimers());

/** How many collections a call causes that comes after a pause. */
function collectedAt(used: number): number {
  vi.advanceTimersByTime(10_000);
  const before = heap.collected;
  heap.used = used;
  tidyHeap();
  return heap.collected - before;
}

/** Calls that follow each other every tenth of a second on a heap that has grown. */
function flood(calls: number, ended: (call: number) => void): void {
  heap.used = 50 * MiB;
  for (let call = 0; call < calls; call++) {
    ended(call);
    vi.advanceTimersByTime(100);
  }
}

it('is left to the program that uses the engine as a library', () => {
  expect(collectedAt(40 * MiB)).toBe(0);
  vi.advanceTimersByTime(10_000);
  expect(heap.collected).toBe(0);
});

it('is collected for a program that owns it, or at the next check if another thread has just taken the option back', () => {
  ownHeap();
  heap.isExposed = false;
  expect(collectedAt(40 * MiB)).toBe(0);
  heap.isExposed = true;
  expect(collectedAt(40 * MiB)).toBe(1);
});

it('is collected when it has grown since the last time', () => {
  expect(collectedAt(15 * MiB)).toBe(0);
  expect(collectedAt(40 * MiB)).toBe(1);
  expect(collectedAt(20 * MiB)).toBe(0);
  expect(collectedAt(30 * MiB)).toBe(1);
});

it('is left to V8 when it is so large that a collection would hold up other calls', () => {
  expect(collectedAt(200 * MiB)).toBe(0);
});

it('is checked once more after the last call of a flood', () => {
  expect(collectedAt(15 * MiB)).toBe(0);
  heap.used = 40 * MiB;
  tidyHeap();
  tidyHeap();
  expect(heap.collected).toBe(0);
  vi.advanceTimersByTime(500);
  expect(heap.collected).toBe(1);
});

it('is collected twice more when no call follows a flood, so that V8 can give back pages, and then no more', () => {
  expect(collectedAt(40 * MiB)).toBe(1);
  heap.collected = 0;
  vi.advanceTimersByTime(10_000);
  expect(heap.collected).toBe(2);
  expect(collectedAt(15 * MiB)).toBe(0);
  vi.advanceTimersByTime(10_000);
  expect(heap.collected).toBe(2);
});

it('is left alone under a flood of calls that leave young garbage behind, until there is a pause', () => {
  vi.advanceTimersByTime(10_000);
  heap.collected = 0;
  flood(100, tidyHeapInPauses);
  expect(heap.collected).toBe(0);
  vi.advanceTimersByTime(10_000);
  expect(heap.collected).toBe(2);
});

it('is collected after a search in such a flood', () => {
  vi.advanceTimersByTime(10_000);
  heap.collected = 0;
  flood(20, (call) => (call === 3 ? tidyHeap() : tidyHeapInPauses()));
  expect(heap.collected).toBe(1);
});

it('is compacted whenever it is collected, and V8 keeps its usual options', () => {
  vi.advanceTimersByTime(10_000);
  heap.flags = [];
  expect(collectedAt(40 * MiB)).toBe(1);
  expect(heap.flags).toEqual(['--optimize-for-size', 'collected', '--no-optimize-for-size']);
});

it('may hold less garbage in a thread, where it is smaller', () => {
  vi.advanceTimersByTime(10_000);
  heap.used = 5 * MiB;
  boundThreadHeap();
  expect(collectedAt(7 * MiB)).toBe(0);
  expect(collectedAt(9 * MiB)).toBe(1);
});
