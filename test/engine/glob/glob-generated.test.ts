import picomatch from 'picomatch';
import { describe, expect, it } from 'vitest';
import { compileGlobs } from '../../../src/engine/glob/glob.ts';
import { soak } from '../../soak.ts';
import { generatePath, generatePattern, pick, randomFrom, slowlyMatches } from './slow-glob.ts';

describe('generated globs', () => {
  it('agree with a slow matcher that tries everything', () => {
    const random = randomFrom(1);
    let matched = 0;
    for (let i = 0; i < soak(1000, 2500); i++) {
      const pattern = generatePattern(random, 0);
      const globs = compileGlobs([pattern]);
      for (let k = 0; k < 4; k++) {
        const path = generatePath(random);
        const expected = slowlyMatches(pattern, path);
        if (globs.matches(path) !== expected) expect({ pattern, path, matches: !expected }).toBeUndefined();
        if (expected) matched++;
        checkDirectories(globs, path, expected, pattern);
      }
    }
    expect(matched).toBeGreaterThan(soak(200, 500));
  });

  it('agree with picomatch where both support the same syntax', () => {
    const random = randomFrom(2);
    let matched = 0;
    for (let i = 0; i < soak(1000, 2000); i++) {
      const segments = Array.from({ length: 1 + random(4) }, () => pick(random, commonSegments));
      const pattern = segments
        .filter((segment, at) => segment !== '**' || segments[at - 1] !== '**')
        .join('/');
      const theirs = picomatch(pattern, { dot: true, noextglob: true, nonegate: true, strictSlashes: true });
      const globs = compileGlobs([pattern]);
      for (let k = 0; k < 4; k++) {
        const path = generatePath(random);
        const expected = theirs(path);
        if (globs.matches(path) !== expected) expect({ pattern, path, matches: !expected }).toBeUndefined();
        if (expected) matched++;
      }
    }
    expect(matched).toBeGreaterThan(soak(100, 200));
  });
});

function checkDirectories(
  globs: ReturnType<typeof compileGlobs>,
  path: string,
  matches: boolean,
  pattern: string,
): void {
  const names = path.split('/');
  for (let depth = 0; depth < names.length; depth++) {
    const dir = names.slice(0, depth).join('/');
    const wrong = matches ? !globs.mayContain(dir) : globs.covers(dir);
    if (wrong) expect({ pattern, path, dir, matches }).toBeUndefined();
  }
}

const commonSegments = [
  '*',
  '**',
  'a',
  'b',
  '?',
  'a*',
  '*b',
  '*a*',
  '{a,b}',
  '{a,b*}',
  '??',
  'a?b',
  '[ab]',
  '.a',
];
