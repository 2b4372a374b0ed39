/** A pattern that runs away ends at the time limit of the engine, whatever grep_files is asked for. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { limits } from '../../../src/engine/limits.ts';
import { openStandardFixture, type StandardFixture } from './standard-fixture.ts';

const RUNAWAY = '^(a+)+$';
const changeable: { searchTimeoutMs: number } = limits;
const usual = limits.searchTimeoutMs;

let fixture: StandardFixture;

beforeEach(() => {
  changeable.searchTimeoutMs = 200;
  fixture = openStandardFixture({ 'bait.txt': `${'a'.repeat(50)}b\n`, 'b.txt': 'plain\n' });
});
afterEach(async () => {
  changeable.searchTimeoutMs = usual;
  await fixture.close();
});

it.each([
  ['lines', {}],
  ['files', { output: 'files' }],
  ['counts', { output: 'count' }],
  ['one file', { path: 'bait.txt' }],
  ['a later page', { offset: 5000 }],
  ['a later page of one file', { path: 'bait.txt', offset: 5000 }],
])('ends a search for %s, and the next search works', async (_, args) => {
  await expect(fixture.call('grep_files', { pattern: RUNAWAY, ...args }, 20_000)).rejects.toThrow(
    'The search took longer than 0.2 s and was ended\nTry a simpler pattern, or a smaller directory.',
  );
  changeable.searchTimeoutMs = usual;
  const [found] = await fixture.call('grep_files', { pattern: 'plain' }, 20_000);
  expect(found).toContain('1: plain');
});
