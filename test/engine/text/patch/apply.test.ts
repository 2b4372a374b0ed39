import { describe, expect, it } from 'vitest';
import { EngineFailure, type Failure } from '../../../../src/engine/failures.ts';
import { unifiedDiff } from '../../../../src/engine/text/diff/unified-diff.ts';
import { blockIndex } from '../../../../src/engine/text/edit/literal/block-places.ts';
import { applyPatch, type Patched } from '../../../../src/engine/text/patch/apply.ts';
import { parsePatch } from '../../../../src/engine/text/patch/parse/parse.ts';
import { pick, seededRandom } from './samples.ts';

function apply(hunks: string, text: string | undefined): Patched {
  return applyPatch(parsePatch(`--- a/f\n+++ b/f\n${hunks}`), text, 'dir/f');
}

function refusal(hunks: string, text: string | undefined): Failure {
  try {
    apply(hunks, text);
  } catch (error) {
    if (error instanceof EngineFailure) return error.facts;
    throw error;
  }
  throw new Error('the patch was applied');
}

function numbers(from: number, to: number): string {
  return Array.from({ length: to - from + 1 }, (_, index) => `${from + index}\n`).join('');
}

describe('a hunk with old lines that states line 0', () => {
  const hunks = '@@ -0,1 +0,1 @@\n-a\n+A\n@@ -3,1 +3,1 @@\n-X\n+Y\n';

  it('means the first line, and does not move the later ones', () => {
    expect(apply(hunks, 'a\nq\nX\nX\n')).toEqual({ text: 'A\nq\nY\nX\n' });
    expect(refusal(hunks, 'a\nX\nb\nX\nc\n')).toMatchObject({ hunk: 2 });
  });
});

describe('a hunk that does not fit', () => {
  it('is reported with the first line that differs, its neighbours, and the text there', () => {
    const hunk = '@@ -4,7 +4,7 @@\n 4\n 5\n 6\n-seven\n+VII\n 8\n 9\n 10\n';
    expect(refusal(hunk, numbers(1, 12))).toEqual({
      kind: 'hunk-mismatch',
      path: 'dir/f',
      hunk: 1,
      line: 7,
      expected: ['5', '6', 'seven', '8', '9'],
      found: ['5', '6', '7', '8', '9'],
      elsewhere: [],
    });
  });

  it('is reported with the place of its old lines if it may not be applied there', () => {
    const early = '@@ -8,3 +8,3 @@\n 8\n-9\n+IX\n 10\n@@ -9,3 +9,3 @@\n 2\n-3\n+III\n 4\n';
    expect(refusal(early, numbers(1, 12))).toMatchObject({ hunk: 2, line: 10, elsewhere: [2] });
  });

  it('is reported with the place of its removed lines if its context does not occur', () => {
    const hunk = '@@ -2,3 +2,3 @@\n x\n-b\n+B\n y\n';
    expect(refusal(hunk, 'a\nb\nc\nb\n')).toMatchObject({ line: 2, elsewhere: [2, 4] });
    const blank = '@@ -1,3 +1,2 @@\n x\n-\n y\n';
    expect(refusal(blank, '\n\n\n')).toMatchObject({ elsewhere: [] });
  });

  it('is reported with at most ten other places', () => {
    const hunk = '@@ -1,2 +1 @@\n-same\n-other\n+x\n';
    const facts = refusal(`@@ -200 +200 @@\n-199\n+x\n${hunk}`, `${'same\nother\n'.repeat(99)}x\n199\n`);
    expect(facts).toMatchObject({ hunk: 2, elsewhere: [1, 3, 5, 7, 9, 11, 13, 15, 17, 19] });
  });

  it('shows only the part around the difference of a very long line', () => {
    const long = 'a'.repeat(5000);
    const facts = refusal(`@@ -1 +1 @@\n-${long}b${long}\n+x\n`, `${long}c${long}\n`);
    if (facts.kind !== 'hunk-mismatch') throw new Error(facts.kind);
    expect(facts.expected).toEqual([`…${'a'.repeat(150)}b${'a'.repeat(149)}…`]);
    expect(facts.found).toEqual([`…${'a'.repeat(150)}c${'a'.repeat(149)}…`]);
  });

  it('is refused together with the hunks before it', () => {
    const hunks = '@@ -1,2 +1,2 @@\n-1\n+I\n 2\n@@ -5,2 +5,2 @@\n-five\n+V\n 6\n';
    expect(refusal(hunks, numbers(1, 8))).toMatchObject({ hunk: 2, line: 5 });
  });

  it('names the file if it does not exist', () => {
    expect(refusal('@@ -1 +1 @@\n-a\n+b\n', undefined)).toEqual({
      kind: 'not-found',
      path: 'dir/f',
      wanted: 'file',
      near: [],
    });
  });
});

