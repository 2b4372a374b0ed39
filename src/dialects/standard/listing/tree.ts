/** Directory trees as JSON: as many whole levels as fit. */
import { join } from 'node:path';
import { ITEMS_PER_CHECK, sortedInTurns, Yielder } from '../../../engine/index.ts';
import type { ToolContext } from '../../dialect.ts';
import { nextCall, noteFits } from '../../results/next-call.ts';
import { type Budget, budgetOf } from '../../results/token-budget.ts';
import { excludeGlobs } from './patterns.ts';

/** Room for `{ "more": 20000 }` as an entry of its own. */
const MORE_BYTES = 40;
/** The length of the shortest entry. */
const LEAST_NODE_BYTES = '{"name": "","type": "file"},'.length;

export interface TreeArguments {
  path: string;
  excludePatterns: readonly string[];
  depth?: number;
  includeIgnored?: boolean;
}

export interface Node {
  name: string;
  type: 'file' | 'directory';
  children?: Node[];
  /** How many entries of this directory are left out. */
  more?: number;
}

export interface Tree {
  nodes: Node[];
  /** The tree is empty because ignore files name everything in it. */
  isIgnored: boolean;
}

export async function treeOf(path: string, args: TreeArguments, context: ToolContext): Promise<Tree> {
  const { engine, signal } = context;
  const { depth, includeIgnored = false } = args;
  const exclude = exclusions(args.excludePatterns);
  // One more level shows how many entries the last directories have.
  const query = { exclude, maxDepth: depth === undefined ? undefined : depth + 1 };
  const { entries } = await engine.search.walk(path, { ...query, ignoreFiles: !includeIgnored }, { signal });
  const yielder = new Yielder(signal);
  const nodes: Node[] = [];
  const directories = new Map<string, Node[]>([['', nodes]]);
  for (const [index, { path: below, type }] of entries.entries()) {
    if (index % ITEMS_PER_CHECK === 0) await yielder.pause();
    const slash = below.lastIndexOf('/');
    const node: Node = { name: below.slice(slash + 1), type: type === 'directory' ? 'directory' : 'file' };
    if (type === 'directory') {
      node.children = [];
      directories.set(below, node.children);
    }
    directories.get(below.slice(0, Math.max(0, slash)))?.push(node);
  }
  for (const list of directories.values()) {
    if (yielder.isDue) await yielder.pause();
    await sortByName(list, yielder);
  }
  const isEmpty = nodes.length === 0 && !includeIgnored;
  const isIgnored =
    isEmpty && (await engine.search.walk(path, { ...query, max: 1 }, { signal })).entries.length > 0;
  return { nodes, isIgnored };
}

async function sortByName(nodes: Node[], yielder: Yielder): Promise<void> {
  const byName = (a: Node, b: Node) => (a.name < b.name ? -1 : 1);
  if (nodes.length <= ITEMS_PER_CHECK) nodes.sort(byName);
  else
    for (const [index, node] of (await sortedInTurns(nodes, yielder, byName)).entries()) nodes[index] = node;
}

/** Reads exclude patterns as the official server does: one without a star matches at any depth. */
function exclusions(patterns: readonly string[]): string[] {
  return excludeGlobs(patterns).flatMap((pattern) =>
    pattern.includes('*') ? [pattern] : [pattern, `**/${pattern}`, `**/${pattern}/**`],
  );
}

/** The upper levels of a tree, down to `depth`. */
interface Levels {
  depth: number;
  nodes: Node[];
  json: string;
  /** Nothing is left out. */
  isWhole: boolean;
}

/** How many more nodes there is room for, and whether some were left out. */
interface NodeBudget {
  nodes: number;
  isCut: boolean;
}

/** The nodes down to `depth`; undefined when there is no room for all of them. */
function toDepth(nodes: readonly Node[], depth: number, room: NodeBudget): Node[] | undefined {
  const shown: Node[] = [];
  for (const { name, type, children } of nodes) {
    if (--room.nodes < 0) return undefined;
    if (children === undefined) shown.push({ name, type });
    else if (depth <= 1 && children.length > 0) {
      room.isCut = true;
      shown.push({ name, type, children: [], more: children.length });
    } else {
      const below = toDepth(children, depth - 1, room);
      if (below === undefined) return undefined;
      shown.push({ name, type, children: below });
    }
  }
  return shown;
}

