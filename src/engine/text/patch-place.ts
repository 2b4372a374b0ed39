/** Finds where in a text the old lines of a hunk stand. */
import type { BlockIndex, KeyedLines } from './block-places.ts';
import type { Hunk } from './patch-hunk.ts';

export { type KeyedLines, placesOf } from './block-places.ts';

/** The text that is patched. Its index is made when it is first asked for: most hunks stand where they state. */
export interface PatchedLines extends KeyedLines {
  index(): BlockIndex;
}

/** What has to be found, and within which lines. All lines count from 0. */
export interface Wanted {
  hunk: Hunk;
  /** The keys of the hunk's old lines: those that it keeps or removes. */
  keys: readonly string[];
  /** Where it should stand. */
  stated: number;
  /** The first line that no earlier hunk has changed. */
  from: number;
}

/** How many lines of context stand before the first change of a hunk, and how many after the last. */
export function contextOf({ lines }: Hunk): { before: number; after: number } {
  const before = lines.findIndex((line) => line.mark !== ' ');
  const after = lines.length - 1 - lines.findLastIndex((line) => line.mark !== ' ');
  return { before, after };
}

/** Whether the hunk leaves a last line without a newline, and so only fits at the end of the text. */
export function endsText({ lines }: Hunk): boolean {
  return lines.findLast((line) => line.mark !== '-')?.newline === false;
}

/** The line at which the hunk applies, or undefined when there is none. */
export function findPlace(wanted: Wanted, text: PatchedLines): number | undefined {
  const { hunk, keys, stated, from } = wanted;
  const last = text.count - keys.length;
  const fits = (place: number): boolean =>
    place >= from && place <= last && (place === last || !endsText(hunk)) && standsAt(keys, text, place);
  if (keys.length === 0) {
    const place = Math.min(stated, last);
    return fits(place) ? place : undefined;
  }
  if (fits(stated)) return stated;
  const anchored = onlyPlace(hunk, last);
  if (anchored !== undefined) return fits(anchored) ? anchored : undefined;
  return nearestPlace(wanted, text, fits);
}

/**
 * A hunk with less context on one side says that the text begins or ends there. Away from its stated line it is
 * only taken at that beginning or end, where both git and GNU patch insist on it: else context would be missing
 * that could have told that this is the wrong place.
 */
function onlyPlace(hunk: Hunk, last: number): number | undefined {
  const { before, after } = contextOf(hunk);
  if (hunk.oldStart <= 1 && (before < after || (before === 0 && endsText(hunk)))) return 0;
  if (endsText(hunk)) return last;
  if (before > after && (after === 0 || hunk.oldStart <= 1)) return last;
  return undefined;
}

function standsAt(keys: readonly string[], text: KeyedLines, place: number): boolean {
  return keys.every((key, index) => text.keyAt(place + index) === key);
}

/** So many lines above and below are looked at one by one before the whole text is indexed. */
const REACH = 200;

function nearestPlace(
  { keys, stated, from }: Wanted,
  text: PatchedLines,
  fits: (place: number) => boolean,
): number | undefined {
  const last = text.count - keys.length;
  const near = Math.max(from, Math.min(stated, last));
  for (let distance = 0; distance <= REACH; distance++) {
    if (fits(near + distance)) return near + distance;
    if (fits(near - distance)) return near - distance;
  }
  let nearest: number | undefined;
  for (const place of text.index().placesOf(keys)) {
    if (place < from) continue;
    if (nearest === undefined || Math.abs(place - near) <= Math.abs(nearest - near)) nearest = place;
  }
  return nearest;
}
