/** Edits of the corpus, exact and spoiled: each gives what was meant, or is refused. */
import { describe, expect, it } from 'vitest';
import { EditedText } from '../../../../src/engine/text/edit/edited-text.ts';
import { applyTextEdit } from '../../../../src/engine/text/edit/tolerant/tolerant.ts';
import { testEdits } from '../../../corpus/made-edits.ts';
import { INTOLERABLE, type Spoil, type SpoiledEdit, TOLERABLE } from '../../../corpus/spoil.ts';
import { pick, seededRandom } from '../patch/samples.ts';

const corpus = testEdits();

/** Undefined if the edit is refused. */
function outcomeOf({ source, oldText, newText }: SpoiledEdit): string | undefined {
  const outcome = applyTextEdit(new EditedText(source), { oldText, newText }, 'file', () => {});
  return 'refusal' in outcome ? undefined : outcome.text;
}

/** If the old text still occurs literally in the source, the new text is meant literally, too. */
function meantBy({ source, oldText, newText, expected }: SpoiledEdit): string {
  if (!source.includes(oldText)) return expected;
  const ending = source.includes('\r\n') ? '\r\n' : '\n';
  return source.replace(oldText, () => newText.replace(/\r?\n/g, ending));
}

/** The share of edits that are applied. Asserts that none of them is applied wrongly. */
function applied(spoil: Spoil, rounds: number): number {
  const random = seededRandom(1);
  let count = 0;
  let tried = 0;
  for (let round = 0; round < rounds; round++) {
    for (const edit of corpus) {
      const spoiled = spoil(edit, random);
      if (spoiled === undefined) continue;
      tried++;
      const text = outcomeOf(spoiled);
      if (text === undefined) continue;
      expect(text, `${edit.title}\n${spoiled.oldText}→\n${spoiled.newText}`).toBe(meantBy(spoiled));
      count++;
    }
  }
  expect(tried).toBeGreaterThan(0);
  return count / tried;
}

describe('the corpus', () => {
  it('has edits in eight languages, each in one place', () => {
    expect(new Set(corpus.map(({ title }) => title.split(':')[0])).size).toBe(8);
    for (const { title, source, oldText, expected } of corpus) {
      expect(source.split(oldText), title).toHaveLength(2);
      expect(expected, title).not.toBe(source);
    }
  });

  it('gives the same results as plain replacements', () => {
    for (const edit of corpus) expect(outcomeOf(edit), edit.title).toBe(edit.expected);
  });
});

describe('a spoiled edit', () => {
  it.each(Object.entries(TOLERABLE) as [string, Spoil][])(
    'gives what was meant, or is refused: %s',
    (_, spoil) => {
      expect(applied(spoil, 2)).toBeGreaterThan(0.8);
    },
  );

  it('gives what was meant, or is refused, even if it is spoiled in several ways', () => {
    const { 'blanks for tabs': blanks, 'tabs for blanks': tabs, ...others } = TOLERABLE;
    const some: Spoil = (edit, random) => {
      // Converting there and back would make each level wider, which does not show in a text of one level.
      const spoils: Spoil[] = [random(2) === 0 ? blanks : tabs, ...Object.values(others)];
      let spoiled: SpoiledEdit = edit;
      for (let count = 2 + random(2); count > 0; count--)
        spoiled = pick(random, spoils)(spoiled, random) ?? spoiled;
      return spoiled;
    };
    expect(applied(some, 6)).toBeGreaterThan(0.6);
  });

  it.each(Object.entries(INTOLERABLE) as [string, Spoil][])('is always refused: %s', (_, spoil) => {
    expect(applied(spoil, 2)).toBe(0);
  });
});
