import { expect, test } from 'vitest';
import { findRegexSplices } from '../../../../../src/engine/text/edit/regex/regex-edit.ts';

test('reports a pattern that needs too much memory as a bad one', () => {
  const edit = { source: '(a|b)+c', flags: '', template: 'x', style: 'ecmascript', limit: 0 } as const;
  expect(findRegexSplices({ ...edit, text: 'ab'.repeat(4 << 20) })).toEqual({
    badRegex: 'it needs too much memory on this text',
  });
});
