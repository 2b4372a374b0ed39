import { closeSync, openSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Cursor, openCursor } from '../../../../src/engine/confine/scan/cursor.ts';
import { charsetsBelow } from '../../../../src/engine/search/walk/charsets-below.ts';
import { layOut, temporaryDirectory } from '../../../tree.ts';

const here = temporaryDirectory();
let root: number;

beforeAll(() => {
  layOut(here.path, {
    '.editorconfig': '[*.txt]\ncharset = latin1\n',
    'a.txt': '',
    'plain/b.txt': '',
    'own/.editorconfig': '[*]\ncharset = utf-16le\n',
    'own/c.txt': '',
  });
  root = openSync(here.path, 'r');
});

afterAll(() => {
  closeSync(root);
  here.remove();
});

/** A cursor that records which files it looks up, and in which directories. */
function observed(): { cursor: Cursor; asked: string[] } {
  const cursor = openCursor({ fd: root });
  const asked: string[] = [];
  let at = '';
  const goTo = cursor.goTo.bind(cursor);
  const look = cursor.facts.bind(cursor);
  cursor.goTo = (directory) => {
    at = directory;
    return goTo(directory);
  };
  cursor.facts = (name) => {
    asked.push(`${at}/${name}`);
    return look(name);
  };
  return { cursor, asked };
}

it('looks for no .editorconfig in a directory whose listing has none', () => {
  const { cursor, asked } = observed();
  const scope = { rules: [], directories: [], path: here.path, above: [] };
  const charsets = charsetsBelow(scope, cursor, undefined);
  charsets.listed('', ['.editorconfig', 'a.txt', 'plain', 'own']);
  charsets.listed('plain', ['b.txt']);
  charsets.listed('own', ['.editorconfig', 'c.txt']);
  expect(charsets.of('plain', 'b.txt')).toBe('iso-8859-1');
  expect(charsets.of('', 'a.txt')).toBe('iso-8859-1');
  expect(charsets.of('own', 'c.txt')).toBe('utf-16le');
  expect(asked).toEqual(['/.editorconfig', 'own/.editorconfig']);
  cursor.close();
});

it('looks once for an .editorconfig in a directory that was not listed', () => {
  const { cursor, asked } = observed();
  const scope = { rules: [], directories: [], path: here.path, above: [] };
  const charsets = charsetsBelow(scope, cursor, undefined);
  for (let i = 0; i < 3; i++) expect(charsets.of('plain', 'b.txt')).toBe('iso-8859-1');
  expect(asked).toEqual(['/.editorconfig', 'plain/.editorconfig']);
  cursor.close();
});
