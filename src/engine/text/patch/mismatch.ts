/** Describes a hunk that does not fit: what it expects, what is there, and where else it might fit. */
import type { Failure } from '../../failures.ts';
import { excerpt } from '../diff/excerpt.ts';
import { NO_NEWLINE } from '../diff/unified-diff.ts';
import { BOM } from '../encoding.ts';
import type { PatchedLines, Wanted } from './place.ts';

type Mismatch = Omit<Extract<Failure, { kind: 'hunk-mismatch' }>, 'path' | 'hunk'>;

/** How many lines are shown before and after the first one that differs. */
const SHOWN_BEFORE = 2;
const SHOWN_AFTER = 2;
const MOST_PLACES = 10;

/** `line` is the first line that differs at the place where the hunk should apply. */
export function hunkMismatch(wanted: Wanted, text: PatchedLines): Mismatch {
  const { keys } = wanted;
  const place = Math.max(wanted.stated, wanted.from);
  let differs = 0;
  while (
    differs < keys.length &&
    place + differs < text.count &&
    keys[differs] === text.keyAt(place + differs)
  ) {
    differs++;
  }
  const from = Math.max(0, differs - SHOWN_BEFORE);
  // If all lines match, the hunk should be the end of the text, and what follows it is wrong.
  const to = Math.min(differs + SHOWN_AFTER + 1, differs < keys.length ? keys.length : Infinity);
  const expected = keys.slice(from, to);
  const found = keysBetween(text, place + from, place + to);
  return {
    kind: 'hunk-mismatch',
    line: place + differs + 1,
    expected: expected.map((key, index) => shown(key, found[index])),
    found: found.map((key, index) => shown(key, expected[index])),
    elsewhere: placesElsewhere(wanted, text, place),
  };
}

/** For a hunk that fits at two places that are equally near. */
export function twoPlaces(wanted: Wanted, text: PatchedLines, places: readonly [number, number]): Mismatch {
  const [first, second] = places;
  return { ...hunkMismatch(wanted, text), equallyNear: [first + 1, second + 1] };
}

/** For a hunk whose old lines occur at two places and that states no line, or none that can be trusted. */
export function matchesTwice({ keys }: Pick<Wanted, 'keys'>, places: readonly [number, number]): Mismatch {
  const lines = keys.slice(0, SHOWN_BEFORE + SHOWN_AFTER + 1).map((key) => shown(key, undefined));
  const equallyNear = [places[0] + 1, places[1] + 1] as const;
  return {
    kind: 'hunk-mismatch',
    line: equallyNear[0],
    expected: lines,
    found: lines,
    elsewhere: [],
    equallyNear,
  };
}

/** For a deletion that does not name all lines of the file. */
export function linesLeft(text: PatchedLines, line: number): Mismatch {
  const found = keysBetween(text, line, line + 1 + SHOWN_AFTER).map((key) => shown(key, undefined));
  return { kind: 'hunk-mismatch', line: line + 1, expected: [], found, elsewhere: [] };
}

function keysBetween(text: PatchedLines, from: number, to: number): string[] {
  const keys: string[] = [];
  for (let line = from; line < Math.min(to, text.count); line++) keys.push(text.keyAt(line));
  return keys;
}

/** A line as a diff would show it, with the remark if its key ends with a newline: then the line has none. */
function shown(key: string, other: string | undefined): string {
  const newline = !key.endsWith('\n');
  const text = newline ? key : key.slice(0, -1);
  // A byte-order mark would be invisible.
  return excerpt(text, other ?? '').replaceAll(BOM, '\\uFEFF') + (newline ? '' : `\n${NO_NEWLINE}`);
}

/**
 * The lines, counted from 1, where the hunk's old lines occur but may not be used (before an earlier hunk, or not at
 * the end of the file although the hunk ends it). If there are none, the lines where its removed lines occur.
 */
function placesElsewhere({ hunk, keys }: Wanted, text: PatchedLines, tried: number): number[] {
  const whole = linesWith(keys, text, tried);
  if (whole.length > 0) return whole;
  const old = hunk.lines.filter((line) => line.mark !== '+');
  const first = old.findIndex((line) => line.mark === '-');
  const last = old.findLastIndex((line) => line.mark === '-');
  const removed = keys.slice(first, last + 1);
  if (first < 0 || removed.every((key) => key.trim() === '')) return [];
  return linesWith(removed, text, tried + first);
}

function linesWith(keys: readonly string[], text: PatchedLines, except: number): number[] {
  const places = text.index().placesOf(keys);
  return places
    .filter((place) => place !== except)
    .slice(0, MOST_PLACES)
    .map((place) => place + 1);
}
