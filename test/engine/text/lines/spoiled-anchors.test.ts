/** Edits of the corpus by anchors, right and spoiled: each gives what was meant, or is refused. */
import { describe, expect, it } from 'vitest';
import { applyEditList } from '../../../../src/engine/text/edit-list.ts';
import { lineHash } from '../../../../src/engine/text/lines/anchors.ts';
import { testEdits } from '../../../corpus/made-edits.ts';
import {
  type AnchorSpoil,
  INTOLERABLE_IN_ANCHORS,
  TOLERABLE_IN_ANCHORS,
} from '../../../corpus/spoil-anchors.ts';
import { seededRandom } from '../patch/samples.ts';

const corpus = testEdits();

/** The share of edits that are applied. Asserts that none of them is applied wrongly. */
function applied(spoil: AnchorSpoil): number {
  const random = seededRandom(4);
  let count = 0;
  let tried = 0;
  for (let round = 0; round < 2; round++) {
    for (const edit of corpus) {
      const labels = edit.source.split('\n').map((line, index) => `${index + 1}#${lineHash(line)}`);
      const spoiled = spoil(edit, labels, random);
      if (spoiled === undefined) continue;
      tried++;
      const { now, lines, newText } = spoiled;
      const outcome = applyEditList(now, [{ lines, newText }], edit.source, 'file', () => {});
      if ('refusal' in outcome) continue;
      expect(outcome.text, `${edit.title}\n${lines}→\n${newText}`).toBe(spoiled.expected);
      count++;
    }
  }
  expect(tried).toBeGreaterThan(0);
  return count / tried;
}

describe('a spoiled edit by anchors', () => {
  it.each(Object.entries(TOLERABLE_IN_ANCHORS))('gives what was meant, or is refused: %s', (_, spoil) => {
    expect(applied(spoil)).toBeGreaterThan(0.9);
  });

  it.each(Object.entries(INTOLERABLE_IN_ANCHORS))('is always refused: %s', (_, spoil) => {
    expect(applied(spoil)).toBe(0);
  });
});