describe('the search for a place', () => {
  it('finds every place that comparing them one by one finds', () => {
    const random = seededRandom(5);
    for (let round = 0; round < 2000; round++) {
      const lines = Array.from({ length: 1 + random(60) }, () =>
        pick(random, ['a', 'a', 'b', `${round > 1000 ? random(9) : 'a'}`]),
      );
      const from = random(lines.length);
      const keys = lines.slice(from, from + 1 + random(14));
      const text = { count: lines.length, keyAt: (line: number) => lines[line]! };
      const each = lines
        .map((_, line) => line)
        .filter((line) => keys.every((key, at) => lines[line + at] === key));
      expect(blockIndex(text).placesOf(keys)).toEqual(each);
    }
  });

  it('finds the first line by the byte-order mark that a hunk shows, whatever line it states', () => {
    const hunk = '@@ -4,2 +4,2 @@\n-\uFEFFa\n+a\n b\n';
    expect(apply(hunk, '\uFEFFa\nb\nc\n')).toEqual({ text: 'a\nb\nc\n' });
    expect(apply(hunk, '\uFEFFa\r\nb\r\nc\r\n')).toEqual({ text: 'a\r\nb\r\nc\r\n' });
    expect(apply(hunk, '\uFEFFx\na\n\uFEFFa\nb\n')).toEqual({ text: '\uFEFFx\na\na\nb\n' });
  });

  it('treats a byte-order mark as an ordinary character inside a text', () => {
    const hunk = '@@ -2,2 +2,2 @@\n \uFEFFb\n-c\n+C\n';
    expect(apply(hunk, 'a\n\uFEFFb\nc\n')).toEqual({ text: 'a\n\uFEFFb\nC\n' });
  });
});

describe('line endings', () => {
  it('of added lines are those of the lines that they replace', () => {
    const hunk = '@@ -1,4 +1,5 @@\n-a\n-b\n-c\n+A\n+B\n+C\n+D\n d\n';
    expect(apply(hunk, 'a\r\nb\nc\r\nd\n')).toEqual({ text: 'A\r\nB\nC\r\nD\r\nd\n' });
  });

  it('of lines added after a last line without one are those of the line before', () => {
    const hunk =
      '@@ -1,2 +1,3 @@\n a\n-b\n\\ No newline at end of file\n+b\n+c\n\\ No newline at end of file\n';
    expect(apply(hunk, 'a\r\nb')).toEqual({ text: 'a\r\nb\r\nc' });
  });

  it('of lines inserted without context are those of the file', () => {
    expect(apply('@@ -1,0 +2 @@\n+x\n', 'a\r\nb\r\n')).toEqual({ text: 'a\r\nx\r\nb\r\n' });
    expect(apply('@@ -0,0 +1 @@\n+x\n', 'a\r\n')).toEqual({ text: 'x\r\na\r\n' });
    expect(apply('@@ -0,0 +1 @@\n+x\n', '')).toEqual({ text: 'x\n' });
    expect(apply('@@ -1,0 +2 @@\n+x\n', 'a')).toEqual({ text: 'a\nx\n' });
  });

  it('are taken from the patch for a new file', () => {
    const created = applyPatch(
      parsePatch('--- /dev/null\n+++ f\n@@ -0,0 +1,2 @@\n+a\r\n+b\r\n'),
      undefined,
      'f',
    );
    expect(created).toEqual({ text: 'a\r\nb\r\n' });
  });

  it('are never touched outside of what the patch changes', () => {
    const text = 'a\r\nb\nc\rd\n\r\n\ne\r\n';
    expect(apply('@@ -1,2 +1,2 @@\n a\n-b\n+B\n', text)).toEqual({ text: text.replace('b', 'B') });
  });
});

describe('large input', () => {
  it('with a thousand hunks far from their stated lines is still applied', () => {
    const old = Array.from({ length: 50_000 }, (_, index) => `line ${index}\n`);
    const changed = old.map((line, index) => (index % 50 === 25 ? `changed ${line}` : line));
    const patch = unifiedDiff(old.join(''), changed.join(''), { oldName: 'f', newName: 'f' });
    const before = numbers(1, 20_000);
    const result = applyPatch(parsePatch(patch), before + old.join(''), 'f');
    expect('text' in result && result.text === before + changed.join('')).toBe(true);
  });

  it('is not searched as a whole for each hunk that is far from its stated line', () => {
    const text = numbers(1, 100_000);
    const hunks = Array.from({ length: 2000 }, (_, index) => {
      const line = 40 * index + 1;
      return `@@ -${line + 50_000 * (index + 1)},3 +1,3 @@\n ${line}\n-${line + 1}\n+changed\n ${line + 2}\n`;
    });
    const result = apply(hunks.join(''), text);
    expect('text' in result && result.text.split('changed\n').length).toBe(2001);
  });

  it('is searched in linear time even if it is repetitive', () => {
    const hunk = `@@ -1,50001 +1,50000 @@\n${' a\n'.repeat(25_000)}-b\n${' a\n'.repeat(25_000)}`;
    expect(refusal(hunk, `${'a\n'.repeat(24_999)}b\n`.repeat(8))).toMatchObject({ line: 25_000 });
  });
});
