import { describe, expect, it } from 'vitest';
import { EngineFailure, type Failure } from '../../../src/engine/failures.ts';
import { compileGlobs, isGlob, splitGlob } from '../../../src/engine/glob/glob.ts';

function means(pattern: string, path: string): boolean {
  const globs = compileGlobs([pattern]);
  const matches = globs.matches(path);
  const slash = path.lastIndexOf('/');
  expect(globs.matchesIn(path.slice(0, Math.max(0, slash)), path.slice(slash + 1))).toBe(matches);
  return matches;
}

function failureOf(action: () => unknown): Failure {
  try {
    action();
  } catch (error) {
    if (error instanceof EngineFailure) return error.facts;
    throw error;
  }
  throw new Error('nothing failed');
}

function refused(pattern: string): string {
  const facts = failureOf(() => compileGlobs([pattern]));
  expect(facts).toMatchObject({ kind: 'bad-glob', pattern });
  return facts.kind === 'bad-glob' ? facts.reason : '';
}

describe('a glob', () => {
  it.each([
    ['*.ts', 'a.ts', true],
    ['*.ts', '.ts', true],
    ['*.ts', 'src/a.ts', false],
    ['**/*.ts', 'a.ts', true],
    ['**/*.ts', 'src/deep/a.ts', true],
    ['**/*.ts', 'src/a.tsx', false],
    ['src/**/*.ts', 'src/a.ts', true],
    ['src/**/*.ts', 'src/x/y/a.ts', true],
    ['src/**/*.ts', 'source/a.ts', false],
    ['src/**', 'src/a', true],
    ['src/**', 'src/a/b', true],
    ['src/**', 'src', false],
    ['**', 'a', true],
    ['**', 'a/b/c', true],
    ['a/**/**/b', 'a/b', true],
    ['a/**/b', 'a/x/y/b', true],
    ['a/**/b', 'ab', false],
    ['a**b', 'axxb', true],
    ['a**b', 'ax/xb', false],
    ['?.c', 'x.c', true],
    ['?.c', 'xy.c', false],
    ['?', '😀', true],
    ['??', '😀', false],
    ['*😀?', 'aa😀b', true],
    ['a//b', 'a/b', true],
    ['a/./b', 'a/b', true],
  ])('%s matches %s: %s', (pattern, path, expected) => {
    expect(means(pattern, path)).toBe(expected);
  });

  it('matches names that start with a dot like any other', () => {
    expect(means('*', '.env')).toBe(true);
    expect(means('**/config', '.git/config')).toBe(true);
    expect(means('?env', '.env')).toBe(true);
    expect(means('**', '.a/.b/.c')).toBe(true);
  });

  it('drops a leading ./, and with a trailing / matches everything below the directory', () => {
    expect(means('./src/*.ts', 'src/a.ts')).toBe(true);
    expect(means('src/', 'src/a/b')).toBe(true);
    expect(means('src/', 'src')).toBe(false);
    expect(means('./', 'anything/at/all')).toBe(true);
    expect(means('**/', 'anything/at/all')).toBe(true);
  });

  it('supports character classes', () => {
    expect(means('[abc].c', 'b.c')).toBe(true);
    expect(means('[abc].c', 'd.c')).toBe(false);
    expect(means('[a-cx-z]', 'y')).toBe(true);
    expect(means('[!a]', 'b')).toBe(true);
    expect(means('[!a]', 'a')).toBe(false);
    expect(means('[^a]', 'a')).toBe(false);
    expect(means('[]x]', ']')).toBe(true);
    expect(means('[!]x]', ']')).toBe(false);
    expect(means('[!]x]', 'a')).toBe(true);
    expect(means('[a-]', '-')).toBe(true);
    expect(means('[-a]', '-')).toBe(true);
    expect(means('[\\]]', ']')).toBe(true);
    expect(means('[a\\-c]', 'b')).toBe(false);
    expect(means('[[:digit:]_]', '7')).toBe(true);
    expect(means('[[:digit:]_]', '_')).toBe(true);
    expect(means('[[:digit:]_]', 'a')).toBe(false);
    expect(means('[![:upper:]]', 'Q')).toBe(false);
    expect(means('[а-я]', 'ж')).toBe(true);
    expect(means('x[!a]y', 'x/y')).toBe(false);
  });

  it('supports braces, nested braces and ranges', () => {
    expect(means('*.{ts,tsx}', 'a.tsx')).toBe(true);
    expect(means('*.{ts,tsx}', 'a.js')).toBe(false);
    expect(means('{src,test/{unit,e2e}}/*.ts', 'test/e2e/a.ts')).toBe(true);
    expect(means('{src,test/{unit,e2e}}/*.ts', 'test/a.ts')).toBe(false);
    expect(means('a{,b}c', 'ac')).toBe(true);
    expect(means('a{,b}c', 'abc')).toBe(true);
    expect(means('{**/,}x', 'x')).toBe(true);
    expect(means('{**/,}x', 'a/b/x')).toBe(true);
    expect(means('v{1..3}', 'v2')).toBe(true);
    expect(means('v{1..3}', 'v4')).toBe(false);
    expect(means('v{3..1}', 'v1')).toBe(true);
    expect(means('v{08..11}', 'v09')).toBe(true);
    expect(means('v{08..11}', 'v9')).toBe(false);
    expect(means('v{0..10..5}', 'v5')).toBe(true);
    expect(means('v{0..10..5}', 'v6')).toBe(false);
    expect(means('v{-2..2}', 'v-1')).toBe(true);
    expect(means('{a..e}', 'c')).toBe(true);
    expect(means('{Z..a}', '[')).toBe(true);
    expect(means('{a\\,b,c}', 'a,b')).toBe(true);
    expect(means('{[,],x}', ',')).toBe(true);
  });

  it('takes braces without a comma or a range literally', () => {
    expect(means('{a}', '{a}')).toBe(true);
    expect(means('{a}', 'a')).toBe(false);
    expect(means('{}', '{}')).toBe(true);
    expect(means('{{a,b}}', '{b}')).toBe(true);
    expect(means('{{cookiecutter.name}}/*', '{{cookiecutter.name}}/a')).toBe(true);
  });

  it('has no extended syntax: every other character stands for itself', () => {
    for (const name of [
      '!a',
      'a!',
      '(a)',
      'a (1).txt',
      '+(a)',
      '@(a)',
      'a|b',
      '$a^',
      'a"b"',
      "it's",
      'a+',
      '~',
    ]) {
      expect(means(name, name)).toBe(true);
    }
    expect(means('!(a)', 'b')).toBe(false);
    expect(means('!a', 'b')).toBe(false);
    expect(means('(a|b)', 'a')).toBe(false);
    expect(means('[a]+', 'aa')).toBe(false);
    expect(means('[a]+', 'a+')).toBe(true);
    expect(means('*(1)*', 'report (1).pdf')).toBe(true);
    expect(means('*]', 'a]')).toBe(true);
  });

  it('takes a character after a backslash literally', () => {
    expect(means('a\\*b', 'a*b')).toBe(true);
    expect(means('a\\*b', 'axb')).toBe(false);
    expect(means('\\[id\\]/page.tsx', '[id]/page.tsx')).toBe(true);
    expect(means('\\{a,b\\}', '{a,b}')).toBe(true);
    expect(means('\\\\', '\\')).toBe(true);
    expect(means('\\a', 'a')).toBe(true);
  });

  it('matches names with newlines', () => {
    expect(means('**/*.ts', 'a\nb/c\nd.ts')).toBe(true);
    expect(means('a?b', 'a\nb')).toBe(true);
  });

  it('distinguishes upper and lower case', () => {
    expect(means('SRC', 'src')).toBe(false);
  });

  it('in a list matches what any glob of the list matches', () => {
    const globs = compileGlobs(['*.ts', 'docs/**']);
    expect(globs.matches('a.ts')).toBe(true);
    expect(globs.matches('docs/x/y')).toBe(true);
    expect(globs.matches('a.js')).toBe(false);
    expect(compileGlobs([]).matches('a')).toBe(false);
    expect(compileGlobs([]).mayContain('')).toBe(false);
  });
});

