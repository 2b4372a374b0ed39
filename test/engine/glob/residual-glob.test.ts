import { describe, expect, it } from 'vitest';
import { compileGlobs } from '../../../src/engine/glob/glob.ts';
import { escapeGlob, residualExclusions, residualGlobs } from '../../../src/engine/glob/residual-glob.ts';

describe('the rest of a glob below a directory', () => {
  it.each([
    ['home/me/src/**', 'home/me', ['src/**']],
    ['/home/me/src/*.ts', '/home/me', ['src/*.ts']],
    ['/home/you/*', '/home/me', []],
    ['/home/me', '/home/me', []],
    ['/home/m', '/home/me', []],
    ['/home/m?/*.{a,b}', '/home/me', ['*.a', '*.b']],
    ['/{home,root}/me/x', '/home/me', ['x']],
    ['/**/*.txt', '/home/me', ['**/*.txt']],
    ['/**', '/home/me', ['**']],
    ['/', '/home/me', ['**']],
    ['/home/*/', '/home/me', ['**']],
    ['/**/me/x', '/home/me', ['**/me/x', 'x']],
    ['/**/me/**/x', '/me/me', ['**/me/**/x', '**/x']],
    ['./a/./b', 'a', ['b']],
    ['a\\/b', 'a', ['b']],
    ['a\\*/b', 'a*', ['b']],
    ['*.ts', '', ['*.ts']],
  ])('for %s below %s is %j', (glob, directory, left) => {
    expect(residualGlobs(glob, directory)).toEqual(left);
  });

  it.each(['/{a', '/[a', '/a/*/../b', '/{1..2000}/x'])('is refused for %s, which is malformed', (glob) => {
    expect(() => residualGlobs(glob, '/home')).toThrow(
      expect.objectContaining({ facts: expect.objectContaining({ kind: 'bad-glob' }) }),
    );
  });

  it('is found in few steps, in however many ways the glob can match', () => {
    const deep = '/a'.repeat(200);
    expect(residualGlobs(`${'/**/a'.repeat(400)}/x`, deep)).toHaveLength(201);
    expect(residualGlobs(`${'/**'.repeat(1300)}/x`, deep)).toEqual(['**/x']);
  });

  it('matches the same files as the whole glob', () => {
    const segments = ['a', 'b', '*', '**', '{a,b}', '?', '**'];
    const paths = ['a', 'b', 'a/a', 'a/b', 'b/a', 'a/a/b', 'a/b/a', 'b/b/b', 'a/a/a/b', 'b/a/b/a'];
    for (const one of segments) {
      for (const two of segments) {
        for (const three of [...segments, undefined]) {
          const glob = [one, two, three].filter(Boolean).join('/');
          for (const directory of ['a', 'b', 'a/a', 'a/b', 'b/b']) {
            const residual = compileGlobs(residualGlobs(glob, directory));
            const whole = compileGlobs([glob]);
            for (const path of paths) {
              expect([glob, directory, path, residual.matches(path)]).toEqual([
                glob,
                directory,
                path,
                whole.matches(`${directory}/${path}`),
              ]);
            }
          }
        }
      }
    }
  });
});

describe('the rest of an exclusion below a directory', () => {
  it.each([
    ['src/gen/**', 'src', ['gen/**']],
    ['src', 'src', ['**']],
    ['src', 'src/deep/er', ['**']],
    ['*', 'src/deep', ['**']],
    ['src/*', 'src/deep/er', ['**']],
    ['lib', 'src', []],
    ['**/*.log', 'src', ['**/*.log']],
    ['{src,lib/x}', 'lib', ['x']],
  ])('for %s below %s is %j', (glob, directory, left) => {
    expect(residualExclusions(glob, directory)).toEqual(left);
  });
});

it('an escaped text matches only itself', () => {
  const text = 'a*b?[c]{d,e}\\f!';
  expect(compileGlobs([escapeGlob(text)]).matches(text)).toBe(true);
  expect(compileGlobs([escapeGlob('a*')]).matches('ab')).toBe(false);
});
