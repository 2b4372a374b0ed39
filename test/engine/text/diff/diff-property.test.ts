import { describe, expect, it } from 'vitest';
import { unifiedDiff } from '../../../../src/engine/text/diff/unified-diff.ts';
import { applyPatch } from '../../../../src/engine/text/patch/apply.ts';
import { parsePatch } from '../../../../src/engine/text/patch/parse/parse.ts';
import { soak } from '../../../soak.ts';
import { type PatchTool, patchedBy, whyNot } from '../patch/git-and-patch.ts';
import { pick, type Random, seededRandom, textPair } from '../patch/samples.ts';

const names = { oldName: 'a/file', newName: 'b/file' };

function patched(oldText: string, diff: string): string {
  const result = applyPatch(parsePatch(diff), oldText, 'file');
  return 'text' in result ? result.text : 'deleted';
}

/** A diff of two texts must turn the first one into the second. */
function expectRoundTrip(oldText: string, newText: string, context: number): void {
  const diff = unifiedDiff(oldText, newText, { ...names, context });
  if (oldText === newText) {
    expect(diff).toBe('');
    return;
  }
  const result = patched(oldText, diff);
  if (result !== newText) expect({ oldText, context, diff, result }).toEqual({ result: newText });
}

function lines(random: Random, count: number, different: number): string {
  return `${Array.from({ length: count }, () => `value ${random(different)}`).join('\n')}\n`;
}

describe('a diff applied to the old text gives the new text', () => {
  it('for plain texts and any context', () => {
    const random = seededRandom(11);
    for (let round = 0; round < soak(600, 3000); round++) {
      const pair = textPair(random, 'plain');
      expectRoundTrip(pair.old, pair.new, random(5));
    }
  });

  it('for lines that look like parts of a diff or like a fence', () => {
    const random = seededRandom(12);
    for (let round = 0; round < soak(400, 2000); round++) {
      const pair = textPair(random, 'tricky');
      expectRoundTrip(pair.old, pair.new, random(5));
    }
  });

  it('for line endings of every kind, mixed in one text', () => {
    const random = seededRandom(13);
    for (let round = 0; round < soak(400, 2000); round++) {
      const pair = textPair(random, 'carriage-returns');
      expectRoundTrip(pair.old, pair.new, 1 + random(4));
    }
  });

  it.each([2, 30, 1000, 1_000_000])(
    'for 20,000 unrelated lines with %i different ones, where an exact comparison would take too long',
    (different) => {
      const random = seededRandom(different);
      expectRoundTrip(lines(random, 20_000, different), lines(random, 20_000, different), 3);
    },
  );

  it('for 200,000 lines of which three have changed', () => {
    const old = Array.from({ length: 200_000 }, (_, index) => `line ${index}`);
    const changed = [...old];
    for (const line of [5, 99_999, 199_990]) changed[line] = 'changed';
    const [oldText, newText] = [old.join('\n'), changed.join('\n')];
    expectRoundTrip(oldText, newText, 3);
    expect(unifiedDiff(oldText, newText, names).match(/^@@.*@@$/gm)).toEqual([
      '@@ -3,7 +3,7 @@',
      '@@ -99997,7 +99997,7 @@',
      '@@ -199988,7 +199988,7 @@',
    ]);
  });
});

describe('other tools accept our diffs', () => {
  it.for<PatchTool>(['git', 'patch'])('%s turns the old text into the new one', (tool, { skip }) => {
    const missing = whyNot(tool);
    if (missing !== undefined) skip(missing);
    const random = seededRandom(14);
    const pairs = Array.from({ length: 450 }, () =>
      textPair(random, pick(random, ['plain', 'tricky', 'carriage-returns'])),
    ).filter((pair) => pair.old !== pair.new);
    const cases = pairs.map((pair) => ({ file: pair.old, patch: unifiedDiff(pair.old, pair.new, names) }));
    const results = patchedBy(tool, cases);
    for (const [index, pair] of pairs.entries()) {
      if (results[index] !== pair.new) expect({ ...cases[index], result: results[index] }).toEqual(pair.new);
    }
    expect(results.length).toBeGreaterThan(350);
  });
});
