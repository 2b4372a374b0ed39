/** Writes the lines of a listing: one entry each, and what is in a directory right after it. */
import { ITEMS_PER_CHECK, type ListedEntry, mapInTurns, type TreeNode, Yielder } from '../../engine/index.ts';
import { onOneLine } from '../results/one-line.ts';

export function entryLines(entries: readonly ListedEntry[], signal?: AbortSignal): Promise<string[]> {
  const line = ({ name, target }: ListedEntry) => entryLine(target === 'directory', name);
  return mapInTurns(entries, new Yielder(signal), line);
}

export async function treeLines(tree: TreeNode, signal?: AbortSignal): Promise<string[]> {
  const lines: string[] = [];
  await addBelow(tree, '', lines, new Yielder(signal));
  return lines;
}

async function addBelow(
  { children = [] }: TreeNode,
  prefix: string,
  lines: string[],
  yielder: Yielder,
): Promise<void> {
  for (const [index, node] of children.entries()) {
    if (index % ITEMS_PER_CHECK === 0) await yielder.pause();
    const path = prefix + node.name;
    lines.push(entryLine(node.type === 'directory', path));
    if (node.children) await addBelow(node, `${path}/`, lines, yielder);
  }
}

function entryLine(isDirectory: boolean, path: string): string {
  return `${isDirectory ? 'directory' : 'file'}: ${onOneLine(path)}`;
}