describe('a bad glob', () => {
  it.each([
    ['', /names nothing/],
    ['.', /names nothing/],
    ['[', /never closed/],
    ['a[]', /never closed/],
    ['[a/b]', /never closed/],
    ['[a\\/b]', /never closed/],
    ['{a,b', /never closed/],
    ['{[}', /never closed/],
    ['a}', /never opened/],
    ['a\\', /lone backslash/],
    ['{a,b\\', /lone backslash/],
    ['[z-a]', /backwards/],
    ['[[:letter:]]', /\[:letter:\]/],
    ['[[:alphabetic:]]', /\[:alphabetic:\]/],
    ['/etc/*', /relative/],
    ['../x', /\.\./],
    ['a/../b', /\.\./],
    ['a\0b', /NUL/],
    ['a'.repeat(4097), /4096/],
  ])('%j is refused with a reason', (pattern, reason) => {
    expect(refused(pattern)).toMatch(reason);
  });

  it('is one whose braces stand for too many alternatives, which are counted but not built', () => {
    const bombs = [
      '{a,b}'.repeat(40),
      '{1..100000000}',
      '{1..999999999999999}',
      '{-999999999999999..999999999999999}',
      '{1..9}{1..9}{1..9}{1..9}',
      `{${'x,'.repeat(1000)}x}`,
      '{{1..40},{1..40}}{1..40}',
      '{9999999999999999999..1}',
      `${'{a,'.repeat(500)}b${'}'.repeat(500)}`,
      '{'.repeat(2000) + '}'.repeat(2000),
    ];
    for (const bomb of bombs) expect(refused(bomb)).toMatch(/alternatives|too large|nested/);
    expect(means('{1..1000}', '1000')).toBe(true);
    expect(means(`${'{a,'.repeat(60)}b${'}'.repeat(60)}`, 'b')).toBe(true);
  });

  it('is one of many small brace bombs that make a big one together', () => {
    const starred = Array.from({ length: 200 }, (_, i) => `**/{0..999}*a${i}?`);
    const plain = Array.from({ length: 200 }, (_, i) => `{0..999}a${i}`);
    const alike = Array.from({ length: 200 }, (_, i) => `a${'{,}'.repeat(9)}${i}`);
    for (const globs of [starred, plain, alike]) {
      expect(() => compileGlobs(globs.slice(0, 4))).not.toThrow();
      expect(failureOf(() => compileGlobs(globs))).toMatchObject({
        kind: 'bad-glob',
        reason: expect.stringMatching(/^together with the globs before it/),
      });
    }
  });

  it('is not one of very many plain globs', () => {
    const paths = Array.from({ length: 5000 }, (_, i) => `src/some/package/with/a/rather/long/name/${i}.ts`);
    const globs = compileGlobs([...paths, ...paths.map((_, i) => `**/*.x${i}`)]);
    expect(globs.matches(paths[4321]!)).toBe(true);
    expect(globs.matches('a/b.x4999')).toBe(true);
    expect(globs.matches('a/b.y')).toBe(false);
  });

  it('is named by the failure of a list that contains it', () => {
    expect(failureOf(() => compileGlobs(['*.ts', '[']))).toMatchObject({ kind: 'bad-glob', pattern: '[' });
  });
});

