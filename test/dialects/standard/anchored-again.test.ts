/** A session may read the same file with anchors more than once. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStandardFixture, type StandardFixture } from './standard-fixture.ts';

const LINES = Array.from({ length: 400 }, (_, index) => `line ${index + 1}`);
let fixture: StandardFixture;
beforeEach(() => {
  fixture = openStandardFixture({ 'a.txt': `${LINES.join('\n')}\n`, 'long.txt': 'word '.repeat(2000) });
});
afterEach(() => fixture.close());

const read = async (path: string, maxTokens: number) =>
  (await fixture.call('read_text_file', { path, anchors: true }, maxTokens))[0]!;

it.each(['a.txt', 'long.txt'])('shows %s truncated or whole, as each call has room for it', async (path) => {
  const cut = await read(path, 300);
  const whole = await read(path, 20_000);
  expect(cut.length).toBeLessThan(1500);
  expect(whole.length).toBeGreaterThan(4000);
  expect(await read(path, 300)).toBe(cut);
  expect(await read(path, 20_000)).toBe(whole);
});

it('shows the anchors of what the file holds now', async () => {
  const before = await read('a.txt', 20_000);
  expect(await read('a.txt', 20_000)).toBe(before);
  writeFileSync(join(fixture.root, 'a.txt'), `${LINES.with(6, 'another line').join('\n')}\n`);
  const after = (await read('a.txt', 20_000)).split('\n');
  expect(after[6]).toMatch(/^7#\w\w\| another line$/);
  expect(after.toSpliced(6, 1)).toEqual(before.split('\n').toSpliced(6, 1));
});
