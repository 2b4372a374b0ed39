/** Patches made of the corpus, exact and spoiled: each gives what was meant, or is refused. */
import { describe, expect, it } from 'vitest';
import { EngineFailure } from '../../../../src/engine/failures.ts';
import { unifiedDiff } from '../../../../src/engine/text/diff/unified-diff.ts';
import { editCorpus } from '../../../corpus/edit-corpus.ts';
import { patchTree } from './patched-tree.ts';
import { type Random, seededRandom } from './samples.ts';

interface PatchedSource {
  source: string;
  expected: string;
  patch: string;
}

type Spoil = (patched: PatchedSource, random: Random) => PatchedSource;

const HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@$/gm;

const withHeader =
  (header: (line: number, random: Random) => string): Spoil =>
  (patched, random) => ({
    ...patched,
    patch: patched.patch.replace(HEADER, (_, line: string) => header(Number(line), random)),
  });

const beginPatch: Spoil = ({ patch, ...texts }) => {
  const hunks = patch.split('\n').slice(2, -1).join('\n').replace(HEADER, '@@');
  return { ...texts, patch: `*** Begin Patch\n*** Update File: file\n${hunks}\n*** End Patch\n` };
};

/** Lines above that the author of the patch did not know of. */
const drifted: Spoil = ({ source, expected, patch }, random) => {
  const above = '// somebody was here\n'.repeat(1 + random(30));
  return { source: above + source, expected: above + expected, patch };
};

const TOLERABLE: Record<string, Spoil> = {
  'as it is': (patched) => patched,
  'wrong lines': withHeader((line, random) => `@@ -${line + 1 + random(40)},3 +${line},3 @@`),
  'wrong counts': withHeader((line, random) => `@@ -${line},${random(9)} +${line},${random(9)} @@`),
  'no counts': withHeader((line) => `@@ -${line} @@`),
  'bare headers': withHeader(() => '@@'),
  'headers of dots': withHeader(() => '@@ ... @@'),
  'the other form': beginPatch,
  'lines that are new above': drifted,
  'the other form, and lines that are new above': (patched, random) =>
    beginPatch(drifted(patched, random), random),
  'empty lines without their blank': ({ patch, ...texts }) => ({
    ...texts,
    patch: patch.replace(/^ $/gm, ''),
  }),
  'trailing blanks': ({ patch, ...texts }) => ({ ...texts, patch: patch.replace(/^( .*[^\s])$/gm, '$1  ') }),
  'line ends of the file': ({ source, expected, patch }) => ({
    source: source.replaceAll('\n', '\r\n'),
    expected: expected.replaceAll('\n', '\r\n'),
    patch,
  }),
  'line ends of the patch': ({ patch, ...texts }) => ({ ...texts, patch: patch.replaceAll('\n', '\r\n') }),
  'a fence': ({ patch, ...texts }) => ({ ...texts, patch: `Here:\n\`\`\`diff\n${patch}\`\`\`\nDone.\n` }),
};

const INTOLERABLE: Record<string, Spoil> = {
  'a stale line': ({ patch, ...texts }) => ({
    ...texts,
    patch: patch.replace(/^([ -](?!-- ).*)\S/m, '$1zzqy'),
  }),
  'lines left out': ({ patch, ...texts }) => ({
    ...texts,
    patch: patch.replace(/^[ -](?!-- ).*\S$/m, ' ...'),
  }),
};

function applied(spoil: Spoil, rounds: number): number {
  const random = seededRandom(2);
  let count = 0;
  let tried = 0;
  for (let round = 0; round < rounds; round++) {
    for (const { title, source, expected } of editCorpus()) {
      const names = { oldName: 'a/file', newName: 'b/file', context: 1 + random(3) };
      const spoiled = spoil({ source, expected, patch: unifiedDiff(source, expected, names) }, random);
      tried++;
      const text = outcomeOf(spoiled);
      if (text === undefined) continue;
      expect(text, `${title}\n${spoiled.patch}`).toBe(spoiled.expected);
      count++;
    }
  }
  return count / tried;
}

/** Undefined when the patch is refused. */
function outcomeOf({ source, patch }: PatchedSource): string | undefined {
  try {
    return patchTree({ file: source }, patch).files.file;
  } catch (error) {
    if (error instanceof EngineFailure) return undefined;
    throw error;
  }
}

describe('a spoiled patch gives what was meant, or is refused', () => {
  it.each(Object.entries(TOLERABLE))('%s', (_, spoil) => {
    expect(applied(spoil, 3)).toBeGreaterThan(0.8);
  });

  it.each(Object.entries(INTOLERABLE))('never with %s', (_, spoil) => {
    expect(applied(spoil, 3)).toBe(0);
  });
});
