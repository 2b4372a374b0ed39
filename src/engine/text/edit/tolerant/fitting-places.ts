/** Finds the places in a file where a text fits, with one step of tolerance. */
import { findIndentMatches } from '../literal/indent-match.ts';
import { occurrences } from '../literal/occurrences.ts';
import { blanksStart, newlineView, type TextView, trimmedView } from '../text-view.ts';
import { expandIndents, isShift, TAB_WIDTHS } from './indentation.ts';
import { narrowedText } from './narrowed-text.ts';
import { plainTypography } from './typography.ts';

/** The steps of tolerance, strictest first; each includes those before it. */
export type Fit = (typeof FITS)[number];

export const FITS = ['exact', 'line-ends', 'trailing-blanks', 'indentation', 'tabs', 'typography'] as const;

/** A part of the file, by its positions in the real text. */
export interface FittingPlace {
  start: number;
  end: number;
  /** How its indentation differs from that of the search text: as a whole, or by tabs of one of these widths. */
  indent?: 'shifted' | readonly number[];
  /** The search text ends with a newline, but the file ends here without one. */
  lacksNewline?: boolean;
}

/** Returns places in ascending order, overlapping ones included: they make a text ambiguous. */
export type PlaceFinder = (fit: Fit) => FittingPlace[];

/** Steps after the first search only the lines around a part of the text that every match contains unchanged. */
export function placeFinder(text: string, wanted: string): PlaceFinder {
  const needle = wanted.replaceAll('\r\n', '\n');
  const known: { strict?: Narrowed; typographic?: Narrowed } = {};
  return (fit) => {
    if (fit === 'exact') return exactPlaces(text, wanted);
    const kind = fit === 'typography' ? 'typographic' : 'strict';
    known[kind] ??= { view: narrowedText(text, needle, kind === 'typographic') };
    const { view } = known[kind];
    if (view === undefined) return tolerantPlaces(fit, text, needle, text);
    return tolerantPlaces(fit, view.text, needle, text).map((place) => ({
      ...place,
      start: view.toReal(place.start),
      end: view.toReal(place.end),
    }));
  };
}

interface Narrowed {
  /** Undefined if the whole text has to be searched. */
  view: TextView | undefined;
}

function exactPlaces(text: string, wanted: string): FittingPlace[] {
  return substrings(text, wanted)
    .map((start) => ({ start, end: start + wanted.length }))
    .filter(({ start, end }) => !splitsLineEnd(text, start) && !splitsLineEnd(text, end));
}

/** `text` is the whole file, or the lines of it that may match; `whole` is always the whole file. */
export function tolerantPlaces(
  fit: Exclude<Fit, 'exact'>,
  text: string,
  needle: string,
  whole: string,
): FittingPlace[] {
  switch (fit) {
    case 'line-ends':
      return substringPlaces(newlineView(text), needle);
    case 'trailing-blanks':
      return hasWords(needle) ? trimmedPlaces(text, trimmedView(text), needle) : [];
    case 'indentation':
      return hasWords(needle) ? shiftedBlocks(trimmedView(text), trimLines(needle)) : [];
    case 'tabs':
      return hasWords(needle) ? tabbedBlocks(trimmedView(text), trimLines(needle), whole) : [];
    case 'typography':
      return hasWords(needle)
        ? placesIgnoringTypography(plainTypography(text), plainTypography(needle), whole)
        : [];
  }
}

/** A text of blanks alone must fit exactly: blank lines occur everywhere. */
function hasWords(text: string): boolean {
  return plainTypography(text).trim() !== '';
}

function placesIgnoringTypography(text: string, needle: string, whole: string): FittingPlace[] {
  const view = trimmedView(text);
  const trimmed = trimLines(needle);
  const found = trimmedPlaces(text, view, needle);
  const shifted = withOthers(found, shiftedBlocks(view, trimmed));
  return withOthers(shifted, tabbedBlocks(view, trimmed, whole, PLAIN_TAB_INDENT));
}

/** Merges both in ascending order, without those `others` that overlap one of the `first`. */
function withOthers(first: readonly FittingPlace[], others: readonly FittingPlace[]): FittingPlace[] {
  let at = 0;
  const apart = others.filter((other) => {
    while (at < first.length && first[at]!.end <= other.start) at++;
    return at === first.length || first[at]!.start >= other.end;
  });
  return [...first, ...apart].sort((a, b) => a.start - b.start);
}

function substringPlaces(view: TextView, needle: string): FittingPlace[] {
  const places = substrings(view.text, needle).map((at) => placeIn(view, at, at + needle.length));
  return places.length > 0 ? places : placesAtEnd(view, needle);
}

