/** Times as a user types them. */
import { expect, test } from 'vitest';
import { parseTime } from '../../../../src/cli/arguments/options/state-flags.ts';
import { UsageError } from '../../../../src/cli/usage-error.ts';

const now = new Date(2026, 2, 1, 14, 30, 15, 250);
const local = (...at: [number, number, number, number?, number?, number?]) => new Date(...at).getTime();
const secondsAgo = (seconds: number) => now.getTime() - seconds * 1000;

test.each<[string, number]>([
  ['10s', secondsAgo(10)],
  ['10m', secondsAgo(600)],
  ['10min', secondsAgo(600)],
  ['1h30m', secondsAgo(5400)],
  ['1h 30min', secondsAgo(5400)],
  ['2 days', secondsAgo(2 * 86_400)],
  ['1w', secondsAgo(7 * 86_400)],
  ['09:05', local(2026, 2, 1, 9, 5)],
  ['23:59:59', local(2026, 2, 1, 23, 59, 59)],
  ['today', local(2026, 2, 1)],
  ['yesterday', local(2026, 1, 28)],
  ['2024-02-29', local(2024, 1, 29)],
  ['2026-01-31T14:30', local(2026, 0, 31, 14, 30)],
  ['2026-01-31 14:30', local(2026, 0, 31, 14, 30)],
  ['2026-01-31T14:30:00Z', Date.UTC(2026, 0, 31, 14, 30)],
])('%s is a time', (text, time) => {
  expect(parseTime(text, now)).toBe(time);
});

test.each([
  '',
  'whenever',
  '10',
  '10x',
  '1h and more',
  '24:00',
  '23:60',
  '23:59:99',
  '2026-02-29',
  '2026-02-31',
  '2026-02-31T10:00',
  '2026-13-01',
  '2026-00-10',
  '2026-01-31T25:00',
])('%s is not a time', (text) => {
  expect(() => parseTime(text, now)).toThrow(UsageError);
});
