/** An edit of millions of places takes a few bytes for each of them, and changes them all. */
import { expect, it } from 'vitest';
import { findLiteralSplices } from '../../../../src/engine/text/edit/literal/literal-edit.ts';
import { applySplices } from '../../../../src/engine/text/edit/splice.ts';

const edit = {
  find: 'ab',
  replace: 'xyz',
  ignoreCase: false,
  limit: 0,
  unique: false,
  anyIndent: false,
};

it('creates each splice only when it is needed', () => {
  const text = 'ab c'.repeat(1_000_000);
  const splices = findLiteralSplices(text, edit, { path: 'a', edit: 1 });
  expect(Array.isArray(splices)).toBe(false);
  expect(splices.length).toBe(1_000_000);
  expect(applySplices(text, splices)).toBe('xyz c'.repeat(1_000_000));
});

it('respects its limit and the line ends of the file', () => {
  const text = 'a\r\nb\r\n'.repeat(3);
  const two = { ...edit, find: 'a\nb', replace: 'c\nd', limit: 2 };
  const splices = findLiteralSplices(text, two, { path: 'a', edit: 1 });
  expect(applySplices(text, splices)).toBe('c\r\nd\r\nc\r\nd\r\na\r\nb\r\n');
});
