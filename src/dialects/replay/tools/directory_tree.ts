import { Breathing, ITEMS_A_LOOK, type TreeNode } from '../../../engine/index.ts';
import { defineTool, hints } from '../../dialect.ts';
import { requireFits, textFits } from '../../result-size.ts';
import { expandHome } from '../paths.ts';

export const directoryTree = defineTool({
  name: 'directory_tree',
  title: 'Directory tree',
  description: 'A directory tree as JSON: {name, type, children[]}.',
  hints: hints.readOnly,
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
  async run({ path, depth }, { engine, signal, home }) {
    const options = { signal, ...(depth === undefined ? {} : { depth }) };
    const tree = await engine.files.tree(expandHome(path, home), options);
    const parts: string[] = [];
    await writeJson(tree, parts, new Breathing(signal));
    return { tree, parts };
  },
  render: ({ tree, parts }, { path }) => requireFits(parts.join(''), () => instead(tree), path),
});

/** As `JSON.stringify` would, in as many turns as a large tree takes. */
async function writeJson(node: TreeNode, parts: string[], breathing: Breathing): Promise<void> {
  const { children, ...rest } = node;
  if (children === undefined) {
    parts.push(JSON.stringify(rest));
    return;
  }
  parts.push(JSON.stringify(rest).slice(0, -1), ',"children":[');
  for (const [index, child] of children.entries()) {
    if (index % ITEMS_A_LOOK === 0) await breathing.pause();
    if (index > 0) parts.push(',');
    if (child.children === undefined) parts.push(JSON.stringify(child));
    else await writeJson(child, parts, breathing);
  }
  parts.push(']}');
}

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
