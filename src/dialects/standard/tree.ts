/** Directory trees as JSON: whole levels, as many of them as fit. */
import { join } from 'node:path';
import { nextCall, pageOf } from '../budget.ts';
import type { ToolContext } from '../dialect.ts';

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
  /** How many entries of the directory are left out. */
  more?: number;
}

export interface Tree {
  nodes: Node[];
  /** Why there is nothing, when that is because of ignore files. */
  isIgnored: boolean;
}

export async function treeOf(path: string, args: TreeArguments, context: ToolContext): Promise<Tree> {
  const { engine, signal } = context;
  const { depth, includeIgnored = false } = args;
  const exclude = exclusions(args.excludePatterns);
  // One level more tells how many entries the last directories have.
  const query = { exclude, maxDepth: depth === undefined ? undefined : depth + 1 };
  const { entries } = await engine.search.walk(path, { ...query, ignoreFiles: !includeIgnored }, { signal });
  const nodes: Node[] = [];
  const directories = new Map<string, Node[]>([['', nodes]]);
  for (const { path: below, type } of entries) {
    const slash = below.lastIndexOf('/');
    const node: Node = { name: below.slice(slash + 1), type: type === 'directory' ? 'directory' : 'file' };
    if (type === 'directory') {
      node.children = [];
      directories.set(below, node.children);
    }
    directories.get(below.slice(0, Math.max(0, slash)))?.push(node);
  }
  for (const list of directories.values()) list.sort((a, b) => (a.name < b.name ? -1 : 1));
  const isEmpty = nodes.length === 0 && !includeIgnored;
  const isIgnored =
    isEmpty && (await engine.search.walk(path, { ...query, max: 1 }, { signal })).entries.length > 0;
  return { nodes: depth === undefined ? nodes : toDepth(nodes, depth), isIgnored };
}

/** As the official server reads them: one without a star is meant at any depth. */
function exclusions(patterns: readonly string[]): string[] {
  return patterns.flatMap((pattern) =>
    pattern.includes('*') ? [pattern] : [pattern, `**/${pattern}`, `**/${pattern}/**`],
  );
}

function toDepth(nodes: readonly Node[], depth: number): Node[] {
  return nodes.map(({ name, type, children }) => {
    if (children === undefined) return { name, type };
    if (depth <= 1 && children.length > 0) return { name, type, children: [], more: children.length };
    return { name, type, children: toDepth(children, depth - 1) };
  });
}

/** The deepest tree that fits. Where not even the first level does, its first entries. */
export function treeText(
  { nodes, isIgnored }: Tree,
  args: TreeArguments,
  bytes: number,
): { json: string; note: string[] } {
  const whole = jsonOf(nodes);
  if (isIgnored) {
    return { json: whole, note: ['[everything here is named by .gitignore; includeIgnored: true shows it]'] };
  }
  if (Buffer.byteLength(whole) <= bytes) return { json: whole, note: [] };
  for (let depth = deepest(nodes) - 1; depth > 0; depth--) {
    const shallow = toDepth(nodes, depth);
    const json = jsonOf(shallow);
    if (Buffer.byteLength(json) <= bytes)
      return { json, note: [noteOf(cutDirectories(shallow, args.path), args)] };
  }
  const lines = toDepth(nodes, 1).map((node) => JSON.stringify(node, null, 2).replaceAll('\n', '\n  '));
  const { end } = pageOf(lines, 0, bytes - 4 * lines.length);
  const shown = [...toDepth(nodes, 1).slice(0, end), { more: nodes.length - end }];
  const next = nextCall('list_directory', { path: args.path, offset: end });
  return {
    json: JSON.stringify(shown, null, 2),
    note: [`[${nodes.length - end} of ${nodes.length} entries left out; ${next}]`],
  };
}

function jsonOf(nodes: readonly Node[]): string {
  return JSON.stringify(nodes, null, 2);
}

function deepest(nodes: readonly Node[]): number {
  return nodes.reduce((most, { children }) => Math.max(most, 1 + (children ? deepest(children) : 0)), 0);
}

/** The directories whose entries are left out. */
function cutDirectories(nodes: readonly Node[], path: string): string[] {
  return nodes.flatMap(({ name, children = [], more }) =>
    more === undefined ? cutDirectories(children, join(path, name)) : [join(path, name)],
  );
}

const MOST_NAMED = 5;

function noteOf(directories: readonly string[], { path: _, ...rest }: TreeArguments): string {
  const calls = directories.slice(0, MOST_NAMED).map((path) => nextCall('directory_tree', { ...rest, path }));
  const more = directories.length > MOST_NAMED ? ` and ${directories.length - MOST_NAMED} more` : '';
  return `["more" counts what is left out in ${directories.length} directories; ${calls.join('; ')}${more}]`;
}
