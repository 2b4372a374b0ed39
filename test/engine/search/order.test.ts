import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { soak } from '../../soak.ts';
import type { Tree } from '../../tree.ts';
import { pick, randomFrom } from './generated.ts';
import { type Fixture, fixture, plainly, shown } from './search-fixture.ts';

const WORDS = ['alpha', 'beta', 'gamma', 'delta', 'Füße', 'needle', 'x'];

/** Some hundred files in nested directories, with names that sort differently by bytes than by words. */
function manyFiles(): Tree {
  const random = randomFrom(3);
  const tree: Tree = {};
  const names = ['a', 'a.txt', 'a-b', 'A', 'b', 'z', 'ä', 'Ω', '\ue000', '😀', 'a b', '.hidden'];
  for (let i = 0; i < soak(200, 350); i++) {
    const depth = 1 + Math.floor(random() * 4);
    const directories = Array.from({ length: depth }, () => `${pick(random, names)}.d`);
    const lines = Array.from(
      { length: Math.floor(random() * 30) },
      () => `${pick(random, WORDS)} ${pick(random, WORDS)}`,
    );
    tree[`${directories.join('/')}/${pick(random, names)}${i % 5}`] = lines.join('\n');
  }
  // A directory sorts by the paths of its entries: `a.txt` comes before `a/…`, and `a0` after it.
  return { ...tree, 'a/b': 'needle', 'a.txt': 'needle', a0: 'needle', 'a-': 'needle' };
}

let here: Fixture;
beforeAll(async () => {
  here = await fixture(manyFiles());
});
afterAll(() => here.close());

describe('results', () => {
  it('are sorted by path, byte by byte, then by line', async () => {
    const found = await here.lines({ regex: 'needle' });
    expect(found).toEqual(plainly(here.root, /needle/));
    expect(found.filter((line) => /^a[^b]?[^d]*:1:needle$/.test(line))).toEqual([
      'a-:1:needle',
      'a.txt:1:needle',
      'a/b:1:needle',
      'a0:1:needle',
    ]);
  });

  it.each(['literal', 'classes', 'ripgrep', 'workers'] as const)(
    'are the same with the plan %s',
    async (plan) => {
      const result = await here.grep({ regex: 'need[l]e f|Füße$|[g]amma be', flags: 'i', plan });
      expect(shown(result)).toEqual(plainly(here.root, /need[l]e f|Füße$|[g]amma be/i));
      expect(result.truncated).toBe(false);
    },
  );
});

describe('a cap', () => {
  it.each([1, 2, 10, 137, 500])(
    'of %i matches truncates at the same place on every run',
    async (maxMatches) => {
      const all = await here.lines({ regex: 'needle' });
      for (let run = 0; run < soak(3, 5); run++) {
        const result = await here.grep({ regex: 'needle', maxMatches });
        expect(shown(result)).toEqual(all.slice(0, maxMatches));
        expect(result).toMatchObject({ matches: maxMatches, truncated: true });
      }
    },
  );

  it('truncates at the same place if ripgrep names the files', async () => {
    const all = await here.lines({ regex: 'needle' });
    const result = await here.grep({ regex: 'needle', maxMatches: 100, plan: 'ripgrep' });
    expect(result.plan.plan).toBe('ripgrep');
    expect(shown(result)).toEqual(all.slice(0, 100));
  });

  it('does not truncate exactly as many matches', async () => {
    const { matches } = await here.grep({ regex: 'needle' });
    expect(await here.grep({ regex: 'needle', maxMatches: matches })).toMatchObject({
      matches,
      truncated: false,
    });
  });

  it('keeps the context of the last match, and shows matches in it as context', async () => {
    const close = await fixture({ 'x.txt': 'hit 1\nhit 2\nhit 3\nno\nhit 5\n' });
    try {
      const result = await close.grep({ regex: 'hit', maxMatches: 1, contextLines: 2 });
      expect(shown(result)).toEqual(['x.txt:1:hit 1', 'x.txt-2-hit 2', 'x.txt-3-hit 3']);
    } finally {
      await close.close();
    }
  });

  it('does not change the counts of all matches and files if the caller asks for them', async () => {
    const all = await here.grep({ regex: 'needle' });
    for (const plan of ['literal', 'classes', 'workers'] as const) {
      const counted = await here.grep({
        regex: 'needle',
        maxMatches: 3,
        countAll: true,
        countFiles: true,
        plan,
      });
      expect(counted).toMatchObject({
        matches: 3,
        totalMatches: all.matches,
        truncated: true,
        filesSearched: all.filesSearched,
      });
    }
  });
});

describe('a cap on the characters of an answer', () => {
  /** The lines that begin below the cap. */
  async function expected(maxCharacters: number): Promise<string[]> {
    const { files } = await here.grep({ regex: 'needle' });
    let taken = 0;
    return files
      .flatMap(({ path, lines }) => lines.map((line) => ({ path, ...line })))
      .filter(({ path, text }) => {
        const before = taken;
        taken += Buffer.byteLength(path) + text.length + 16;
        return before < maxCharacters;
      })
      .map(({ path, number, text }) => `${path}:${number}:${text}`);
  }

  it.each([1, 100, 3000, 20_000])('of %i truncates at the same place on every run', async (maxCharacters) => {
    const first = await expected(maxCharacters);
    for (const plan of ['literal', 'ripgrep', 'workers', 'literal', 'workers'] as const) {
      const result = await here.grep({ regex: 'needle', maxCharacters, plan });
      expect(shown(result)).toEqual(first);
      expect(result).toMatchObject({ matches: first.length, truncated: true });
    }
  });

  it('does not change the count of all matches', async () => {
    const { matches } = await here.grep({ regex: 'needle' });
    const query = { regex: 'needle', maxCharacters: 500, countAll: true, countFiles: true };
    expect(await here.grep(query)).toMatchObject({ totalMatches: matches, truncated: true });
  });

  it('truncates within one file too, but not after the last match of all', async () => {
    const one = await fixture({ 'x.txt': 'before\nhit\nafter\n'.repeat(50) });
    try {
      // Each match has 3 lines, each with 5 characters for the path and 16 for the rest, and 14 characters of text.
      const query = { regex: 'hit', contextLines: 1 };
      const cut = await one.grep({ ...query, maxCharacters: 77 * 4 + 28 });
      expect(cut).toMatchObject({ matches: 5, truncated: true });
      expect(cut.files[0]!.lines).toHaveLength(15);
      expect(await one.grep({ ...query, maxCharacters: 77 * 50 })).toMatchObject({
        matches: 50,
        truncated: false,
      });
      expect(await one.grep({ ...query, maxCharacters: 77 * 48 })).toMatchObject({ truncated: true });
    } finally {
      await one.close();
    }
  });
});

describe("on the wall's fallback", () => {
  it('a search finds the same in the same order', async () => {
    const fallback = await fixture(manyFiles(), { protection: 'verified' });
    try {
      for (const plan of ['literal', 'ripgrep'] as const) {
        expect(shown(await fallback.grep({ regex: 'needle', plan }))).toEqual(
          plainly(fallback.root, /needle/),
        );
      }
      const listed = (one: Fixture) =>
        one.wall.at(one.root, {}, (place) => one.search.glob(place, { globs: ['**/*.txt*'], facts: true }));
      const names = async (one: Fixture) => (await listed(one)).entries.map(({ path, size }) => [path, size]);
      expect(await names(fallback)).toEqual(await names(here));
    } finally {
      await fallback.close();
    }
  });
});
