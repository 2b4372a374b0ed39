/** Writes a directory tree as JSON text. */
import { ITEMS_PER_CHECK, joinedInTurns, type TreeNode, Yielder } from '../../engine/index.ts';
import { jsonTextBytes } from '../../json/json-size.ts';
import { MAX_TEXT_BYTES } from '../results/result-size.ts';

/** What a string takes in JSON in addition to its characters. */
const QUOTES = 2;
/** What surrounds the entries of a directory, in JSON that is itself a string in JSON. */
const BRACKETS = ',\\"children\\":[]'.length;

/** Writes what `JSON.stringify` would, but lets other calls run while it writes a large tree. */
export async function treeAsJson(tree: TreeNode, signal: AbortSignal): Promise<string> {
  const parts: string[] = [];
  const yielder = new Yielder(signal);
  await writeNode(tree, parts, yielder);
  return joinedInTurns(parts, '', yielder);
}

/** Says how to ask for less of a tree that does not fit: with the greatest depth that does. */
export async function depthThatFits(tree: TreeNode): Promise<string> {
  const depth = Math.max(0, await deepestThatFits(tree));
  return depth === 0
    ? 'Ask for a directory inside, or find its entries by name with glob_search'
    : `Ask with depth: ${depth}, or for a directory inside`;
}

/** Adds up what each level takes. Writing the tree once for every depth would take too long. */
async function deepestThatFits(tree: TreeNode): Promise<number> {
  const yielder = new Yielder(undefined);
  let bytes = QUOTES;
  let depth = -1;
  for (let level: readonly TreeNode[] = [tree], brackets = 0; level.length > 0; depth++) {
    bytes += brackets;
    brackets = 0;
    const below: TreeNode[] = [];
    for (const [index, { name, type, children }] of level.entries()) {
      if (index % ITEMS_PER_CHECK === 0) await yielder.pause();
      bytes += jsonTextBytes(JSON.stringify({ name, type })) - QUOTES;
      if (!children) continue;
      brackets += BRACKETS + Math.max(0, children.length - 1);
      for (const child of children) below.push(child);
    }
    if (bytes > MAX_TEXT_BYTES) break;
    level = below;
  }
  return depth;
}

/** Writes small entries together: one call of `JSON.stringify` takes a third of the time of many. */
async function writeNode({ children, ...rest }: TreeNode, parts: string[], yielder: Yielder): Promise<void> {
  if (children === undefined) {
    parts.push(JSON.stringify(rest));
    return;
  }
  let small: TreeNode[] = [];
  let nodes = 0;
  let separator = `${JSON.stringify(rest).slice(0, -1)},"children":[`;
  const write = (text: string) => {
    parts.push(separator, text);
    separator = ',';
  };
  const writeSmall = () => {
    if (small.length > 0) write(JSON.stringify(small).slice(1, -1));
    small = [];
    nodes = 0;
  };
  for (const child of children) {
    const more = nodesIn(child, ITEMS_PER_CHECK);
    if (nodes + more > ITEMS_PER_CHECK) {
      writeSmall();
      if (yielder.isDue) await yielder.pause();
    }
    if (more < ITEMS_PER_CHECK) {
      small.push(child);
      nodes += more;
      continue;
    }
    write('');
    await writeNode(child, parts, yielder);
  }
  writeSmall();
  if (separator !== ',') write('');
  parts.push(']}');
}

/** Counts this node and the nodes below it, up to `most`. */
function nodesIn({ children = [] }: TreeNode, most: number): number {
  let nodes = 1;
  for (const child of children) {
    if (nodes >= most) return most;
    nodes += child.children === undefined ? 1 : nodesIn(child, most - nodes);
  }
  return nodes;
}
