/** Writes a directory tree as JSON text. */
import {
  ITEMS_PER_CHECK,
  inTurns,
  joinedInTurns,
  type Steps,
  type TreeNode,
  Yielder,
} from '../../engine/index.ts';
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
  await inTurns(writeNode(tree, parts), yielder);
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

function* writeNode({ name, type, children }: TreeNode, parts: string[]): Steps<void> {
  const start = `{"name":${JSON.stringify(name)},"type":"${type}"`;
  if (children === undefined) {
    parts.push(start, '}');
    return;
  }
  parts.push(start, ',"children":[');
  for (let from = 0; from < children.length; ) {
    if (from > 0) parts.push(',');
    const end = endOfRun(children, from);
    if (end === from) yield* writeNode(children[from]!, parts);
    else parts.push(runAsJson(children, from, end));
    from = Math.max(end, from + 1);
    yield;
  }
  parts.push(']}');
}

/** One call of `JSON.stringify` writes a run, in a third of the time of many calls. */
const LONGEST_RUN = ITEMS_PER_CHECK;
/** Looking up a shorter run takes as long as writing it. */
const SHORTEST_REMEMBERED_RUN = 8;

/** Finds the end of the run of nodes without children that begins at `from`. */
function endOfRun(nodes: readonly TreeNode[], from: number): number {
  const most = Math.min(nodes.length, from + LONGEST_RUN);
  let end = from;
  while (end < most && nodes[end]!.children === undefined) end++;
  return end;
}

/**
 * The JSON of runs, by their first node. As long as a directory does not change, every tree has the same nodes for its
 * files.
 */
const written = new WeakMap<TreeNode, { nodes: readonly TreeNode[]; json: string }>();

function runAsJson(nodes: readonly TreeNode[], from: number, end: number): string {
  const known = written.get(nodes[from]!);
  if (
    known?.nodes.length === end - from &&
    known.nodes.every((node, index) => node === nodes[from + index])
  ) {
    return known.json;
  }
  const run = nodes.slice(from, end);
  const json = JSON.stringify(run).slice(1, -1);
  if (run.length >= SHORTEST_REMEMBERED_RUN) written.set(run[0]!, { nodes: run, json });
  return json;
}
