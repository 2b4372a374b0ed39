/** Finds where the old lines of a hunk occur in a text. */
import { lineAt, lineCount, type TextLines } from '../diff/text-lines.ts';
import { type BlockIndex, blockIndex, type KeyedLines } from '../edit/literal/block-places.ts';
import type { HunkLine } from './parse/hunk.ts';

/** The text to be patched. Its index is built when it is first needed: most hunks fit at the line that they state. */
export interface PatchedLines extends KeyedLines {
  index(): BlockIndex;
}

/** `keyOf` takes a line with its newline. */
export function patchedLines(lines: TextLines, keyOf: (line: string) => string): PatchedLines {
  const keys: string[] = new Array(lineCount(lines));
  let index: BlockIndex | undefined;
  const text: PatchedLines = {
    count: lineCount(lines),
    keyAt: (line) => {
      keys[line] ??= keyOf(lineAt(lines, line));
      return keys[line];
    },
    index: () => {
      index ??= blockIndex(text);
      return index;
    },
  };
  return text;
}

/** The lines of a hunk, without its position. */
export interface HunkBody {
  lines: readonly HunkLine[];
}

/** What to find, and where. All lines count from 0. */
export interface Wanted {
  hunk: HunkBody;
  /** The keys of the hunk's old lines: those that it keeps or removes. */
  keys: readonly string[];
  /** Where the hunk should apply. */
  stated: number;
  /** The first line that no earlier hunk has changed. */
  from: number;
}

/** How many lines of context a hunk has before its first change, and how many after its last one. */
export function contextOf({ lines }: HunkBody): { before: number; after: number } {
  const before = lines.findIndex((line) => line.mark !== ' ');
  const after = lines.length - 1 - lines.findLastIndex((line) => line.mark !== ' ');
  return { before, after };
}

/** Whether the hunk leaves a last line without a newline, and so fits only at the end of the text. */
function endsText({ lines }: HunkBody): boolean {
  return lines.findLast((line) => line.mark !== '-')?.newline === false;
}

/** The line at which the hunk applies; none if it fits nowhere, and two if both are equally near. */
export function findPlaces(wanted: Wanted, text: PatchedLines): readonly number[] {
  const { hunk, keys, stated, from } = wanted;
  const last = text.count - keys.length;
  const ends = endsText(hunk);
  const fits = (place: number): boolean =>
    place >= from && place <= last && (place === last || !ends) && matchesAt(keys, text, place);
  if (keys.length > 0) return fits(stated) ? [stated] : nearestPlaces(wanted, text, fits);
  // Without old lines every place matches: take the stated one, or the end of the text if that comes first.
  const place = ends ? last : Math.min(stated, last);
  return fits(place) ? [place] : [];
}

function matchesAt(keys: readonly string[], text: KeyedLines, place: number): boolean {
  return keys.every((key, index) => text.keyAt(place + index) === key);
}

/** How many lines above and below are compared one by one before the whole text is indexed. */
const REACH = 200;

function nearestPlaces(
  { keys, stated, from }: Wanted,
  text: PatchedLines,
  fits: (place: number) => boolean,
): readonly number[] {
  const near = Math.max(from, Math.min(stated, text.count - keys.length));
  for (let distance = 0; distance <= REACH; distance++) {
    const found = [...new Set([near - distance, near + distance])].filter(fits);
    if (found.length > 0) return found;
  }
  const places = text.index().placesOf(keys).filter(fits);
  const least = places.reduce((least, place) => Math.min(least, Math.abs(place - near)), Infinity);
  return places.filter((place) => Math.abs(place - near) === least);
}