describe('hostile globs', () => {
  const long = 'a'.repeat(255);
  const deep = 'a/'.repeat(2000);
  const wideAndDeep = `${long}/`.repeat(16);
  const cases: [pattern: string, path: string][] = [
    ['*a*a*a*a*a*a*b', long],
    [`${'*a'.repeat(2000)}b*`, 'a'.repeat(4096)],
    [`*${'a'.repeat(127)}b*`, long],
    [`**/*${'a'.repeat(127)}b*/c`, `${wideAndDeep}c`],
    ['**/**/**/**/x/y', `${deep}y`],
    [`${'**/a/'.repeat(400)}b/c`, `${deep}c`],
    [`${'**/*/'.repeat(400)}b/c`, `${deep}c`],
    [`${'**/*a*a*/'.repeat(200)}b/c`, `${wideAndDeep}c`],
    [`**/${'*a*/'.repeat(500)}c`, `${deep}b/c`],
    [`${'*?'.repeat(2000)}b*`, 'a'.repeat(4096)],
    [`${'[a-z]*'.repeat(600)}9*`, 'a'.repeat(4096)],
    [
      `**/*${'a'.repeat(120)}{${Array.from({ length: 120 }, (_, i) => `b${i}`).join()}}*/c`,
      `${wideAndDeep}c`,
    ],
  ];
  it.each(cases.map(([pattern, path]) => ({ pattern, path, start: pattern.slice(0, 24) })))(
    '$start… is decided in bounded time',
    ({ pattern, path }) => {
      const globs = compileGlobs([pattern]);
      expect(globs.matches(path)).toBe(false);
    },
  );

  it('are refused if they have stars in very many alternatives', () => {
    expect(refused(`{1..1000}*a*${'a'.repeat(40)}b*`)).toMatch(/too many stars/);
    expect(refused(`**/${'a*/'.repeat(30)}*{1..1000}*`)).toMatch(/too many stars/);
    expect(refused(`**/${'a*/'.repeat(500)}*{1..1000}*`)).toMatch(/too many long/);
    expect(means('packages/{1..1000}/**/*.test.{ts}', 'packages/7/a/b.test.{ts}')).toBe(true);
  });
});