/** Whether a position is between `\r` and `\n`: a change there would leave half of a line end behind. */
function splitsLineEnd(text: string, at: number): boolean {
  return text.charCodeAt(at) === 10 && text.charCodeAt(at - 1) === 13;
}

function substrings(text: string, needle: string): number[] {
  const found = occurrences(text, needle, false);
  if (found.length !== 1) return [...found];
  // A second place could only begin inside this one.
  const from = found[0]! + 1;
  const overlapping = occurrences(text.slice(from, from + 2 * needle.length - 2), needle, false);
  return [found[0]!, ...Array.from(overlapping, (at) => at + from)];
}

/** The search text may end with a newline that the last line of the file lacks. */
function placesAtEnd(view: TextView, needle: string): FittingPlace[] {
  const { text } = view;
  const ended = needle.slice(0, -1);
  if (!needle.endsWith('\n') || text.endsWith('\n') || !text.endsWith(ended) || !hasWords(ended)) return [];
  return [{ ...placeIn(view, text.length - ended.length, text.length), lacksNewline: true }];
}

function placeIn({ toReal }: TextView, start: number, end: number): FittingPlace {
  return { start: toReal(start), end: toReal(end) };
}

/**
 * The last line of the search text may be part of a line, so that its trailing blanks count, or a whole line, so that
 * they do not; a whole line must end where a line of the file ends.
 */
function trimmedPlaces(text: string, view: TextView, needle: string): FittingPlace[] {
  const lines = needle.split('\n');
  const last = lines.pop()!;
  const before = lines.map((line) => `${trimLine(line)}\n`).join('');
  const places = substringPlaces(view, before + last);
  if (trimLine(last) === last) return places;
  const whole = before + trimLine(last);
  if (whole.trim() === '') return places;
  for (const at of substrings(view.text, whole)) {
    const end = at + whole.length;
    if (end < view.text.length && view.text[end] !== '\n') continue;
    const place = placeIn(view, at, end);
    while (text[place.end] === ' ' || text[place.end] === '\t') place.end++;
    places.push(place);
  }
  return places;
}

function trimLine(line: string): string {
  return line.slice(0, blanksStart(line, line.length));
}

function trimLines(text: string): string {
  return text.split('\n').map(trimLine).join('\n');
}

function shiftedBlocks(view: TextView, needle: string): FittingPlace[] {
  return blocksIn(view, needle, view.text, needle, (wanted, real) => isShift(wanted, real)).map((place) => ({
    ...place,
    indent: 'shifted',
  }));
}

/** A tab in the indentation of a line that is not blank; the second pattern takes no-break spaces for blanks, too. */
const TAB_INDENT = /^ *\t[ \t]*(?!\r?\n|[ \t])[\s\S]/m;
const PLAIN_TAB_INDENT = /^[ \u00a0]*\t[ \t\u00a0]*(?!\r?\n|[ \t\u00a0])[\s\S]/m;

/** Finds blocks only if tabs are in use: without any, blocks that differ in blanks alone are merely shifted. */
function tabbedBlocks(view: TextView, needle: string, whole: string, tabIndent = TAB_INDENT): FittingPlace[] {
  const places = new Map<number, FittingPlace & { indent: number[] }>();
  for (const width of TAB_WIDTHS) {
    const text = expandIndents(view.text, width);
    for (const place of blocksIn(view, needle, text, expandIndents(needle, width), () => true)) {
      const known = places.get(place.start);
      if (known) known.indent.push(width);
      else places.set(place.start, { ...place, indent: [width] });
    }
  }
  const hasTabs = () => /^[ \t]*\t/m.test(needle) || (whole.includes('\t') && tabIndent.test(whole));
  if (places.size === 0 || !hasTabs()) return [];
  return [...places.values()].sort((a, b) => a.start - b.start);
}

/** Finds blocks of whole lines. `text` and `wanted` are the view and the needle with another indentation. */
function blocksIn(
  view: TextView,
  needle: string,
  text: string,
  wanted: string,
  takes: (wantedIndent: string, realIndent: string) => boolean,
): FittingPlace[] {
  const matches = findIndentMatches(text, wanted);
  if (matches.length === 0) return [];
  const starts = lineStarts(view.text);
  const count = needle.split('\n').length - (needle.endsWith('\n') ? 1 : 0);
  return matches
    .filter(({ wantedIndent, indent }) => takes(wantedIndent, indent))
    .map(({ line }) => {
      const next = starts[line - 1 + count];
      const lacksNewline = needle.endsWith('\n') && next === undefined;
      const end = next === undefined ? view.text.length : needle.endsWith('\n') ? next : next - 1;
      return { ...placeIn(view, starts[line - 1]!, end), ...(lacksNewline && { lacksNewline }) };
    });
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
