/**
 * Everything below a directory, as a tree.
 *
 * Clients ask for the same tree again and again, and most of its directories have not changed. The listing of such a
 * directory is remembered, and the nodes of its entries with it.
 */
import type { Dir } from '../confine/directory/dir.ts';
import { attemptAsync } from '../confine/errno.ts';
import type { Place } from '../confine/place.ts';
import { childPath } from '../confine/scan/child-path.ts';
import { type Cursor, openCursor, scanRootOf } from '../confine/scan/cursor.ts';
import type { Listing } from '../confine/scan/listing.ts';
import { ListingCache } from '../confine/scan/listing-cache.ts';
import { textOf } from '../confine/scan/raw-names.ts';
import type { Wall } from '../confine/wall.ts';
import type { WithheldBelow } from '../confine/withheld/withheld-below.ts';
import { ITEMS_PER_CHECK, Yielder } from '../event-loop.ts';
import { fail } from '../failures.ts';
import { limits } from '../limits.ts';
import { openDirectory, requireListing, servedBelow, sortedByName, targetOf } from './list.ts';

export interface TreeNode {
  readonly name: string;
  readonly type: 'file' | 'directory';
  /** Absent for files, and for directories whose content was not asked for. */
  readonly children?: readonly TreeNode[];
}

/** A directory of the tree whose children are not known yet. */
interface Unlisted {
  node: { children?: readonly TreeNode[] };
  /** The path from the start of the tree, in raw names. */
  below: string;
  level: number;
}

/** The nodes of a listing, sorted by name. */
interface Entries {
  /** Shared by all trees, so directories have no `children` yet and links count as files. */
  nodes: readonly TreeNode[];
  /** The directories and links in `nodes`, which each tree may replace with nodes of its own. */
  directories: readonly { index: number; raw: string }[];
  links: readonly number[];
}

const remembered = new ListingCache();
/** The cache returns the same `Listing` object while a directory is unchanged, so it can be the key. */
const entriesOf = new WeakMap<Listing, Entries>();

export async function buildTree(
  wall: Wall,
  place: Place,
  depth: number,
  signal: AbortSignal | undefined,
): Promise<TreeNode> {
  const dir = openDirectory(place);
  try {
    return await attemptAsync(place.shown, 'list', () => treeOf(wall, place, dir, depth, signal));
  } finally {
    dir.close();
  }
}

async function treeOf(
  wall: Wall,
  place: Place,
  dir: Dir,
  depth: number,
  signal: AbortSignal | undefined,
): Promise<TreeNode> {
  const root: TreeNode = {
    name: place.path.slice(place.path.lastIndexOf('/') + 1) || '/',
    type: 'directory',
  };
  if (depth === 0) return root;
  const cursor = openCursor(scanRootOf(dir), remembered);
  const yielder = new Yielder(signal);
  const served = servedBelow(place, cursor);
  const unlisted: Unlisted[] = [{ node: root, below: '', level: 0 }];
  try {
    await requireListing(cursor, dir, place.shown, yielder);
    for (let next = unlisted.pop(); next; next = unlisted.pop()) {
      const { node, below, level } = next;
      if (level >= limits.treeDepth) fail({ kind: 'bad-path', path: place.shown, why: 'too-deep' });
      if (yielder.isDue) await yielder.pause();
      if (cursor.goTo(below)) continue;
      const found = entriesHere(cursor, served, below, yielder);
      const here = found instanceof Promise ? await found : found;
      const { nodes, directories, links } = here.entries;
      node.children = nodes;
      if (directories.length === 0 && links.length === 0) continue;
      const children = nodes.slice();
      node.children = children;
      if (level + 1 < depth) addUnlisted(unlisted, children, here, next);
      if (links.length > 0) {
        const directory = below === '' ? place.path : childPath(place.path, textOf(below));
        await resolveLinks(wall, directory, children, links, yielder);
      }
    }
    return root;
  } finally {
    cursor.close();
  }
}

/** Gives the directories in `parent` nodes of their own, whose children are listed later. */
function addUnlisted(
  unlisted: Unlisted[],
  children: TreeNode[],
  { entries, denied }: ServedEntries,
  parent: Unlisted,
): void {
  const { directories } = entries;
  const level = parent.level + 1;
  // Push the last directory first, so that the loop pops the first one next: it is right below the cursor.
  for (let i = directories.length - 1; i >= 0; i--) {
    const { index, raw } = directories[i]!;
    if (denied?.has(raw)) continue;
    const node: TreeNode = { name: children[index]!.name, type: 'directory' };
    children[index] = node;
    unlisted.push({ node, below: childPath(parent.below, raw), level });
  }
}

/** Shows the links that lead to directories as directories, which are not entered. */
async function resolveLinks(
  wall: Wall,
  directory: string,
  children: TreeNode[],
  links: readonly number[],
  yielder: Yielder,
): Promise<void> {
  for (const index of links) {
    if (yielder.isDue) await yielder.pause();
    const { name } = children[index]!;
    const leadsTo = targetOf(wall, directory, { name, type: 'symlink' });
    if (leadsTo === 'directory') children[index] = { name, type: 'directory' };
  }
}

interface ServedEntries {
  entries: Entries;
  denied?: ReadonlySet<string>;
}

const NO_ENTRIES: Entries = { nodes: [], directories: [], links: [] };

/** The entries of the directory that the cursor is in; without a promise if they are remembered. */
function entriesHere(
  cursor: Cursor,
  served: WithheldBelow | undefined,
  below: string,
  yielder: Yielder,
): ServedEntries | Promise<ServedEntries> {
  const listing = cursor.listInTurns(() => yielder.pause());
  if (!(listing instanceof Promise) && typeof listing !== 'string' && !served) {
    const entries = entriesOf.get(listing);
    if (entries) return { entries };
  }
  return listedEntries();

  async function listedEntries(): Promise<ServedEntries> {
    const found = await listing;
    // A directory that may not be listed is shown as empty; the call does not fail.
    if (typeof found === 'string') return { entries: NO_ENTRIES };
    const { listing: shown, denied } = (await served?.serveInTurns(below, found, () => yielder.pause())) ?? {
      listing: found,
      denied: undefined,
    };
    const entries = entriesOf.get(shown) ?? (await makeEntries(shown, yielder));
    return denied ? { entries, denied } : { entries };
  }
}

async function makeEntries(listing: Listing, yielder: Yielder): Promise<Entries> {
  const { names, types } = await sortedByName(listing, yielder);
  const nodes: TreeNode[] = [];
  const directories: { index: number; raw: string }[] = [];
  const links: number[] = [];
  for (let index = 0; index < names.length; index++) {
    if (index % ITEMS_PER_CHECK === 0 && yielder.isDue) await yielder.pause();
    const raw = names[index]!;
    const type = types[index]!;
    nodes.push({ name: textOf(raw), type: type === 'directory' ? type : 'file' });
    if (type === 'directory') directories.push({ index, raw });
    else if (type === 'symlink') links.push(index);
  }
  const entries = { nodes, directories, links };
  entriesOf.set(listing, entries);
  return entries;
}
