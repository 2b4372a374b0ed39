/** Repetitive files are searched in linear time: otherwise these tests would never end. */
import { expect, it } from 'vitest';
import { EditedText } from '../../../../../src/engine/text/edit/edited-text.ts';
import { applyTextEdit } from '../../../../../src/engine/text/edit/tolerant/tolerant.ts';

const whyRefused = (text: string, oldText: string): string => {
  const outcome = applyTextEdit(new EditedText(text), { oldText, newText: 'x' }, 'file', () => {});
  return 'refusal' in outcome ? outcome.refusal.why : 'applied';
};

it.each([
  [
    'lines that occur everywhere, and one that does not',
    '\t}\n'.repeat(10_000),
    `${'  }\n'.repeat(200)}x\n`,
    'not-found',
  ],
  ['indentation', '\t}\n'.repeat(10_000), '  }\n'.repeat(200), 'ambiguous'],
  ['typography', '\tsay("x")\n'.repeat(10_000), '  say(“x”)\n'.repeat(3), 'ambiguous'],
  ['blanks', ' '.repeat(2_000_000), `x${' '.repeat(1000)}`, 'not-found'],
])('searches a repetitive file in linear time: %s', (_, text, oldText, why) => {
  expect(whyRefused(text, oldText)).toBe(why);
});
