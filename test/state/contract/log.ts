/** What every log guarantees (see src/state/log.ts). */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Log } from '../../../src/state/log.ts';
import { inOtherProcess, type StateFactory, type StateUnderTest, until } from './factory.ts';
import { type Numbered, numbered, textOf } from './numbered.ts';

/** Everything that a reader has passed on so far. */
class Records {
  all: Numbered[] = [];
  restarts = 0;
  take(record: Numbered): void {
    this.all.push(record);
  }
  restart(): void {
    this.all = [];
    this.restarts += 1;
  }
}

export function logContract(create: StateFactory): void {
  describe('a log', () => {
    let under: StateUnderTest;
    let opened: Log<Numbered>[];
    beforeEach(() => {
      under = create();
      opened = [];
    });
    afterEach(async () => {
      for (const log of opened) log.close();
      await under.remove();
    });

    const open = (options = {}) => {
      const log = under.open().log<Numbered>('journal', { ...numbered, ...options });
      opened.push(log);
      return log;
    };
    const read = async (log: Log<Numbered>) => {
      const records = new Records();
      await log.reader(records).catchUp();
      return records.all;
    };
    const numbers = async (log: Log<Numbered>) => (await read(log)).map(({ n }) => n);

    test('is empty until somebody writes to it', async () => {
      const log = open();
      expect(await read(log)).toEqual([]);
      for await (const records of log.newestFirst()) expect(records).toEqual([]);
      expect(log.size()).toBe(0);
    });

    test('returns records in the order in which they were appended, or newest first', async () => {
      const log = open();
      for (let n = 0; n < 500; n++) log.append({ n, text: 'x'.repeat(n * 7) });
      log.append({ n: 500 }, { n: 501 });
      await log.flush();
      const expected = Array.from({ length: 502 }, (_, n) => n);
      expect(await numbers(log)).toEqual(expected);
      const back: number[] = [];
      for await (const records of log.newestFirst()) back.push(...records.map(({ n }) => n));
      expect(back).toEqual(expected.reverse());
      expect(log.size()).toBeGreaterThan(500 * 7 * 200);
    });

    test('returns exactly what was appended, whatever it contains', async () => {
      const text = `\n\r\0\u2028"\\ äöü 日本語 😀 ${'long '.repeat(500_000)}`;
      const log = open();
      log.append({ n: 1, text });
      log.append({ n: 2 });
      await log.flush();
      expect(await read(open())).toEqual([{ n: 1, text }, { n: 2 }]);
    });

    test('can be filled in one step while it is empty, and not later', async () => {
      const reader = new Records();
      const other = open();
      const reading = other.reader(reader);
      await reading.catchUp();
      const days = (n: number) => Date.UTC(2026, 0, 1 + n);
      const log = open({ appendedAt: ({ n }: Numbered) => days(Math.floor(n / 400)) });
      const records = Array.from({ length: 1200 }, (_, n) => ({ n, text: 'ü'.repeat(n % 90) }));
      expect(await log.fill(records)).toBe(true);
      expect(await read(open())).toEqual(records);
      await reading.catchUp();
      expect(reader.all).toEqual(records);
      expect(await log.fill([{ n: -1 }])).toBe(false);
      other.append({ n: 1200 });
      await other.flush();
      expect((await numbers(open())).slice(-2)).toEqual([1199, 1200]);
    });

    test('stays empty when filling it fails', async () => {
      const broken = { n: 2, toJSON: () => fail() };
      const fail = () => {
        throw new Error('broken');
      };
      await expect(open().fill([{ n: 1 }, broken])).rejects.toThrow('broken');
      expect(await read(open())).toEqual([]);
      expect(await open().fill([{ n: 1 }])).toBe(true);
      expect(await numbers(open())).toEqual([1]);
    });

    test('keeps its records when it is closed and opened again', async () => {
      const log = open();
      log.append({ n: 1 });
      await log.flush();
      log.close();
      const again = open();
      again.append({ n: 2 });
      await again.flush();
      expect(await numbers(open())).toEqual([1, 2]);
    });

    test('skips a truncated record, but not the ones around it', async (context) => {
      if (!under.tearLast) return context.skip();
      for (let n = 1; n <= 3; n++) {
        const log = open();
        log.append({ n, text: 'äöü' });
        await log.flush();
        if (n === 2) under.tearLast('journal');
      }
      expect(await numbers(open())).toEqual([1, 3]);
    });

    test('accepts records of two processes at the same time without losing or mixing any', async () => {
      const followed: Numbered[] = [];
      const log = open();
      const problems: Error[] = [];
      log.follow({
        onRecords: (records) => followed.push(...records),
        onProblem: (error) => problems.push(error),
      });
      await Promise.all(
        ['one', 'two'].map((writer) => inOtherProcess(under.address, 'append', writer, '1001')),
      );
      const all = await read(log);
      await until(() => followed.length >= all.length);
      for (const records of [all, followed]) {
        for (const writer of ['one', 'two']) {
          const own = records.filter((record) => record.writer === writer);
          expect(own.map(({ n }) => n)).toEqual(Array.from({ length: 1001 }, (_, n) => n));
          expect(own.every(({ n, text }) => text === textOf(n))).toBe(true);
        }
      }
      expect(problems).toEqual([]);
    });

    test('passes a reader only new records, each of them once', async () => {
      const [one, two] = [open(), open()];
      const records = new Records();
      const reader = one.reader(records);
      for (let n = 0; n < 20; n++) {
        (n % 3 === 0 ? one : two).append({ n });
        await Promise.all([one.flush(), two.flush()]);
        await reader.catchUp();
        await reader.catchUp();
        expect(records.all.map((record) => record.n)).toEqual(
          Array.from({ length: n + 1 }, (_, each) => each),
        );
      }
      expect(records.restarts).toBe(0);
    });

    test('reports to a follower what any process appends later, until following is stopped', async () => {
      const [log, other] = [open(), open()];
      log.append({ n: 0 });
      await log.flush();
      const got: number[] = [];
      const kept: number[] = [];
      const onProblem = (error: Error) => expect.fail(error.message);
      const stop = log.follow({ onRecords: (records) => got.push(...records.map(({ n }) => n)), onProblem });
      log.follow({ onRecords: (records) => kept.push(...records.map(({ n }) => n)), onProblem });
      other.append({ n: 1 });
      await other.flush();
      log.append({ n: 2 });
      await until(() => got.length === 2 && kept.length === 2);
      stop();
      other.append({ n: 3 });
      await until(() => kept.length === 3);
      expect(got).toEqual([1, 2]);
      expect(kept).toEqual([1, 2, 3]);
    });

    test('keeps every chosen record when it is compacted, and makes readers start over', async () => {
      const day = Date.UTC(2026, 0, 1);
      let now = day;
      const log = open({ now: () => now });
      const records = new Records();
      const reader = log.reader(records);
      for (let n = 0; n < 40; n++) {
        now = day + Math.floor(n / 10) * 24 * 3_600_000;
        log.append({ n });
      }
      await log.flush();
      await reader.catchUp();
      now = day + 100 * 24 * 3_600_000;
      await log.compact((segment) => segment.filter(({ n }) => n % 10 === 7));
      await reader.catchUp();
      const left = records.all.map(({ n }) => n);
      expect(left.filter((n) => n % 10 === 7)).toEqual([7, 17, 27, 37]);
      expect(left.length).toBeLessThan(40);
      expect(await numbers(open())).toEqual(left);
      log.append({ n: 40 });
      await log.flush();
      await reader.catchUp();
      expect(records.all.at(-1)).toEqual({ n: 40 });
    });

    test('says while it compacts whether all records that were left out earlier are gone', async () => {
      const day = Date.UTC(2026, 0, 1);
      let now = day;
      const log = open({ now: () => now });
      for (const [at, count] of [10, 10, 10].entries()) {
        now = day + at * 24 * 3_600_000;
        for (let n = 0; n < count; n++) log.append({ n: at * 10 + n });
      }
      await log.flush();
      now = day + 100 * 24 * 3_600_000;
      let isAllGone = true;
      let before = new Set<number>();
      const leftOut = new Set<number>();
      await log.compact((segment, isComplete) => {
        expect(isComplete).toBe(isAllGone || isComplete);
        if (isComplete) before = new Set(leftOut);
        const chosen = segment.filter(({ n }) => n % 10 !== 3);
        for (const each of segment) if (!chosen.includes(each)) leftOut.add(each.n);
        isAllGone = false;
        return chosen;
      });
      const left = await numbers(open());
      expect(left.filter((n) => before.has(n))).toEqual([]);
      expect(left.filter((n) => n % 10 !== 3)).toHaveLength(27);
    });

    test.each([true, false])('redacts parts of records permanently (checksums: %s)', async (checksums) => {
      const log = open({ checksums });
      log.append({ n: 1, text: 'a secret' }, { n: 2, text: 'no matter' });
      await log.flush();
      if (under.tearLast) {
        log.append({ n: 3, text: 'cut short with a secret' });
        await log.flush();
        under.tearLast('journal');
      }
      const other = open({ checksums });
      other.append({ n: 4, text: 'a secret' });
      await other.flush();
      await log.redact(({ n, text }) =>
        text?.includes('secret') ? [{ n, text: 'far too long to fit' }, { n }] : undefined,
      );
      other.append({ n: 5 });
      await other.flush();
      expect(await read(open({ checksums }))).toEqual([
        { n: 1 },
        { n: 2, text: 'no matter' },
        { n: 4 },
        { n: 5 },
      ]);
    });
  });
}
