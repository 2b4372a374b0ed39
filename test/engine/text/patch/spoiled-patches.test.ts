/** Patches made of the corpus, exact and spoiled: each gives what was meant, or is refused. */
import { describe, expect, it } from 'vitest';
import { EngineFailure } from '../../../../src/engine/failures.ts';
import { unifiedDiff } from '../../../../src/engine/text/diff/unified-diff.ts';
import { testEdits } from '../../../corpus/made-edits.ts';
import {
  INTOLERABLE_IN_PATCHES,
  type PatchedSource,
  type PatchSpoil,
  TOLERABLE_IN_PATCHES,
} from '../../../corpus/spoil-patch.ts';
import { patchTree } from './patched-tree.ts';
import { seededRandom } from './samples.ts';

const corpus = testEdits();

function applied(spoil: PatchSpoil, rounds: number): number {
  const random = seededRandom(2);
  let count = 0;
  let tried = 0;
  for (let round = 0; round < rounds; round++) {
    for (const { title, source, expected } of corpus) {
      const names = { oldName: 'a/file', newName: 'b/file', context: 1 + random(3) };
      const spoiled = spoil({ source, expected, patch: unifiedDiff(source, expected, names) }, random);
      if (spoiled === undefined) continue;
      tried++;
      const text = outcomeOf(spoiled);
      if (text === undefined) continue;
      expect(text, `${title}\n${spoiled.patch}`).toBe(spoiled.expected);
      count++;
    }
  }
  return count / tried;
}

/** Undefined if the patch is refused. */
function outcomeOf({ source, patch }: PatchedSource): string | undefined {
  try {
    return patchTree({ file: source }, patch).files.file;
  } catch (error) {
    if (error instanceof EngineFailure) return undefined;
    throw error;
  }
}

describe('a spoiled patch', () => {
  it.each(Object.entries(TOLERABLE_IN_PATCHES))('gives what was meant, or is refused: %s', (_, spoil) => {
    expect(applied(spoil, 2)).toBeGreaterThan(0.8);
  });

  it.each(Object.entries(INTOLERABLE_IN_PATCHES))('is always refused: %s', (_, spoil) => {
    expect(applied(spoil, 2)).toBe(0);
  });
});
