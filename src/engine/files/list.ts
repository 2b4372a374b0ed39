/** Lists what is in a directory, and the tree below it. */
import type { Dir, Entry } from '../confine/directory/dir.ts';
import { attempt, attemptAsync } from '../confine/errno.ts';
import type { Place } from '../confine/place.ts';
import { type Cursor, openCursor, scanRootOf } from '../confine/scan/cursor.ts';
import type { Listing } from '../confine/scan/listing.ts';
import { ListingCache } from '../confine/scan/listing-cache.ts';
import { rawOf, textOf } from '../confine/scan/raw-names.ts';
import type { Wall } from '../confine/wall.ts';
import { WithheldBelow } from '../confine/withheld/withheld-below.ts';
import { ITEMS_PER_CHECK, mapInTurns, sortedInTurns, Yielder } from '../event-loop.ts';
import { EngineFailure, fail } from '../failures.ts';
import { limits } from '../limits.ts';

export interface ListedEntry extends Entry {
  /** What a link leads to; `outside` also if that is missing or unknown. For other entries, the same as `type`. */
  target: 'file' | 'directory' | 'special' | 'outside';
}

export interface TreeNode {
  name: string;
  type: 'file' | 'directory';
  /** Absent for files, and for directories whose content was not requested. */
  children?: TreeNode[];
}

export async function listEntries(
  wall: Wall,
  place: Place,
  signal: AbortSignal | undefined,
): Promise<ListedEntry[]> {
  const dir = openDirectory(place);
  const yielder = new Yielder(signal);
  let cursor: Cursor | undefined;
  try {
    const { names, types } = await attemptAsync(place.shown, 'list', async () => {
      cursor = openCursor(scanRootOf(dir));
      const found = await requireListing(cursor, dir, place.shown, yielder);
      const served = await servedBelow(place, cursor)?.serveInTurns('', found, () => yielder.pause());
      return served?.listing ?? found;
    });
    return await mapInTurns(names, yielder, (raw, index) => {
      const entry = { name: textOf(raw), type: types[index]! };
      return { ...entry, target: targetOf(wall, place.path, entry) };
    });
  } finally {
    cursor?.close();
    dir.close();
  }
}

/** Clients request trees again and again, and most directories have not changed in between. */
const remembered = new ListingCache();

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
  const cursor = openCursor(scanRootOf(dir), remembered);
  const yielder = new Yielder(signal);
  const served = servedBelow(place, cursor);
  const name = place.path.slice(place.path.lastIndexOf('/') + 1) || '/';
  try {
    if (depth > 0) await requireListing(cursor, dir, place.shown, yielder);
    return await subtree('', place.path, name, 0);
  } finally {
    cursor.close();
  }

  /** `below` is the path relative to the place, in raw names; `path` is the whole path. */
  async function subtree(below: string, path: string, label: string, level: number): Promise<TreeNode> {
    if (level >= depth) return { name: label, type: 'directory' };
    if (level >= limits.treeDepth) fail({ kind: 'bad-path', path: place.shown, why: 'too-deep' });
    if (yielder.isDue) await yielder.pause();
    if (cursor.goTo(below)) return { name: label, type: 'directory' };
    const children: TreeNode[] = [];
    const found = await readable(cursor, yielder);
    const { listing, denied } = (await served?.serveInTurns(below, found, () => yielder.pause())) ?? {
      listing: found,
    };
    const { names, types } = listing;
    for (let index = 0; index < names.length; index++) {
      if (index % ITEMS_PER_CHECK === 0 && yielder.isDue) await yielder.pause();
      const raw = names[index]!;
      const name = textOf(raw);
      const type = types[index]!;
      if (type === 'directory' && denied?.has(raw)) {
        children.push({ name, type });
        continue;
      }
      if (type === 'directory') {
        children.push(await subtree(joined(below, raw), `${path}/${name}`, name, level + 1));
        continue;
      }
      const leads = type === 'symlink' && targetOf(wall, path, { name, type }) === 'directory';
      children.push({ name, type: leads ? 'directory' : 'file' });
    }
    return { name: label, type: 'directory', children };
  }
}

/** Leaves out the entries below a place that the owner withholds; undefined if the owner withholds nothing. */
function servedBelow({ withheld, path }: Place, cursor: Cursor): WithheldBelow | undefined {
  return withheld && new WithheldBelow({ withheld, path: rawOf(path) }, cursor);
}

export function openDirectory(place: Place): Dir {
  const stat = place.mustExist('directory');
  if (stat.type !== 'directory') fail({ kind: 'not-a-directory', path: place.shown });
  return place.enter();
}

/** Lists the requested directory itself. If that fails, listing it another way tells why. */
async function requireListing(cursor: Cursor, dir: Dir, shown: string, yielder: Yielder): Promise<Listing> {
  const listing = await cursor.listInTurns(() => yielder.pause());
  if (typeof listing !== 'string') return sortedListing(listing, yielder);
  attempt(shown, 'list', () => dir.entries());
  return fail({ kind: 'unstable', path: shown });
}

/** Shows a directory inside a tree as empty if it may not be listed, instead of failing. */
async function readable(cursor: Cursor, yielder: Yielder): Promise<Listing> {
  const listing = await cursor.listInTurns(() => yielder.pause());
  return typeof listing === 'string' ? { names: [], types: [] } : sortedListing(listing, yielder);
}

/** Listings are cached, so each one is sorted only once. */
const ordered = new WeakMap<Listing, Listing>();

/** Sorts by raw names, and so by bytes. */
function sortedListing(listing: Listing, yielder: Yielder): Listing | Promise<Listing> {
  return ordered.get(listing) ?? sortAndCache(listing, yielder);
}

async function sortAndCache(listing: Listing, yielder: Yielder): Promise<Listing> {
  const sorted = await sortedByName(listing, yielder);
  ordered.set(listing, sorted);
  return sorted;
}

async function sortedByName(listing: Listing, yielder: Yielder): Promise<Listing> {
  const { names, types } = listing;
  const isBehind = (name: string, index: number) => index > 0 && names[index - 1]! >= name;
  if (!names.some(isBehind)) return listing;
  const places = await mapInTurns(names, yielder, (_, index) => index);
  const order = await sortedInTurns(places, yielder, (a, b) => (names[a]! < names[b]! ? -1 : 1));
  return {
    names: await mapInTurns(order, yielder, (index) => names[index]!),
    types: await mapInTurns(order, yielder, (index) => types[index]!),
  };
}

function joined(below: string, raw: string): string {
  return below === '' ? raw : `${below}/${raw}`;
}

function targetOf(wall: Wall, directory: string, entry: Entry): ListedEntry['target'] {
  if (entry.type !== 'symlink') return entry.type;
  try {
    return wall.at(entry.name, { base: directory }, (place) => {
      const type = place.lstat()?.type;
      return type === undefined || type === 'symlink' ? 'outside' : type;
    });
  } catch (error) {
    if (error instanceof EngineFailure && error.facts.kind !== 'io') return 'outside';
    throw error;
  }
}
