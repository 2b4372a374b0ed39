/** Searches that return which files match, or how often, but not the lines. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GrepResult } from '../../../src/engine/search/query.ts';
import { type Fixture, fixture } from './search-fixture.ts';

const MANY = 1_000_000;
let here: Fixture;

beforeAll(async () => {
  here = await fixture({
    'a/one.txt': 'needle\nhay\n',
    'a/three.txt': 'needle\nneedle needle\nhay\nneedle',
    'b.txt': 'hay\n',
    'c.txt': 'hay\nneedle\n',
  });
  writeFileSync(join(here.root, 'many.txt'), 'straw\n'.repeat(MANY));
});

afterAll(() => here.close());

function counts({ files }: GrepResult): Record<string, number> {
  return Object.fromEntries(files.map(({ path, matches }) => [path, matches]));
}

describe.each([
  ['literals alone', 'needle', {}],
  ['a pattern with a literal', 'n[e]+dle', {}],
  ['every line', '^[^h].....', { include: ['a/*', '?.txt'] }],
])('a summary by %s', (_, regex, more) => {
  it('counts the matching lines of each file and shows none', async () => {
    const found = await here.grep({ regex, summary: 'counts', ...more });
    expect(counts(found)).toEqual({ 'a/one.txt': 1, 'a/three.txt': 3, 'c.txt': 1 });
    expect(found).toMatchObject({ matches: 5, totalMatches: 5, truncated: false });
    expect(found.files.flatMap(({ lines }) => lines)).toEqual([]);
  });

  it('names the files that match', async () => {
    const found = await here.grep({ regex, summary: 'files', ...more });
    expect(counts(found)).toEqual({ 'a/one.txt': 1, 'a/three.txt': 1, 'c.txt': 1 });
    expect(found.files.flatMap(({ lines }) => lines)).toEqual([]);
  });

  it('is capped at a number of files, the first ones by path', async () => {
    const found = await here.grep({ regex, summary: 'counts', maxMatches: 2, ...more });
    expect(counts(found)).toEqual({ 'a/one.txt': 1, 'a/three.txt': 3 });
    expect(found).toMatchObject({ matches: 4, totalMatches: 5, truncated: true });
    const files = await here.grep({ regex, summary: 'files', maxMatches: 3, ...more });
    expect(files).toMatchObject({ matches: 3, truncated: false });
  });
});

it('a summary of counts has no cap on characters', async () => {
  const found = await here.grep({ regex: 'straw', summary: 'counts', maxMatches: 10 });
  expect(counts(found)).toEqual({ 'many.txt': MANY });
  expect(found.truncated).toBe(false);
});
