import { describe, expect, it } from 'vitest';
import { Scheduler, type Searcher } from '../../../../src/engine/search/workers/scheduler.ts';

const SIZE = 2;
const RELEASE_IDLE = 500;
const EXTRA = 1000;

let clock = 0;
let threads = 0;

function fresh() {
  clock = 0;
  const scheduler = new Scheduler<Searcher, number>(SIZE, () => clock);
  const start = (searcher: Searcher): number[] => {
    const taken = Array.from({ length: scheduler.threadsAllowed(searcher) }, () => threads++);
    scheduler.hold(searcher, taken);
    return taken;
  };
  return { scheduler, start };
}

const pattern = (client = 'a'): Searcher => ({ client, surelyEnds: false });
const listing = (client = 'a'): Searcher => ({ client, surelyEnds: true });

describe('threads', () => {
  it('are given to four searches, two to each, and the fifth search waits', () => {
    const { scheduler, start } = fresh();
    const taken = [1, 2, 3, 4].map(() => start(pattern()));
    expect(taken.map((own) => own.length)).toEqual([2, 2, 2, 2]);
    expect(scheduler.threadsAllowed(pattern())).toBe(0);
    expect(scheduler.threadsAllowed(pattern('b'))).toBe(0);
    scheduler.release(taken[2]![0]!);
    expect(scheduler.threadsAllowed(pattern())).toBe(1);
  });

  it('are available to searches that surely end, however many patterns are at work', () => {
    const { scheduler, start } = fresh();
    for (let i = 0; i < 4; i++) start(pattern());
    expect(scheduler.threadsAllowed(listing())).toBe(2);
    for (let i = 0; i < 4; i++) start(listing());
    expect(scheduler.threadsAllowed(listing())).toBe(0);
  });

  it('are added while other searches run for long, up to a cap for each client and for all', () => {
    const { scheduler, start } = fresh();
    for (let i = 0; i < 4; i++) start(pattern());
    clock = EXTRA;
    for (let i = 0; i < 8; i++) expect(start(pattern())).toHaveLength(1);
    expect(scheduler.threadsAllowed(pattern())).toBe(0);
    for (let i = 0; i < 8; i++) expect(start(pattern('b'))).toHaveLength(1);
    expect(scheduler.threadsAllowed(pattern('c'))).toBe(0);
    expect(scheduler.threadsAllowed(listing('a'))).toBe(2);
  });

  it('are not added while the other searches have only just begun', () => {
    const { scheduler, start } = fresh();
    for (let i = 0; i < 4; i++) start(pattern());
    clock = RELEASE_IDLE - 1;
    expect(scheduler.longRunning().size).toBe(0);
    expect(scheduler.nextChangeIn).toBe(1);
    clock = RELEASE_IDLE;
    expect(scheduler.longRunning().size).toBe(4);
    clock = EXTRA - 1;
    expect(scheduler.threadsAllowed(pattern('b'))).toBe(0);
    expect(scheduler.nextChangeIn).toBe(1);
    clock = EXTRA;
    expect(scheduler.threadsAllowed(pattern('b'))).toBe(1);
    expect(scheduler.nextChangeIn).toBeUndefined();
  });
});
