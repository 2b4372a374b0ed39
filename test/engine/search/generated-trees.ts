/** Generated directory trees and .gitignore files, the same for the same seed. */
import { pick, type Random } from '../glob/slow-glob.ts';

export { randomFrom } from '../glob/slow-glob.ts';

const names = [
  ...['a', 'b', 'c', 'ab', 'abc', 'ba', 'x.o', 'a.o', 'b.c', '.hidden', 'Fox', 'foo', 'bar', 'build'],
  ...[
    'é',
    'aé',
    '#x',
    '!y',
    'a b',
    'a ',
    '[z]',
    ']',
    '-',
    'a-b',
    '^',
    'a\\b',
    '*',
    'a*',
    '?',
    '7',
    'x7',
    '日本',
  ],
];

export function generateTree(random: Random): { files: string[]; directories: string[] } {
  const directories = [''];
  for (let n = 2 + random(7); n > 0; n--) {
    const parent = pick(random, directories);
    const path = parent === '' ? pick(random, names) : `${parent}/${pick(random, names)}`;
    if (!directories.includes(path)) directories.push(path);
  }
  const files = new Set<string>();
  for (let n = 4 + random(12); n > 0; n--) {
    const parent = pick(random, directories);
    const path = parent === '' ? pick(random, names) : `${parent}/${pick(random, names)}`;
    if (!directories.includes(path)) files.add(path);
  }
  return { files: [...files], directories };
}

export function generateIgnoreFile(random: Random): string {
  const lines = Array.from({ length: 1 + random(6) }, () => generateLine(random));
  const newline = random(5) === 0 ? '\r\n' : '\n';
  return (random(10) === 0 ? '\ufeff' : '') + lines.join(newline) + (random(4) === 0 ? '' : newline);
}

const wholeLines = [
  '',
  '#x',
  '# a',
  '!',
  '/',
  '//',
  '**',
  '*',
  '!*',
  '*/',
  '!*/',
  '/*',
  '!/*',
  '/**',
  '**/',
  '\\',
];

function generateLine(random: Random): string {
  if (random(8) === 0) return pick(random, wholeLines);
  const start = (random(4) === 0 ? '!' : '') + (random(5) === 0 ? '/' : '');
  const segments = Array.from({ length: pick(random, [1, 1, 1, 2, 2, 3]) }, () => generateSegment(random));
  const end = pick(random, ['', '', '', '', '/', '/', ' ', '  ', '\\ ', '\\', '\t', '/**', '//']);
  const line = start + segments.join(pick(random, ['/', '/', '/', '/', '//', '\\/'])) + end;
  return differsBetweenVersions(line) ? 'a' : line;
}

function generateSegment(random: Random): string {
  if (random(5) === 0) return pick(random, ['**', '**', '***', '*']);
  if (random(2) === 0) return escapedName(random);
  return Array.from({ length: 1 + random(3) }, () => pick(random, pieces)).join('');
}

function escapedName(random: Random): string {
  const name = pick(random, names);
  return random(3) === 0 ? name : name.replace(/[\\*?[#! ]/g, '\\$&');
}

const pieces = [
  ...['a', 'b', 'c', 'o', '.', 'é', ' ', '#', '!', '*', '*', '*', '?', '?', '**', '\\a', '\\*', '\\[', '-'],
  ...[
    '[ab]',
    '[!a]',
    '[^b]',
    '[a-c]',
    '[c-a]',
    '[]]',
    '[!]]',
    '[a-]',
    '[-a]',
    '[a\\-c]',
    '[\\]a]',
    '[a-c-x]',
  ],
  ...[
    '[[:alpha:]]',
    '[[:digit:]x]',
    '[![:upper:]]',
    '[[:punct:]]',
    '[[:nope:]]',
    '[[:alpha:]-z]',
    '[[:]',
    '[[:a]',
  ],
  ...[
    '[',
    '[a',
    '[!',
    '[[:alpha:',
    '[/]',
    '[a/b]',
    '[é]',
    '[é][é]',
    '[[:space:]]',
    '[[:print:]]',
    '[[:cntrl:]]',
  ],
];

/** Up to git 2.51, a `**` right after plain text is treated as a whole segment; later versions do as documented. */
function differsBetweenVersions(line: string): boolean {
  return /^[^*?[\\]*[^/*?[\\!]\*\*+(\\?\/|$)/.test(line);
}
