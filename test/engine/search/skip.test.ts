/** Matches that a search counts but does not show. */
import { describe, expect, it } from 'vitest';
import { fixture, shown } from './search-fixture.ts';

const LINES = 5000;
const text = Array.from({ length: LINES }, (_, at) => (at % 3 === 0 ? `match ${at}` : `other ${at}`)).join(
  '\n',
);

describe('a search that skips matches of a file', () => {
  // The kernel decides on the first pattern alone, proposes lines for the second, and nothing for the third.
  it.each(['match', 'match \\d+', '^m\\w+ \\d'])('shows /%s/ from the next match on', async (regex) => {
    const site = await fixture({ 'a.txt': text });
    try {
      const all = await site.lines({ regex });
      for (const skipInFile of [0, 1, 700, 1600, 1666, 2000]) {
        const found = await site.grep({ regex, skipInFile, maxMatches: 4, countAll: true });
        expect(shown(found)).toEqual(all.slice(skipInFile, skipInFile + 4));
        expect(found.totalMatches).toBe(all.length);
      }
    } finally {
      await site.close();
    }
  });

  it('shows nothing up to the last skipped match as context', async () => {
    const site = await fixture({ 'a.txt': 'x 1\nx 2\nc 3\nx 4\nc 5\n' });
    try {
      expect(shown(await site.grep({ regex: 'x', skipInFile: 2, contextLines: 2 }))).toEqual([
        'a.txt-3-c 3',
        'a.txt:4:x 4',
        'a.txt-5-c 5',
      ]);
    } finally {
      await site.close();
    }
  });
});
