import type { TreeNode } from '../../../engine/index.ts';
import { requireFits, textFits } from '../../answer-size.ts';
import { defineTool, hints } from '../../dialect.ts';
import { expandHome } from '../paths.ts';

export const directoryTree = defineTool({
  name: 'directory_tree',
  title: 'Directory tree',
  description: 'A directory tree as JSON: {name, type, children[]}.',
  hints: hints.looks,
  input: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Root directory' },
      depth: {
        type: 'integer',
        minimum: 0,
        description: 'Max recursion depth (omit = unlimited; 0 = root only)',
      },
    },
    required: ['path'],
  },
  run: ({ path, depth }, { engine, signal, home }) =>
    engine.tree(expandHome(path, home), { signal, ...(depth === undefined ? {} : { depth }) }),
  render: (tree, { path }) => requireFits(JSON.stringify(tree), () => instead(tree), path),
});

/** Names the deepest tree that one answer can hold. */
function instead(tree: TreeNode): string {
  let depth = 0;
  while (textFits(JSON.stringify(toDepth(tree, depth + 1)))) depth++;
  return depth === 0
    ? 'Ask for a directory inside, or find its entries by name with glob_search'
    : `Ask with depth: ${depth}, or for a directory inside`;
}

function toDepth({ name, type, children }: TreeNode, depth: number): TreeNode {
  if (children === undefined || depth === 0) return { name, type };
  return { name, type, children: children.map((child) => toDepth(child, depth - 1)) };
}
