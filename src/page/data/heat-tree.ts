/** The tree of served files, with the number of reads and writes of each file and directory. */
import type { PageEvent } from '../wire.ts';
import { belowPath, namesBelow, rootOf } from './paths.ts';

export interface HeatNode {
  readonly name: string;
  readonly path: string;
  reads: number;
  writes: number;
  readonly children: Map<string, HeatNode>;
}

const READS: ReadonlySet<string> = new Set(['read', 'listed', 'searched', 'looked-at', 'ran-in']);
const WRITES: ReadonlySet<string> = new Set(['created', 'changed', 'removed', 'moved-from', 'moved-to']);

export class HeatTree {
  readonly roots = new Map<string, HeatNode>();

  add({ roots, paths }: PageEvent): void {
    for (const { path, how } of paths) {
      const reads = READS.has(how) ? 1 : 0;
      const writes = WRITES.has(how) ? 1 : 0;
      if (reads + writes === 0) continue;
      const root = rootOf(roots, path);
      if (root !== undefined) this.#count(root, path, reads, writes);
    }
  }

  clear(): void {
    this.roots.clear();
  }

  #count(root: string, path: string, reads: number, writes: number): void {
    let node = childOf(this.roots, root, root);
    for (const name of ['', ...namesBelow(root, path)]) {
      if (name !== '') node = childOf(node.children, name, `${belowPath(node.path)}${name}`);
      node.reads += reads;
      node.writes += writes;
    }
  }
}

/** Directories first, then by name. */
export function childrenOf(node: HeatNode): HeatNode[] {
  return [...node.children.values()].sort(
    (one, other) =>
      Number(other.children.size > 0) - Number(one.children.size > 0) || (one.name < other.name ? -1 : 1),
  );
}

/** The length of a bar, from 0 to 1, on a logarithmic scale. */
export function heat(value: number, max: number): number {
  if (value <= 0 || max <= 0) return 0;
  return Math.log1p(value) / Math.log1p(max);
}

function childOf(nodes: Map<string, HeatNode>, name: string, path: string): HeatNode {
  const known = nodes.get(name);
  if (known) return known;
  const made: HeatNode = { name, path, reads: 0, writes: 0, children: new Map() };
  nodes.set(name, made);
  return made;
}
