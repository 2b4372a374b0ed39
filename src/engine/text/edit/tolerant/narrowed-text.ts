/**
 * Narrows a text down to the lines in which another one may occur if line ends, blanks, indentation and typography do
 * not count. A search that compares line by line then need not go through the whole file.
 */
import { lineAfter } from '../../diff/text-lines.ts';
import { hasLoneSurrogate, occurrences } from '../literal/occurrences.ts';
import type { TextView } from '../text-view.ts';
import { typographyPattern } from './typography.ts';

/** A range of positions; the end is exclusive. */
interface Window {
  from: number;
  to: number;
}

/** A part of the needle that is the same wherever the needle occurs, and its line in the needle, counted from 0. */
interface Core {
  part: string;
  line: number;
}

/** A longer part would hardly be rarer, but would cost more in repetitive text. */
const LONGEST_CORE = 64;
/** How many parts to try, longest first, until one is rare. */
const MOST_CORES = 4;
const MOST_PLACES = 100;
/** Characters other than `\n` after which the patterns for indentation see the start of a line. */
const LINE_BREAKS = /[\r\u2028\u2029]/;

/**
 * Undefined if those lines are a large part of the text, or are not known. With `ignoresTypography`, quotes, dashes and
 * blanks match in all of their forms.
 */
export function narrowedText(text: string, needle: string, ignoresTypography: boolean): TextView | undefined {
  const lines = needle.split('\n').length;
  for (const core of coresOf(needle)) {
    const places = ignoresTypography ? typographicPlaces(text, core.part) : literalPlaces(text, core.part);
    const windows = places && windowsAround(text, places, core.line, lines);
    if (windows !== undefined) return joined(text, windows, needle);
  }
  return undefined;
}

function coresOf(needle: string): Core[] {
  const cores: Core[] = [];
  for (const [line, whole] of needle.split('\n').entries()) {
    for (const piece of whole.split(LINE_BREAKS)) {
      // The file may have other blanks, even no-break spaces, at the ends of the piece.
      const part = withoutHalf(withoutBlanks(piece).slice(0, LONGEST_CORE));
      const least = cores.length < MOST_CORES ? 0 : cores.at(-1)!.part.length;
      if (part.length <= least || hasLoneSurrogate(part)) continue;
      cores.push({ part, line });
      cores.sort((a, b) => b.part.length - a.part.length).splice(MOST_CORES);
    }
  }
  return cores;
}

function withoutBlanks(piece: string): string {
  let [from, to] = [0, piece.length];
  while (from < to && ' \t\u00a0'.includes(piece[from]!)) from++;
  while (from < to && ' \t\u00a0'.includes(piece[to - 1]!)) to--;
  return piece.slice(from, to);
}

/** Drops the first half of a character beyond U+FFFF at the end. */
function withoutHalf(part: string): string {
  return /[\uD800-\uDBFF]$/.test(part) ? part.slice(0, -1) : part;
}

/** Undefined if there are too many. */
function literalPlaces(text: string, part: string): ArrayLike<number> | undefined {
  const places = occurrences(text, part, false, 0, MOST_PLACES + 1);
  return places.length > MOST_PLACES ? undefined : places;
}

function typographicPlaces(text: string, part: string): number[] | undefined {
  const pattern = typographyPattern(part);
  const places: number[] = [];
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    if (places.length === MOST_PLACES) return undefined;
    places.push(match.index);
    // A place that overlaps this one is on the same line, so its window is the same.
  }
  return places;
}

/** For each place, the lines that the needle would cover and one more on either side; undefined if that is too much. */
function windowsAround(
  text: string,
  places: ArrayLike<number>,
  line: number,
  lines: number,
): Window[] | undefined {
  const windows: Window[] = [];
  let size = 0;
  for (let index = 0; index < places.length; index++) {
    const from = linesBack(text, places[index]!, line + 1);
    const to = linesOn(text, places[index]!, lines - line + 1);
    const last = windows.at(-1);
    const isApart = last === undefined || from > last.to;
    size += to - (isApart ? from : last.to);
    if (isApart) windows.push({ from, to });
    else last.to = to;
    if (size > text.length / 2) return undefined;
  }
  return windows;
}

/** The start of the line that is `lines` lines above the line of a position. */
function linesBack(text: string, position: number, lines: number): number {
  let start = position === 0 ? 0 : text.lastIndexOf('\n', position - 1) + 1;
  for (let line = 0; line < lines && start > 0; line++) {
    start = start === 1 ? 0 : text.lastIndexOf('\n', start - 2) + 1;
  }
  return start;
}

/** The end, newline included, of the line that is `lines` lines below the line of a position. */
function linesOn(text: string, position: number, lines: number): number {
  let end = position;
  for (let line = 0; line <= lines && end < text.length; line++) end = lineAfter(text, end);
  return end;
}

/** Joins the windows, separated by a line that the needle cannot fit. */
function joined(text: string, windows: readonly Window[], needle: string): TextView {
  const barrier = `${barrierFor(needle)}\n`;
  const parts: string[] = [];
  const starts: number[] = [];
  let length = 0;
  for (const { from, to } of windows) {
    starts.push(length);
    parts.push(text.slice(from, to));
    length += to - from;
    // No barrier after the end of the text: the search has to see whether a final newline is missing there.
    if (to === text.length) continue;
    parts.push(barrier);
    length += barrier.length;
  }
  return {
    text: parts.join(''),
    toReal: (at) => {
      let index = starts.length - 1;
      while (starts[index]! > at) index--;
      return at - starts[index]! + windows[index]!.from;
    },
  };
}

function barrierFor(needle: string): string {
  let unit = 0xe000;
  while (needle.includes(String.fromCharCode(unit))) unit++;
  return String.fromCharCode(unit);
}
