/** rg: searches a tree, without its configuration file, without other programs, and without following links. */

import type { CommandPolicy, InspectedLine, Installed } from '../declaration.ts';

/**
 * By default rg opens every ignore file that it meets, even if it is a FIFO, a link that leads outside, above the root,
 * or named by a `.git` file. So it gets only the ignore files of the directory in which it runs.
 */
function ignoreFilesHere({ options }: InspectedLine, { typeOf }: Installed): readonly string[] {
  const hasFile = (path: string) => typeOf(path) === 'file';
  const off = (...names: string[]) => names.some((name) => options.has(name));
  const files: string[] = [];
  if (!off('u', 'no-ignore')) {
    const git = off('no-require-git') || hasFile('.git/HEAD') || hasFile('.git');
    if (git && !off('no-ignore-vcs')) files.push('.gitignore');
    if (!off('no-ignore-dot')) files.push('.ignore', '.rgignore');
  }
  return ['--no-ignore', ...files.filter(hasFile).map((file) => `--ignore-file=./${file}`)];
}

/** Switches that can be turned on and off: `--NAME` and `--no-NAME`. */
const SWITCHES = [
  'auto-hybrid-regex',
  'binary',
  'block-buffered',
  'column',
  'crlf',
  'encoding',
  'fixed-strings',
  'glob-case-insensitive',
  'heading',
  'hidden',
  'ignore',
  'ignore-dot',
  'ignore-exclude',
  'ignore-file-case-insensitive',
  'ignore-files',
  'ignore-global',
  'ignore-parent',
  'ignore-vcs',
  'include-zero',
  'invert-match',
  'json',
  'line-buffered',
  'max-columns-preview',
  'messages',
  'mmap',
  'multiline',
  'multiline-dotall',
  'one-file-system',
  'pcre2',
  'pcre2-unicode',
  'require-git',
  'stats',
  'text',
  'trim',
  'unicode',
];

/** Switches that can only be turned off here: turning them on is declared elsewhere, or not allowed. */
const ONLY_OFF = ['encoding', 'hidden', 'ignore', 'ignore-parent'];

export const rg: CommandPolicy = {
  name: 'rg',
  flags: [
    ...SWITCHES.filter((name) => !ONLY_OFF.includes(name)),
    ...SWITCHES.map((name) => `no-${name}`),
    '. hidden',
    '0 null',
    'a',
    'b byte-offset',
    'no-byte-offset',
    'c count',
    'count-matches',
    'files',
    'files-without-match',
    'F',
    'h help',
    'H with-filename',
    'i ignore-case',
    'I no-filename',
    'l files-with-matches',
    'n line-number',
    'N no-line-number',
    'no-context-separator',
    'no-config',
    'null-data',
    'o only-matching',
    'p pretty',
    'P',
    'passthru passthrough',
    'pcre2-version',
    'q quiet',
    's case-sensitive',
    'S smart-case',
    'sort-files',
    'no-sort-files',
    'stop-on-nonmatch',
    'type-list',
    'u unrestricted',
    'U',
    'v',
    'V version',
    'vimgrep',
    'w word-regexp',
    'x line-regexp',
  ],
  values: [
    { names: 'e regexp', takes: 'pattern' },
    { names: 'f file', takes: 'path' },
    { names: 'ignore-file', takes: 'path' },
    { names: 'g glob', takes: 'pattern' },
    { names: 'iglob', takes: 'pattern' },
    { names: 'r replace', takes: 'text' },
    { names: 't type', takes: 'text' },
    { names: 'T type-not', takes: 'text' },
    { names: 'type-add', takes: 'text' },
    { names: 'type-clear', takes: 'text' },
    { names: 'E encoding', takes: 'text' },
    { names: 'engine', takes: ['default', 'pcre2', 'auto'] },
    { names: 'sort', takes: ['none', 'path', 'modified', 'accessed', 'created'] },
    { names: 'sortr', takes: ['none', 'path', 'modified', 'accessed', 'created'] },
    { names: 'color', takes: ['never', 'auto', 'always', 'ansi'] },
    { names: 'colors', takes: 'text' },
    { names: 'context-separator', takes: 'text' },
    { names: 'field-context-separator', takes: 'text' },
    { names: 'field-match-separator', takes: 'text' },
    { names: 'path-separator', takes: 'text' },
    { names: 'A after-context', takes: 'number' },
    { names: 'B before-context', takes: 'number' },
    { names: 'C context', takes: 'number' },
    { names: 'd max-depth maxdepth', takes: 'number' },
    { names: 'j threads', takes: 'number' },
    { names: 'm max-count', takes: 'number' },
    { names: 'M max-columns', takes: 'number' },
    { names: 'max-filesize', takes: 'number' },
    { names: 'dfa-size-limit', takes: 'number' },
    { names: 'regex-size-limit', takes: 'number' },
  ],
  refused: [
    { names: 'pre pre-glob', reason: 'rg would run that program on every file' },
    { names: 'hostname-bin hyperlink-format', reason: 'rg would run a program for it' },
    { names: 'z search-zip', reason: 'rg would run decompressors' },
    { names: 'L follow', reason: 'rg would follow every link, also those that lead outside' },
    { names: 'debug trace', reason: 'rg would tell about files outside' },
    { names: 'ignore ignore-parent', reason: 'rg would read the ignore files above the root' },
  ],
  operands: { leading: { takes: 'pattern', unless: 'e f files type-list' }, rest: 'path' },
  shortEquals: true,
  // rg's messages about ignore files quote their content.
  always: ['--no-config', '--no-ignore-messages'],
  last: ignoreFilesHere,
};
