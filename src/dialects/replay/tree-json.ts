/** A directory tree as JSON text. */
import { ITEMS_PER_CHECK, type TreeNode, Yielder } from '../../engine/index.ts';
import { textFits } from '../result-size.ts';

/** As `JSON.stringify` would, but other calls run while a large tree is written. */
export async function treeAsJson(tree: TreeNode, signal: AbortSignal): Promise<string> {
  const parts: string[] = [];
  await writeNode(tree, parts, new Yielder(signal));
  return parts.join('');
}

/** How to ask for less of a tree that does not fit: names the greatest depth that does. */
export function depthThatFits(tree: TreeNode): string {
  let depth = 0;
  while (textFits(JSON.stringify(toDepth(tree, depth + 1)))) depth++;
  return depth === 0
    ? 'Ask for a directory inside, or find its entries by name with glob_search'
    : `Ask with depth: ${depth}, or for a directory inside`;
}

async function writeNode(node: TreeNode, parts: string[], yielder: Yielder): Promise<void> {
  const { children, ...rest } = node;
  if (children === undefined) {
    parts.push(JSON.stringify(rest));
    return;
  }
  parts.push(JSON.stringify(rest).slice(0, -1), ',"children":[');
  for (const [index, child] of children.entries()) {
    if (index % ITEMS_PER_CHECK === 0) await yielder.pause();
    if (index > 0) parts.push(',');
    if (child.children === undefined) parts.push(JSON.stringify(child));
    else await writeNode(child, parts, yielder);
  }
  parts.push(']}');
}

function toDepth({ name, type, children }: TreeNode, depth: number): TreeNode {
  if (children === undefined || depth === 0) return { name, type };
  return { name, type, children: children.map((child) => toDepth(child, depth - 1)) };
}
