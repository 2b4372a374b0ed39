/** Generated trees: the diff that git prints must turn one into the other. */
import { describe, expect, it } from 'vitest';
import { whyNot } from './git-and-patch.ts';
import { contentsOf, gitDiffs, type TreeFile, type TreePair } from './git-trees.ts';
import { patchTree } from './patched-tree.ts';
import { pick, type Random, seededRandom, textPair } from './samples.ts';

/** How many pairs of trees to compare with each set of options; `COFFERDAM_GIT_DIFFS` sets the total. */
const PAIRS = Math.ceil(Number(process.env.COFFERDAM_GIT_DIFFS ?? 1000) / 5);

const FOLDERS = ['', 'a/', 'b/', 'src/deep/', 'with blank/', 'ä/', 'q"uote/', 'tab\there/'];
const NAMES = [
  'x.ts',
  'README',
  'name with blanks.txt',
  'blank at the end ',
  'über.md',
  'back\\slash',
  '日本語',
  'new\nline',
  '-dash',
  'b',
  '.x',
];
const KINDS = ['plain', 'plain', 'tricky', 'carriage-returns'] as const;
/** Without context, a diff does not show that a file mixes line ends, and added lines take those of the file. */
const KINDS_WITHOUT_CONTEXT = ['plain', 'tricky'] as const;

function treePair(random: Random, kinds: readonly (typeof KINDS)[number][]): TreePair {
  const before: Record<string, TreeFile> = {};
  const after: Record<string, TreeFile> = {};
  const paths = new Set<string>();
  const count = 1 + random(5);
  const freePath = (): string => {
    for (;;) {
      const path = `${pick(random, FOLDERS)}${pick(random, NAMES)}`;
      if (
        [...paths].some(
          (other) => other === path || other.startsWith(`${path}/`) || path.startsWith(`${other}/`),
        )
      )
        continue;
      paths.add(path);
      return path;
    }
  };
  for (let file = 0; file < count; file++) {
    const texts = textPair(random, pick(random, kinds));
    const path = freePath();
    const isExecutable = random(4) === 0;
    const old = { content: texts.old, isExecutable };
    const made = { content: texts.new, isExecutable: random(8) === 0 ? !isExecutable : isExecutable };
    const what = random(10);
    if (what > 0) before[path] = old;
    if (what === 2) after[freePath()] = random(2) === 0 ? made : old;
    else if (what !== 1) after[path] = what === 3 ? old : made;
  }
  return { before, after };
}

function executablesOf(pair: TreePair): Record<string, boolean> {
  return Object.fromEntries(
    Object.entries(pair.after).map(([path, { isExecutable }]) => [path, isExecutable]),
  );
}

describe.skipIf(whyNot('git') !== undefined)('diffs of git', () => {
  it.each([
    [[]],
    [['-M']],
    [['-M20%', '-U1']],
    [['--no-prefix', '-U0']],
    [['--full-index', '-U10', '--patience', '--src-prefix=i/', '--dst-prefix=w/']],
  ])('turn one tree into the other: %s', (options) => {
    const random = seededRandom(options.length + 7);
    const kinds = options.includes('-U0') ? KINDS_WITHOUT_CONTEXT : KINDS;
    const pairs = Array.from({ length: PAIRS }, () => treePair(random, kinds));
    const diffs = gitDiffs(pairs, options);
    expect(diffs).toHaveLength(pairs.length);
    for (const [index, pair] of pairs.entries()) {
      const diff = diffs[index]!;
      if (diff === '') {
        expect(pair.before).toEqual(pair.after);
        continue;
      }
      const { files, modes } = patchTree(contentsOf(pair.before), diff);
      expect(files, diff).toEqual(contentsOf(pair.after));
      for (const [path, isExecutable] of Object.entries(executablesOf(pair))) {
        const told = modes[path] === undefined ? pair.before[path]?.isExecutable : modes[path] === 0o755;
        if (told !== undefined) expect(told, `${path}\n${diff}`).toBe(isExecutable);
      }
    }
  });
});
