/** What a session remembers of the files that it has read. */
import { expect, it } from 'vitest';
import { ReadTexts } from '../../src/dialects/read-texts.ts';

const MEBIBYTE = 1024 * 1024;
const anchored = (text: string) => ({ text, charset: 'utf-8', budget: 1000 });

it('remembers how a text was shown, until the file has another content', () => {
  const texts = new ReadTexts();
  const known = texts.remember('/a', 'h1', Buffer.from('one\n'));
  texts.rememberAnchored('/a', known, anchored('1#xx| one'));
  expect(texts.readAgain('/a', Buffer.from('one\n'))?.anchored?.text).toBe('1#xx| one');
  expect(texts.readAgain('/a', Buffer.from('two\n'))).toBeUndefined();
  texts.remember('/a', 'h2', Buffer.from('two\n'));
  // A call that has read the old content ends late.
  texts.rememberAnchored('/a', known, anchored('1#xx| one'));
  expect(texts.readAgain('/a', Buffer.from('two\n'))?.anchored).toBeUndefined();
});

it('counts shown texts as well, and forgets the least recently read file to make room', () => {
  const texts = new ReadTexts();
  const old = Buffer.alloc(MEBIBYTE, 'a');
  texts.remember('/old', 'h1', old);
  const known = texts.remember('/new', 'h2', Buffer.alloc(MEBIBYTE, 'b'));
  expect(texts.lastOf('/old')).toBeDefined();
  texts.rememberAnchored('/new', known, anchored('b'.repeat(MEBIBYTE + 1)));
  expect(texts.lastOf('/old')).toBeUndefined();
  expect(texts.lastOf('/new')?.length).toBe(MEBIBYTE);
  texts.forget('/new');
  for (const name of ['/1', '/2', '/3', '/4']) texts.remember(name, name, old);
  expect(texts.lastOf('/1')).toBeDefined();
});
