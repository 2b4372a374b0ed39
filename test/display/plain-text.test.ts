/** How text from outside is escaped for a terminal. */
import { expect, test } from 'vitest';
import { plain, plainPieces } from '../../src/display/plain-text.ts';

test('invisible characters and unusual spaces are escaped', () => {
  expect(plain('a b\u00a0c\u3000d')).toBe('a b\\xa0c\\u3000d');
  expect(plain('\u202ex\u200b\u034f\u115f\u3164\u2800\ufe00')).toBe(
    '\\u202ex\\u200b\\u034f\\u115f\\u3164\\u2800\\ufe00',
  );
});

test('words of any script and emoji are not changed', () => {
  for (const text of ['Größe', 'שלום', 'नमस्ते', '日本語', '⚠️ ✅ 1️⃣ 🇩🇪']) expect(plain(text)).toBe(text);
});

test('plainPieces tells an escape from the same letters in the text', () => {
  expect(plainPieces('\\u202e \u202ex')).toEqual(['\\u202e ', '\\u202e', 'x']);
  expect(plainPieces('\n')).toEqual(['', '\\n', '']);
  expect(plainPieces('usual')).toEqual(['usual']);
});
