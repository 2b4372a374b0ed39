/** The encodings that text files may have, and the names that people give them. */

export type Charset = string;

/** The names that messages and the help show. */
export const CHARSETS: readonly Charset[] = [
  'utf-8',
  // For new files only: they get a mark.
  'utf-8-bom',
  'utf-16le',
  'utf-16be',
  ...[0, 1, 2, 3, 4, 5, 6, 7, 8].map((page) => `windows-125${page}`),
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16].map((part) => `iso-8859-${part}`),
  'shift_jis',
  'gbk',
  'gb18030',
  'big5',
  'euc-kr',
  'euc-jp',
  'koi8-r',
];

const ALIASES: readonly (readonly [string, Charset])[] = [
  ['latin1', 'iso-8859-1'],
  ['latin2', 'iso-8859-2'],
  ['sjis', 'shift_jis'],
  ...[0, 1, 2, 3, 4, 5, 6, 7, 8].map((page) => [`cp125${page}`, `windows-125${page}`] as const),
];

const byLetters = new Map<string, Charset>([
  ...CHARSETS.map((name) => [lettersOf(name), name] as const),
  ...ALIASES,
]);

/** The encoding for a name, whatever its case and its hyphens; undefined for an unknown one. */
export function charsetNamed(name: string): Charset | undefined {
  return byLetters.get(lettersOf(name));
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[-_ ]/g, '');
}

export function isUtf16(charset: Charset): charset is 'utf-16le' | 'utf-16be' {
  return charset === 'utf-16le' || charset === 'utf-16be';
}

/** UTF-8 with a mark or without one. */
export function isUtf8Name(charset: Charset): boolean {
  return charset === 'utf-8' || charset === 'utf-8-bom';
}
