/** The directory tree of get_repo_overview: the upper levels first, as many entries as fit into one result. */
import { sortedInTurns, Yielder } from '../../../engine/index.ts';
import { itemsThatFit } from '../json-result.ts';
import { directoriesFirst, type RepoEntry } from './entries.ts';

/** With more nodes the tree would be no overview. */
const MAX_NODES = 5_000;
/** The most that a node takes in addition to its name and type. */
const PUNCTUATION = '{"name":,"type":,"size":9007199254740991,"children":[]}';

interface DirectoryNode {
  name: string;
  type: 'file' | 'directory';
  size?: number;
  /** Missing for a directory whose content was not listed. */
  children?: DirectoryNode[];
}

/** Sorts parents before what is in them, and the directories of each directory before its files. */
export async function upperLevelsFirst(
  entries: readonly RepoEntry[],
  signal: AbortSignal,
): Promise<RepoEntry[]> {
  const sorted = await directoriesFirst(entries, signal);
  return sortedInTurns(sorted, new Yielder(signal), (a, b) => depthOf(a) - depthOf(b));
}

/** `unlisted`: directories that could not be read. In a truncated tree, no directory may look empty. */
export async function overviewTree(
  name: string,
  entries: readonly RepoEntry[],
  maxDepth: number,
  unlisted: ReadonlySet<string>,
): Promise<{ structure: DirectoryNode; truncated: boolean }> {
  const shown = await entriesThatFit(entries);
  const truncated = shown.length < entries.length;
  const structure: DirectoryNode = { name, type: 'directory', children: [] };
  const listed = new Map([['', structure]]);
  for (const entry of shown) {
    const { path, type, linked } = entry;
    const slash = path.lastIndexOf('/');
    const parent = listed.get(path.slice(0, Math.max(0, slash)));
    if (parent === undefined) continue;
    const node = nodeOf(path.slice(slash + 1), entry);
    parent.children ??= [];
    parent.children.push(node);
    if (type === 'file' || linked || depthOf(entry) === maxDepth || unlisted.has(path)) continue;
    if (!truncated) node.children = [];
    listed.set(path, node);
  }
  return { structure, truncated };
}

async function entriesThatFit(entries: readonly RepoEntry[]): Promise<readonly RepoEntry[]> {
  const measured = entries.slice(0, MAX_NODES).map(({ path, type }) => [path, type, PUNCTUATION]);
  return entries.slice(0, (await itemsThatFit(measured)).length);
}

function nodeOf(name: string, { type, size }: RepoEntry): DirectoryNode {
  return { name, type, ...(size === undefined ? {} : { size }) };
}

function depthOf({ path }: RepoEntry): number {
  let depth = 1;
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) depth++;
  return depth;
}