describe('mayContain', () => {
  it('keeps a walk within the directories that a glob names', () => {
    const globs = compileGlobs(['src/**/*.ts', 'docs/*.md', 'a/{b,c}/d/*']);
    for (const dir of ['', 'src', 'src/deep/er', 'docs', 'a', 'a/b', 'a/c', 'a/c/d']) {
      expect(globs.mayContain(dir), dir).toBe(true);
    }
    for (const dir of ['test', 'docs/sub', 'a/x', 'a/b/e', 'a/b/d/e', 'sr', 'srcs']) {
      expect(globs.mayContain(dir), dir).toBe(false);
    }
  });

  it('is false below a plain name', () => {
    const globs = compileGlobs(['*.ts']);
    expect(globs.mayContain('')).toBe(true);
    expect(globs.mayContain('src')).toBe(false);
    expect(globs.mayContain('x.ts')).toBe(false);
  });

  it('distinguishes upper and lower case', () => {
    expect(compileGlobs(['Src/*']).mayContain('src')).toBe(false);
  });
});

describe('covers', () => {
  it('is true for directories in which everything matches', () => {
    const globs = compileGlobs(['node_modules/**', '**/dist/', 'out/**/*', '*.tmp']);
    for (const dir of ['node_modules', 'node_modules/a/b', 'dist', 'x/dist', 'x/dist/y', 'out', 'out/z']) {
      expect(globs.covers(dir), dir).toBe(true);
    }
    for (const dir of ['', 'src', 'x', 'a.tmp', 'x/node_modules']) expect(globs.covers(dir), dir).toBe(false);
    expect(compileGlobs(['**']).covers('')).toBe(true);
  });
});

describe('isGlob and splitGlob', () => {
  it('distinguish a glob from a path', () => {
    for (const text of ['*.ts', 'a?', '{a,b}', 'a}', '[a]']) expect(isGlob(text)).toBe(true);
    for (const text of ['a.ts', 'a/b', '(a)', '!a', 'a]']) expect(isGlob(text)).toBe(false);
  });

  it.each([
    ['src/**/*.ts', 'src', '**/*.ts'],
    ['src/app/{a,b}/x', 'src/app', '{a,b}/x'],
    ['*.ts', '', '*.ts'],
    ['a.ts', '', 'a.ts'],
    ['src/a.ts', 'src', 'a.ts'],
    ['src/', 'src', '**'],
    ['./src/*.ts', 'src', '*.ts'],
    ['./*.ts', '', '*.ts'],
    ['/abs/dir/*.ts', '/abs/dir', '*.ts'],
    ['/*', '/', '*'],
    ['../up/*', '../up', '*'],
    ['~/x/**', '~/x', '**'],
    ['\\[id\\]/*.ts', '[id]', '*.ts'],
    ['src/pre*/x', 'src', 'pre*/x'],
    ['src//x/*', 'src//x', '*'],
    ['src//*', 'src', '*'],
    ['.//./*', '', '*'],
    [`${'/'.repeat(4_000)}*`, '/', '*'],
    ['src/\\*x/[ab]', 'src/*x', '[ab]'],
  ])('split %s at the directory %j', (pattern, base, rest) => {
    expect(splitGlob(pattern)).toEqual({ base, rest });
  });
});
