/** A tree is written in parts, which together are what `JSON.stringify` would write. */
import { expect, it } from 'vitest';
import { treeAsJson } from '../../../src/dialects/replay/tree-json.ts';
import type { TreeNode } from '../../../src/engine/index.ts';

const file = (i: number): TreeNode => ({ name: `file "${i}"\n`, type: 'file' });
const directory = (name: string, children: TreeNode[]): TreeNode => ({ name, type: 'directory', children });
const files = (count: number) => Array.from({ length: count }, (_, i) => file(i));

it.each<[what: string, tree: TreeNode]>([
  ['a directory that was not listed', { name: 'a', type: 'directory' }],
  ['an empty directory', directory('a', [])],
  [
    'empty directories in a directory',
    directory('a', [directory('b', []), directory('c', [directory('d', [])])]),
  ],
  ...[1, 1022, 1023, 1024, 1025, 5000].map(
    (n) => [`${n} files`, directory('a', files(n))] as [string, TreeNode],
  ),
  [
    'small and large directories in turn',
    directory('a', [
      file(1),
      directory('b', files(3000)),
      directory('c', files(3)),
      directory('d', [directory('e', files(2000)), file(2), directory('f', files(1023))]),
      directory('g', [{ name: 'deeper', type: 'directory' }]),
      file(3),
    ]),
  ],
])('writes the JSON of %s', async (_, tree) => {
  expect(await treeAsJson(tree, new AbortController().signal)).toBe(JSON.stringify(tree));
});

it('writes what a tree holds now, when it shares only some nodes with an earlier one', async () => {
  const shared = files(30);
  const signal = new AbortController().signal;
  const others = (from: number) => Array.from({ length: 30 }, (_, i) => file(from + i));
  for (const children of [
    shared,
    [...shared.slice(0, 29), file(99)],
    shared.slice(0, 20),
    others(200),
    shared,
  ]) {
    const tree = directory('a', children);
    expect(await treeAsJson(tree, signal)).toBe(JSON.stringify(tree));
  }
});
