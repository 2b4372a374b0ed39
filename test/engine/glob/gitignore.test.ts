import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { rawOf } from '../../../src/engine/confine/scan/raw-names.ts';
import { IgnoreChain } from '../../../src/engine/glob/gitignore.ts';
import { soak } from '../../soak.ts';
import { temporaryDirectory } from '../../tree.ts';
import { generateIgnoreFile, generateTree, randomFrom } from '../search/generated-trees.ts';

const scratch = temporaryDirectory();
afterAll(() => scratch.remove());

/** Whether one .gitignore at the root ignores a path; a path that ends in `/` is a directory. */
function ignored(text: string, path: string): boolean {
  return IgnoreChain.empty.child('', rawOf(text)).ignores(rawOf(path.replace(/\/$/, '')), path.endsWith('/'));
}

describe('a .gitignore file', () => {
  it.each([
    ['*.o', 'a.o', true],
    ['*.o', 'deep/er/a.o', true],
    ['*.o', 'a.op', false],
    ['build', 'x/build', true],
    ['/build', 'build', true],
    ['/build', 'x/build', false],
    ['build/', 'build', false],
    ['build/', 'build/', true],
    ['build/', 'x/build/', true],
    ['doc/*.txt', 'doc/a.txt', true],
    ['doc/*.txt', 'doc/x/a.txt', false],
    ['doc/*.txt', 'x/doc/a.txt', false],
    ['**/foo', 'foo', true],
    ['**/foo', 'a/b/foo', true],
    ['foo/**', 'foo/', false],
    ['foo/**', 'foo/a/b', true],
    ['a/**/b', 'a/b', true],
    ['a/**/b', 'a/x/y/b', true],
    ['a/***/b', 'a/x/y/b', true],
    ['a**b', 'axxb', true],
    ['foo**/bar', 'foobar', false],
    ['foo**/bar', 'foox/bar', true],
    ['foo**/bar', 'foox/y/bar', false],
    ['?', 'a', true],
    ['?', 'é', false],
    ['??', 'é', true],
    ['[é][é]', 'é', true],
    ['a//b', 'a/b', false],
    ['/', 'a/', false],
    ['//', 'a/', false],
  ])('with the lines %j ignores %j: %s', (text, path, expected) => {
    expect(ignored(text, path)).toBe(expected);
  });

  it('is read byte by byte', () => {
    const chain = IgnoreChain.empty.child('', '[\xfe-\xff]x\n\xe9*\n');
    expect(['\xffx', '\xfdx', '\xe9', 'e'].map((path) => chain.ignores(path, false))).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it('lets a later line overrule an earlier one', () => {
    expect(ignored('*.o\n!keep.o\n', 'keep.o')).toBe(false);
    expect(ignored('*.o\n!keep.o\n', 'other.o')).toBe(true);
    expect(ignored('!keep.o\n*.o\n', 'keep.o')).toBe(true);
    expect(ignored('foo/*\n!foo/bar\n', 'foo/bar')).toBe(false);
    expect(ignored('foo/*\n!foo/bar\n', 'foo/baz')).toBe(true);
    expect(ignored('foo/*\n!foo/bar/\n', 'foo/bar')).toBe(true);
  });

  it('cannot include files of an ignored directory again: the directory itself stays ignored', () => {
    expect(ignored('/foo/\n!/foo/bar\n', 'foo/')).toBe(true);
  });

  it('has comments, and escapes for lines that look like one', () => {
    expect(ignored('#x', '#x')).toBe(false);
    expect(ignored('\\#x', '#x')).toBe(true);
    expect(ignored('\\!x', '!x')).toBe(true);
    expect(ignored('a#b', 'a#b')).toBe(true);
    expect(ignored(' #x', ' #x')).toBe(true);
    expect(ignored('!', '!')).toBe(false);
  });

  it('drops spaces at the end of a line unless they are escaped', () => {
    expect(ignored('a  ', 'a')).toBe(true);
    expect(ignored('a\\ ', 'a ')).toBe(true);
    expect(ignored('a\\   ', 'a ')).toBe(true);
    expect(ignored('a\t', 'a')).toBe(false);
    expect(ignored(' a', ' a')).toBe(true);
    expect(ignored('a b', 'a b')).toBe(true);
  });

  it('may have CRLF line ends, a byte order mark and no final newline', () => {
    expect(ignored('a\r\nb\r\n', 'b')).toBe(true);
    expect(ignored('a\r\nb\r', 'b')).toBe(true);
    expect(ignored('dir/\r\n', 'dir/')).toBe(true);
    expect(ignored('a\r\r\n', 'a')).toBe(false);
    expect(ignored('\ufeffa\nb', 'a')).toBe(true);
    expect(ignored('\ufeff#a', '#a')).toBe(false);
    expect(ignored('a\0b\n', 'a')).toBe(true);
  });

  it('supports the character classes that git supports', () => {
    expect(ignored('[ab]', 'b')).toBe(true);
    expect(ignored('[!ab]', 'b')).toBe(false);
    expect(ignored('[^ab]', 'c')).toBe(true);
    expect(ignored('[]a]', ']')).toBe(true);
    expect(ignored('[a-]', '-')).toBe(true);
    expect(ignored('[c-a]', 'b')).toBe(false);
    expect(ignored('[a-c-e]', 'd')).toBe(false);
    expect(ignored('[a-c-e]', '-')).toBe(true);
    expect(ignored('[\\]]', ']')).toBe(true);
    expect(ignored('[[:digit:]-z]', '-')).toBe(true);
    expect(ignored('x[[:upper:][:digit:]]', 'x7')).toBe(true);
    expect(ignored('[[:]', '[')).toBe(true);
    expect(ignored('a/x[/]y', 'a/x/y')).toBe(false);
  });

  it('may have malformed lines, which match nothing', () => {
    for (const mistake of ['[a', '[', '[]', '[[:letter:]]', '[[:alpha:', 'a\\', '[a\\']) {
      for (const path of ['a', '[', '[]', 'a\\', mistake]) expect(ignored(mistake, path)).toBe(false);
      expect(ignored(`${mistake}\nb`, 'b')).toBe(true);
    }
  });
});

describe('a chain of .gitignore files', () => {
  const root = IgnoreChain.empty.child('', '*.log\n/only-top\n');
  const inner = root.child('sub/dir', '!keep.log\n/anchored\nx/y\n');

  it('lets the deepest file decide', () => {
    expect(root.ignores('sub/dir/keep.log', false)).toBe(true);
    expect(inner.ignores('sub/dir/keep.log', false)).toBe(false);
    expect(inner.ignores('sub/dir/other.log', false)).toBe(true);
  });

  it('applies the rules of each file from its own directory on', () => {
    expect(inner.ignores('sub/dir/anchored', false)).toBe(true);
    expect(inner.ignores('sub/dir/x/anchored', false)).toBe(false);
    expect(inner.ignores('sub/dir/x/y', false)).toBe(true);
    expect(inner.ignores('sub/only-top', false)).toBe(false);
    expect(inner.ignores('only-top', false)).toBe(true);
    expect(inner.ignores('sub/dirx/anchored', false)).toBe(false);
  });

  it('never changes, and returns itself for a file without rules', () => {
    expect(root.child('a', '# only words\n\n')).toBe(root);
    expect(root.ignores('sub/dir/anchored', false)).toBe(false);
    expect(IgnoreChain.empty.ignores('a', true)).toBe(false);
  });

  it('decides in bounded time, even with hostile lines', () => {
    const long = soak(300_000, 1_000_000);
    const lines = [
      `[${'[:'.repeat(long)}x]`,
      '['.repeat(long),
      '*a*a*a*a*a*a*b',
      '**/*a*a*/**/*a*a*/b',
      `${'*a'.repeat(5000)}b*`,
      `${'**/a/'.repeat(3000)}b`,
    ];
    const chain = IgnoreChain.empty.child('', lines.join('\n'));
    expect(chain.ignores(`${'a'.repeat(255)}/`.repeat(16) + 'a'.repeat(255), false)).toBe(false);
    expect(chain.ignores(`${'a/'.repeat(2000)}c`, false)).toBe(false);
  });
});

describe.skipIf(!gitIsThere())('git itself (skipped where git is not installed)', () => {
  it('agrees on several hundred generated trees with ignore files at every level', () => {
    const random = randomFrom(7);
    const repository = join(scratch.path, 'many');
    for (let i = 0; i < 250; i++) writeTree(join(repository, `t${i}`), random);
    compareWithGit(repository);
  });

  it('agrees on generated trees whose ignore file is at the root', () => {
    for (let seed = 100; seed < soak(108, 120); seed++) {
      const repository = join(scratch.path, `root${seed}`);
      writeTree(repository, randomFrom(seed));
      compareWithGit(repository);
    }
  });
});

function writeTree(root: string, random: ReturnType<typeof randomFrom>): void {
  const { files, directories } = generateTree(random);
  for (const directory of directories) {
    mkdirSync(join(root, directory), { recursive: true });
    if (directory === '' || random(3) === 0)
      writeFileSync(join(root, directory, '.gitignore'), generateIgnoreFile(random));
  }
  for (const file of files) writeFileSync(join(root, file), '');
}

function compareWithGit(repository: string): void {
  const theirs = gitLists(repository);
  const ours = walk(repository, '', IgnoreChain.empty);
  const differing = [
    ...ours.filter((path) => !theirs.has(path)),
    ...[...theirs].filter((path) => !ours.includes(path)),
  ];
  expect(differing.slice(0, 5).map((path) => ({ path, listedByGit: theirs.has(path) }))).toEqual([]);
  expect(ours.length).toBe(theirs.size);
}

function walk(root: string, directory: string, above: IgnoreChain): string[] {
  const full = join(root, directory);
  const gitignore = join(full, '.gitignore');
  const chain = existsSync(gitignore)
    ? above.child(rawOf(directory), readFileSync(gitignore, 'latin1'))
    : above;
  return readdirSync(full, { withFileTypes: true }).flatMap((entry) => {
    const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
    if (entry.name === '.git' || chain.ignores(rawOf(path), entry.isDirectory())) return [];
    return entry.isDirectory() ? walk(root, path, chain) : [path];
  });
}

/** The environment without the rules that whoever runs the tests may have configured for git. */
const environment = {
  PATH: process.env.PATH,
  HOME: scratch.path,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CEILING_DIRECTORIES: dirname(scratch.path),
};

function gitLists(repository: string): Set<string> {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'core.excludesFile=/dev/null', '-c', 'core.ignoreCase=false', ...args], {
      cwd: repository,
      env: environment,
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'pipe'],
    }).toString();
  git('init', '-q', '--template=');
  return new Set(git('ls-files', '-co', '--exclude-standard', '-z').split('\0').filter(Boolean));
}

function gitIsThere(): boolean {
  try {
    execFileSync('git', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
