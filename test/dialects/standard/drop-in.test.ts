/**
 * Compares the standard dialect with the official server: the same calls on the same trees. Texts and disks are equal,
 * or the difference is one of those that docs/tools/standard.md lists.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '../../proves.ts';
import type { Tree } from '../../tree.ts';
import type { Call } from './drop-in-calls.ts';
import { changingCalls } from './drop-in-changes.ts';
import { allowed, type Difference } from './drop-in-differences.ts';
import { ignoringCalls, readingCalls } from './drop-in-reads.ts';
import { Side } from './drop-in-servers.ts';
import { ignoringTree, randomNumbers, smallTree, wholeTree } from './drop-in-tree.ts';

const SEED = 20260831;

const { differences } = JSON.parse(
  readFileSync(new URL('../../../src/dialects/standard/docs.json', import.meta.url), 'utf8'),
) as { differences: { id: string; elsewhere?: string }[] };

let ours: Side;
let official: Side;
const used = new Set<string>();
let count = 0;
const called = new Set<string>();

beforeAll(async () => {
  [ours, official] = await Promise.all([Side.start('ours'), Side.start('official')]);
});

afterAll(async () => {
  await Promise.all([ours.end(), official.end()]);
});

/** The differences that no entry of the list explains. */
async function unexplained(tree: Tree, calls: readonly Call[]): Promise<object[]> {
  for (const side of [ours, official]) side.layOut(tree);
  const found: object[] = [];
  for (const call of calls) {
    const difference = await differenceOf(call);
    if (!difference) continue;
    const why = Object.keys(allowed).filter((id) => allowed[id]!(difference));
    if (why.length === 0) found.push(readable(difference));
    used.add(why[0] ?? '');
  }
  return found;
}

/** The difference without what is the same on both disks. */
function readable({ call, ours, theirs }: Difference): object {
  const paths = new Set([ours, theirs].flatMap(({ disk = {} }) => Object.keys(disk)));
  const other = [...paths].filter(
    (path) => JSON.stringify(ours.disk?.[path]) !== JSON.stringify(theirs.disk?.[path]),
  );
  const disks = other.map((path) => [path, ours.disk?.[path], theirs.disk?.[path]]);
  return { ...call, ours: ours.text, theirs: theirs.text, disks };
}

/** The official server passes on Node's errors, and newer versions of Node name the path here, too. */
function inWordsOfNode20(text: string): string {
  return text.replace(/(EISDIR: illegal operation on a directory, read) '.*'$/gm, '$1');
}

async function differenceOf(call: Call): Promise<Difference | undefined> {
  count++;
  called.add(call.tool);
  const [mine, answered] = await Promise.all([ours.call(call), official.call(call)]);
  const theirs = { ...answered, text: inWordsOfNode20(answered.text) };
  return JSON.stringify(mine) === JSON.stringify(theirs) ? undefined : { call, ours: mine, theirs };
}

describe('compared with the official server, the standard dialect', () => {
  it('reads, lists and searches alike', async () => {
    proves('standard.drop-in');
    const random = randomNumbers(SEED);
    expect(await unexplained(wholeTree(random), readingCalls(random))).toEqual([]);
  });

  it('leaves out only what ignore files name', async () => {
    expect(await unexplained(ignoringTree, ignoringCalls())).toEqual([]);
  });

  it('writes, edits and moves alike, and leaves the same disk', async () => {
    expect(await unexplained(smallTree(randomNumbers(SEED)), changingCalls())).toEqual([]);
  });

  it('describes its tools in fewer characters, without output schemas', async () => {
    proves('standard.tokens', 'standard.no-output-schema');
    const list = await ours.tools();
    expect(list.length).toBeLessThan((await official.tools()).length);
    expect(list).not.toContain('outputSchema');
  });

  it('was called often enough, and for every tool of the official server', () => {
    expect(count).toBeGreaterThanOrEqual(300);
    expect(called.size).toBe(14);
  });

  it('differs in every way that the list names, unless another test shows that', () => {
    proves('standard.drop-in.differences');
    expect(
      differences
        .filter(({ elsewhere }) => !elsewhere)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(Object.keys(allowed).sort());
    expect([...used].filter((id) => id !== '').sort()).toEqual(Object.keys(allowed).sort());
  });
});
