/** Lists what is in a directory. */
import type { Dir, Entry } from '../confine/directory/dir.ts';
import { attempt, attemptAsync } from '../confine/errno.ts';
import type { Place } from '../confine/place.ts';
import { type Cursor, openCursor, scanRootOf } from '../confine/scan/cursor.ts';
import type { Listing } from '../confine/scan/listing.ts';
import { rawOf, textOf } from '../confine/scan/raw-names.ts';
import type { Wall } from '../confine/wall.ts';
import { WithheldBelow } from '../confine/withheld/withheld-below.ts';
import { mapInTurns, sortedInTurns, Yielder } from '../event-loop.ts';
import { EngineFailure, fail } from '../failures.ts';

export interface ListedEntry extends Entry {
  /** What a link leads to; `outside` also if that is missing or unknown. For other entries, the same as `type`. */
  target: 'file' | 'directory' | 'special' | 'outside';
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
      const found = await sortedByName(await requireListing(cursor, dir, place.shown, yielder), yielder);
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

/** Leaves out the entries below a place that the owner withholds; undefined if the owner withholds nothing. */
export function servedBelow({ withheld, path }: Place, cursor: Cursor): WithheldBelow | undefined {
  return withheld && new WithheldBelow({ withheld, path: rawOf(path) }, cursor);
}

export function openDirectory(place: Place): Dir {
  const stat = place.mustExist('directory');
  if (stat.type !== 'directory') fail({ kind: 'not-a-directory', path: place.shown });
  return place.enter();
}

/** Lists the requested directory itself. If that fails, listing it another way tells why. */
export async function requireListing(
  cursor: Cursor,
  dir: Dir,
  shown: string,
  yielder: Yielder,
): Promise<Listing> {
  const listing = await cursor.listInTurns(() => yielder.pause());
  if (typeof listing !== 'string') return listing;
  attempt(shown, 'list', () => dir.entries());
  return fail({ kind: 'unstable', path: shown });
}

/** Sorts by raw names, and so by bytes. */
export async function sortedByName(listing: Listing, yielder: Yielder): Promise<Listing> {
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

export function targetOf(wall: Wall, directory: string, entry: Entry): ListedEntry['target'] {
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
