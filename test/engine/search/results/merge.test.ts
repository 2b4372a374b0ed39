import { describe, expect, it } from 'vitest';
import type { FoundLine, GrepResult } from '../../../../src/engine/search/query.ts';
import { mergeResults } from '../../../../src/engine/search/results/merge.ts';

function result(files: Record<string, string[]>, more: Partial<GrepResult> = {}): GrepResult {
  const found = Object.entries(files).map(([path, texts]) => ({
    path,
    lines: texts.map((text, index): FoundLine => ({ number: index + 1, text, match: true })),
    matches: texts.length,
  }));
  const matches = found.reduce((sum, { lines }) => sum + lines.length, 0);
  const { unreadable = [], longLines = [] } = more;
  return {
    files: found,
    matches,
    totalMatches: matches,
    truncated: false,
    filesSearched: found.length,
    unreadable,
    skippedUnreadable: unreadable.length,
    longLines,
    skippedLongLines: longLines.length,
    plan: { plan: 'literal', why: 'a test' },
    ...more,
  };
}

describe('merged results of overlapping sources', () => {
  it('have each file once, in one order, under one cap', () => {
    const both = mergeResults(
      [result({ '/r/b': ['x', 'y'], '/r/s/a': ['z'] }), result({ '/r/s/a': ['z'] })],
      {
        maxMatches: 10,
      },
    );
    expect(both.files.map(({ path }) => path)).toEqual(['/r/b', '/r/s/a']);
    expect(both).toMatchObject({ matches: 3, truncated: false });
    const first = mergeResults([result({ '/r/s/a': ['z'] }), result({ '/r/b': ['x', 'y'] })], {
      maxMatches: 1,
    });
    expect(first.files).toEqual([
      { path: '/r/b', lines: [{ number: 1, text: 'x', match: true }], matches: 1 },
    ]);
    expect(first.truncated).toBe(true);
  });

  it('have no more characters than an answer may have', () => {
    const results = [
      result({ '/r/b': ['y'.repeat(80), 'y'] }),
      result({ '/r/a': ['x'.repeat(80)], '/r/c': ['z'] }),
    ];
    const most = { maxMatches: 10, maxCharacters: 101 };
    const cut = mergeResults(results, most);
    expect(cut.files.map(({ path, lines }) => [path, lines.length])).toEqual([
      ['/r/a', 1],
      ['/r/b', 1],
    ]);
    expect(cut).toMatchObject({ matches: 2, truncated: true });
    expect(mergeResults(results, { ...most, maxCharacters: 1000 })).toMatchObject({
      matches: 4,
      truncated: false,
    });
  });

  it('count each unreadable entry once, and only before the cap', () => {
    const outer = result({ '/r/m': ['x', 'y'] }, { unreadable: ['/r/a', '/r/s/closed'] });
    const inner = result({}, { unreadable: ['/r/s/closed', '/r/s/other'] });
    expect(mergeResults([outer, inner], { maxMatches: 10 })).toMatchObject({
      unreadable: ['/r/a', '/r/s/closed', '/r/s/other'],
      skippedUnreadable: 3,
    });
    expect(mergeResults([outer, inner], { maxMatches: 1 })).toMatchObject({ skippedUnreadable: 1 });
  });

  it('count each line that is too long once', () => {
    const outer = result({}, { longLines: ['/r/s/a', '/r/b', '/r/s/a'] });
    const inner = result({}, { longLines: ['/r/s/a', '/r/s/a'] });
    expect(mergeResults([outer, inner], { maxMatches: 10 }).skippedLongLines).toBe(3);
  });
});
