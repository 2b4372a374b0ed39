import { expect, test } from 'vitest';
import { findRegexSplices } from '../../../../../src/engine/text/edit/regex/regex-edit.ts';

test('a pattern that needs more memory than there is is a bad one, in words', () => {
  const edit = { source: '(a|b)+c', flags: '', template: 'x', style: 'ecmascript', limit: 0 } as const;
  expect(findRegexSplices({ ...edit, text: 'ab'.repeat(4 << 20) })).toEqual({
    badRegex: 'it needs too much memory on this text',
  });
});
