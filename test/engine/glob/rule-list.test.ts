import { describe, expect, it } from 'vitest';
import { IgnoreChain } from '../../../src/engine/glob/gitignore.ts';
import { parseIgnoreLine } from '../../../src/engine/glob/ignore-pattern.ts';
import { matchPath } from '../../../src/engine/glob/path-glob.ts';
import { pick, randomFrom } from './slow-glob.ts';

const SEEDS = 400;
const PATHS = 60;
const PIECES = ['a', 'b', '.', '.c', 'ab', '*', '*', '?', '[ab]', '[!a]', '\\*', '\xe9', '**'];
const NAME_PIECES = ['a', 'b', '.', '.c', 'ab', '*', '\xe9', 'x'];

/** A slow and simple implementation to compare with: it tries the lines one by one, the last one first. */
function oneByOne(lines: readonly string[], path: string, isDirectory: boolean): boolean {
  for (const line of [...lines].reverse()) {
    const rule = parseIgnoreLine(line);
    if (rule === undefined || (rule.directoryOnly && !isDirectory)) continue;
    const names = path.split('/');
    const { about } = rule;
    const isMatch =
      'name' in about ? about.name.matches(names.at(-1)!) : matchPath(about.path, about.path.length, names);
    if (isMatch) return !rule.negated;
  }
  return false;
}

describe('a list of ignore rules', () => {
  it('answers for every path as if its lines were tried one by one', () => {
    let ignored = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const random = randomFrom(seed);
      const oneOf = (chances: number) => random(chances) === 0;
      const many = (most: number, make: () => string) => Array.from({ length: 1 + random(most) }, make);
      const path = (pieces: readonly string[], most: number) =>
        many(most, () => many(3, () => pick(random, pieces)).join('')).join('/');
      const line = () =>
        `${oneOf(4) ? '!' : ''}${oneOf(7) ? '/' : ''}${path(PIECES, 3)}${oneOf(5) ? '/' : ''}`;
      const lines = many(30, line);
      const chain = IgnoreChain.empty.child('', lines.join('\n'));
      for (let i = 0; i < PATHS; i++) {
        const [tried, isDirectory] = [path(NAME_PIECES, 4), oneOf(3)];
        const expected = oneByOne(lines, tried, isDirectory);
        const ignores = chain.ignores(tried, isDirectory);
        if (ignores !== expected) expect({ lines, tried, ignores }).toBeUndefined();
        if (expected) ignored++;
      }
    }
    expect(ignored).toBeGreaterThan(1000);
  });
});