function levelsOf(nodes: readonly Node[], depth: number, bytes: number): Levels | undefined {
  const room = { nodes: bytes / LEAST_NODE_BYTES, isCut: false };
  const shown = toDepth(nodes, depth, room);
  if (shown === undefined) return undefined;
  const json = jsonOf(shown);
  return Buffer.byteLength(json) > bytes ? undefined : { depth, nodes: shown, json, isWhole: !room.isCut };
}

/** As many levels as fit, up to `most`. A search by halves works because more levels never take less room. */
function deepestThatFit(nodes: readonly Node[], most: number, bytes: number): Levels | undefined {
  let best = levelsOf(nodes, 1, bytes);
  let tooDeep: number | undefined;
  while (best && !best.isWhole) {
    const depth: number = tooDeep ? (best.depth + tooDeep) >> 1 : Math.min(2 * best.depth, most);
    if (depth === best.depth) break;
    const deeper = levelsOf(nodes, depth, bytes);
    if (deeper) best = deeper;
    else tooDeep = depth;
  }
  return best;
}

/** The deepest tree that fits, or the first entries if not even the first level does. */
export function treeText(
  { nodes, isIgnored }: Tree,
  args: TreeArguments,
  budget: Budget,
): { json: string; note: string[] } {
  const bytes = budgetOf(budget, args);
  if (isIgnored) {
    const note = '[everything here is named by .gitignore; includeIgnored: true shows it]';
    return { json: jsonOf(nodes), note: [note] };
  }
  const levels = deepestThatFit(nodes, args.depth ?? Number.POSITIVE_INFINITY, bytes);
  if (!levels) return firstEntries(nodes, args, budget);
  if (levels.isWhole || levels.depth === args.depth) return { json: levels.json, note: [] };
  return { json: levels.json, note: [noteOf(cutDirectories(levels.nodes, args.path), args, budget)] };
}

/** As many entries as fit, which may be none. */
function firstEntries(nodes: readonly Node[], args: TreeArguments, budget: Budget) {
  const shown: (Node | { more: number })[] = [];
  let left = budgetOf(budget, args) - Buffer.byteLength(jsonOf([])) - MORE_BYTES;
  for (const node of nodes) {
    const [entry] = toDepth([node], 1, { nodes: 1, isCut: false })!;
    left -= Buffer.byteLength(jsonOf([entry!]));
    if (left < 0) break;
    shown.push(entry!);
  }
  const end = shown.length;
  const next = nextCall('list_directory', { path: args.path }, { offset: end }, budget);
  return {
    json: JSON.stringify([...shown, { more: nodes.length - end }], null, 2),
    note: [`[${nodes.length - end} of ${nodes.length} entries left out; ${next}]`],
  };
}

function jsonOf(nodes: readonly Node[]): string {
  return JSON.stringify(nodes, null, 2);
}

/** The directories whose entries are left out. */
function cutDirectories(nodes: readonly Node[], path: string): string[] {
  return nodes.flatMap(({ name, children = [], more }) =>
    more === undefined ? cutDirectories(children, join(path, name)) : [join(path, name)],
  );
}

const MOST_NAMED = 5;
const SHORTER = 'next: directory_tree with the path of one of them';

function noteOf(directories: readonly string[], { path: _, ...rest }: TreeArguments, budget: Budget): string {
  const all = directories
    .slice(0, MOST_NAMED)
    .map((path) => nextCall('directory_tree', { ...rest, path }, {}, budget));
  const calls = all.filter((_, index) => noteFits(all.slice(0, index + 1).join('; '), budget));
  if (calls.length === 0) calls.push(SHORTER);
  const left = directories.length - calls.length;
  const more = left > 0 ? ` and ${left} more` : '';
  return `["more" counts what is left out in ${directories.length} directories; ${calls.join('; ')}${more}]`;
}
