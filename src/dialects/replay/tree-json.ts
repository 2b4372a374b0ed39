/** A directory tree as JSON text. */
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

/** What a text takes in JSON besides its characters. */
const QUOTES = 2;
/** What is around the entries of a directory, where the JSON is a text in JSON itself. */
const BRACKETS = ',\\"children\\":[]'.length;

/** As `JSON.stringify` would, but other calls run while a large tree is written. */
export async function treeAsJson(tree: TreeNode, signal: AbortSignal): Promise<string> {
  const parts: string[] = [];
  const yielder = new Yielder(signal);
  await inTurns(writeNode(tree, parts), yielder);
  return joinedInTurns(parts, '', yielder);
}

/** How to ask for less of a tree that does not fit: names the greatest depth that does. */
export async function depthThatFits(tree: TreeNode): Promise<string> {
  const depth = Math.max(0, await deepestThatFits(tree));
  return depth === 0
    ? 'Ask for a directory inside, or find its entries by name with glob_search'
    : `Ask with depth: ${depth}, or for a directory inside`;
}

/** Adds up what each level takes: to write the tree once for every depth would take too long. */
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

/** A run is written by one call of `JSON.stringify`, which takes a third of the time of many. */
const LONGEST_RUN = ITEMS_PER_CHECK;
/** To look for shorter runs takes as long as to write them. */
const SHORTEST_REMEMBERED_RUN = 8;

/** Where the run of nodes without children ends that begins at `from`. */
function endOfRun(nodes: readonly TreeNode[], from: number): number {
  const most = Math.min(nodes.length, from + LONGEST_RUN);
  let end = from;
  while (end < most && nodes[end]!.children === undefined) end++;
  return end;
}

/** Runs by their first node: as long as a directory does not change, all trees have the same nodes of its files. */
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
