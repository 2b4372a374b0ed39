import { describe, expect, it } from 'vitest';
import { type Searcher, Shares } from '../../../../src/engine/search/workers/scheduler.ts';

const SIZE = 2;
const SPARING = 500;
const LONG = 1000;

let clock = 0;
let threads = 0;

function fresh() {
  clock = 0;
  const shares = new Shares<Searcher, number>(SIZE, () => clock);
  const start = (searcher: Searcher): number[] => {
    const taken = Array.from({ length: shares.roomFor(searcher) }, () => threads++);
    shares.hold(searcher, taken);
    return taken;
  };
  return { shares, start };
}

const pattern = (client = 'a'): Searcher => ({ client, surelyEnds: false });
const listing = (client = 'a'): Searcher => ({ client, surelyEnds: true });

describe('threads', () => {
  it('are two for each of four searches; the fifth waits', () => {
    const { shares, start } = fresh();
    const taken = [1, 2, 3, 4].map(() => start(pattern()));
    expect(taken.map((own) => own.length)).toEqual([2, 2, 2, 2]);
    expect(shares.roomFor(pattern())).toBe(0);
    expect(shares.roomFor(pattern('b'))).toBe(0);
    shares.release(taken[2]![0]!);
    expect(shares.roomFor(pattern())).toBe(1);
  });

  it('are kept for what surely ends, however many patterns are at work', () => {
    const { shares, start } = fresh();
    for (let i = 0; i < 4; i++) start(pattern());
    expect(shares.roomFor(listing())).toBe(2);
    for (let i = 0; i < 4; i++) start(listing());
    expect(shares.roomFor(listing())).toBe(0);
  });

  it('come besides the usual ones while others go on for long, to a bound for each client and for all', () => {
    const { shares, start } = fresh();
    for (let i = 0; i < 4; i++) start(pattern());
    clock = LONG;
    for (let i = 0; i < 8; i++) expect(start(pattern())).toHaveLength(1);
    expect(shares.roomFor(pattern())).toBe(0);
    for (let i = 0; i < 8; i++) expect(start(pattern('b'))).toHaveLength(1);
    expect(shares.roomFor(pattern('c'))).toBe(0);
    expect(shares.roomFor(listing('a'))).toBe(2);
  });

  it('do not come besides while the others have only begun', () => {
    const { shares, start } = fresh();
    for (let i = 0; i < 4; i++) start(pattern());
    clock = SPARING - 1;
    expect(shares.sparing().size).toBe(0);
    expect(shares.nextChangeIn).toBe(1);
    clock = SPARING;
    expect(shares.sparing().size).toBe(4);
    clock = LONG - 1;
    expect(shares.roomFor(pattern('b'))).toBe(0);
    expect(shares.nextChangeIn).toBe(1);
    clock = LONG;
    expect(shares.roomFor(pattern('b'))).toBe(1);
    expect(shares.nextChangeIn).toBeUndefined();
  });
});
