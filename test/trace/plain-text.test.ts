/** How text from outside is written out. */
import { expect, test } from 'vitest';
import { plain, plainPieces } from '../../src/display/plain-text.ts';

test('what has no look of its own, and spaces that are not the usual one, are written out', () => {
  expect(plain('a b\u00a0c\u3000d')).toBe('a b\\xa0c\\u3000d');
  expect(plain('\u202ex\u200b\u034f\u115f\u3164\u2800\ufe00')).toBe(
    '\\u202ex\\u200b\\u034f\\u115f\\u3164\\u2800\\ufe00',
  );
});

test('words of any script and emoji stay as they are', () => {
  for (const text of ['Größe', 'שלום', 'नमस्ते', '日本語', '⚠️ ✅ 1️⃣ 🇩🇪']) expect(plain(text)).toBe(text);
});

test('in pieces, an escape is told from the same letters in the text', () => {
  expect(plainPieces('\\u202e \u202ex')).toEqual(['\\u202e ', '\\u202e', 'x']);
  expect(plainPieces('\n')).toEqual(['', '\\n', '']);
  expect(plainPieces('usual')).toEqual(['usual']);
});
