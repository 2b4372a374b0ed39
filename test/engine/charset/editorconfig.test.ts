/** What .editorconfig files say: which headings match a file, and which of them decides. */
import { describe, expect, it } from 'vitest';
import { charsetIn, parseEditorConfig } from '../../../src/engine/charset/editorconfig/parse.ts';
import { SectionGlob } from '../../../src/engine/charset/editorconfig/section-glob.ts';

describe('a heading', () => {
  it.each([
    ['*', 'a/b.txt', true],
    ['*.txt', 'a/b.txt', true],
    ['*.txt', 'a/b.txt/c', false],
    ['/*.txt', 'b.txt', true],
    ['/*.txt', 'a/b.txt', false],
    ['a/*.txt', 'a/b.txt', true],
    ['a/*.txt', 'a/c/b.txt', false],
    ['a/**.txt', 'a/c/b.txt', true],
    ['a/**/b.txt', 'a/c/d/b.txt', true],
    ['**/b.txt', 'a/c/b.txt', true],
    ['b?.txt', 'a/bc.txt', true],
    ['b?.txt', 'b/.txt', false],
    ['[ab].txt', 'a.txt', true],
    ['[!ab].txt', 'a.txt', false],
    ['[!ab].txt', 'c.txt', true],
    ['[a-c].txt', 'b.txt', true],
    ['{a,b}.txt', 'b.txt', true],
    ['{a,b}.txt', 'c.txt', false],
    ['{a}.txt', '{a}.txt', true],
    ['{a}.txt', 'a.txt', false],
    ['{a,{b,c}d}.txt', 'cd.txt', true],
    ['{*.js,lib/*.ts}', 'lib/x.ts', true],
    ['{a,}.txt', '.txt', true],
    ['n{1..3}', 'n2', true],
    ['n{1..3}', 'n4', false],
    ['n{-3..3}x', 'n-2x', true],
    ['a[b.txt', 'a[b.txt', true],
    ['{a,b', '{a,b', true],
    ['\\*.txt', '*.txt', true],
    ['\\*.txt', 'a.txt', false],
    ['', 'a', false],
    ['a/', 'a/b', false],
    ['.', 'a', false],
    ['a**b', 'a/c/b', true],
    ['{**/a,b}.txt', 'c/d/a.txt', true],
  ])('[%s] means %s: %s', (heading, path, means) => {
    expect(new SectionGlob(heading).matches(path)).toBe(means);
  });

  it('takes bounded work, however it is written', () => {
    const hostile = `${'{*a,**b}'.repeat(120)}x`;
    expect(new SectionGlob(hostile).matches('ab'.repeat(60))).toBe(false);
    expect(new SectionGlob(`${'*a'.repeat(400)}b`).matches('a'.repeat(255))).toBe(false);
  });
});

describe('a file', () => {
  const config = parseEditorConfig(
    '\uFEFFroot = TRUE\r\n; a remark\n[*]\nindent_style = tab\nCharset = Latin1\n# another\n[*.md]\ncharset=unset\n[*.txt]\ncharset = klingon\n[b.txt]\ncharset = shift_jis\n[*.bom]\ncharset: gbk\n',
  );

  it('says whether it is the root', () => {
    expect(config.isRoot).toBe(true);
    expect(parseEditorConfig('[*]\nroot = true\n').isRoot).toBe(false);
  });

  it('lets the last heading with a known charset decide', () => {
    expect(['a', 'a.md', 'a.txt', 'd/b.txt', 'a.bom'].map((path) => charsetIn(config, path))).toEqual([
      'iso-8859-1',
      'unset',
      'iso-8859-1',
      'shift_jis',
      'iso-8859-1',
    ]);
  });
});
