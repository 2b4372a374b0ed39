/** Pages of matching lines far after the first page. */
import { afterEach, expect, it } from 'vitest';
import { openStandardFixture, type StandardFixture } from './standard-fixture.ts';

let fixture: StandardFixture;

afterEach(() => fixture.close());

function numbered(count: number): string {
  return Array.from({ length: count }, (_, at) => `x ${at + 1}\n`).join('');
}

async function grep(args: Record<string, unknown>): Promise<string[]> {
  const [text] = await fixture.call('grep_files', { pattern: '^x', ...args }, 20_000);
  return text!.split('\n').slice(1);
}

it.each(['a.txt', '.'])('shows matches after more than any answer can hold, in %s', async (path) => {
  fixture = openStandardFixture({ 'a.txt': numbered(700_000) });
  expect(await grep({ path, offset: 650_000, limit: 2 })).toEqual([
    'a.txt',
    '650001: x 650001',
    '650002: x 650002',
    expect.stringMatching(/^\[49,?998 more matching lines; next: .*"offset":650002/),
  ]);
});

it('continues in the next files', async () => {
  fixture = openStandardFixture({
    'a.txt': numbered(3),
    'b.txt': numbered(2500),
    'c.txt': numbered(2),
    d: '',
  });
  expect(await grep({ offset: 2501, limit: 10 })).toEqual([
    'b.txt',
    '2499: x 2499',
    '2500: x 2500',
    'c.txt',
    '1: x 1',
    '2: x 2',
  ]);
  expect(await grep({ offset: 2504, limit: 10, glob: 'c.*' })).toEqual(['[there are only 2 matching lines]']);
});
