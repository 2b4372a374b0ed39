import { expect, it } from 'vitest';
import { EditedText } from '../../../../src/engine/text/edit/edited-text.ts';
import { applyTextEdit } from '../../../../src/engine/text/edit/tolerant/tolerant.ts';
import { seededRandom, textPair } from '../patch/samples.ts';

it('replaces a text that occurs once, as with strings, and refuses one that occurs more often', () => {
  const random = seededRandom(11);
  const counts = { replaced: 0, refused: 0 };
  for (let round = 0; round < 4000; round++) {
    const { old: text, new: other } = textPair(random, random(4) === 0 ? 'tricky' : 'plain');
    const from = random(text.length + 1);
    const oldText = text.slice(from, from + 1 + random(30));
    const newText = other.slice(0, random(40));
    if (oldText === '') continue;
    const outcome = applyTextEdit(new EditedText(text), { oldText, newText }, 'file', () => {});
    const isOnce = text.indexOf(oldText) === text.lastIndexOf(oldText);
    if (isOnce) {
      expect(outcome).toMatchObject({ fit: 'exact', text: text.replace(oldText, () => newText) });
      counts.replaced++;
    } else {
      expect(outcome).toMatchObject({ refusal: { why: 'ambiguous' } });
      counts.refused++;
    }
    const all = applyTextEdit(new EditedText(text), { oldText, newText, all: true }, 'file', () => {});
    expect(all).toMatchObject({ fit: 'exact', text: text.replaceAll(oldText, () => newText) });
  }
  expect(Math.min(counts.replaced, counts.refused)).toBeGreaterThan(300);
});
