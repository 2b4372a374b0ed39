/** Finds the places of a file where a text fits, as closely as one step of tolerance asks for. */
import { findIndentMatches } from './indent-match.ts';
import { expandIndents, isShift, TAB_WIDTHS } from './indentation.ts';
import { occurrences } from './occurrences.ts';
import { blanksStart, newlineView, type TextView, trimmedView } from './text-view.ts';
import { plainTypography } from './typography.ts';

/** The steps of tolerance, from exact on; each includes those before it. */
export type Fit = (typeof FITS)[number];

export const FITS = ['exact', 'line-ends', 'trailing-blanks', 'indentation', 'tabs', 'typography'] as const;

/** A part of the file, by its real positions. */
export interface FittingPlace {
  start: number;
  end: number;
  /** How its indentation differs from that of the text: as a whole, or by tabs of one of these widths. */
  indent?: 'shifted' | readonly number[];
  /** The text ends with a newline, and the file ends here without one. */
  lacksNewline?: boolean;
}

/** Places in rising order. Those that overlap are all there, as they make a text ambiguous. */
export function fittingPlaces(fit: Fit, text: string, wanted: string): FittingPlace[] {
  const needle = wanted.replaceAll('\r\n', '\n');
  switch (fit) {
    case 'exact':
      return substrings(text, wanted)
        .map((start) => ({ start, end: start + wanted.length }))
        .filter(({ start, end }) => !splitsLineEnd(text, start) && !splitsLineEnd(text, end));
    case 'line-ends':
      return substringPlaces(newlineView(text), needle);
    case 'trailing-blanks':
      return hasWords(needle) ? trimmedPlaces(text, trimmedView(text), needle) : [];
    case 'indentation':
      return hasWords(needle) ? shiftedBlocks(trimmedView(text), trimLines(needle)) : [];
    case 'tabs':
      return hasWords(needle) ? tabbedBlocks(trimmedView(text), trimLines(needle)) : [];
    case 'typography':
      return hasWords(needle) ? plainPlaces(plainTypography(text), plainTypography(needle)) : [];
  }
}

/** Blank lines alone stand everywhere: they fit only as they are. */
function hasWords(text: string): boolean {
  return plainTypography(text).trim() !== '';
}

function plainPlaces(text: string, needle: string): FittingPlace[] {
  const view = trimmedView(text);
  const trimmed = trimLines(needle);
  const found = trimmedPlaces(text, view, needle);
  const shifted = withOthers(found, shiftedBlocks(view, trimmed));
  return withOthers(shifted, tabbedBlocks(view, trimmed));
}

/** Both together in rising order, without those of the others that overlap one of the first. */
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

/** Whether a position lies between `\r` and `\n`: a change there would leave half of a line end behind. */
function splitsLineEnd(text: string, at: number): boolean {
  return text.charCodeAt(at) === 10 && text.charCodeAt(at - 1) === 13;
}

function substrings(text: string, needle: string): number[] {
  const found = occurrences(text, needle, false);
  const overlapping = found.length === 1 ? occurrences(text, needle, false, found[0]! + 1) : [];
  return [...found, ...overlapping];
}

/** A last line of the text may have a newline that the last line of the file lacks. */
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
 * The last line of the text may be a part of a line, whose blanks count, or a whole line, whose blanks at the end do
 * not: then it must end where a line of the file ends.
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

function tabbedBlocks(view: TextView, needle: string): FittingPlace[] {
  if (!/^[ \t]*\t/m.test(needle) && !/^[ \t]*\t/m.test(view.text)) return [];
  const places = new Map<number, FittingPlace & { indent: number[] }>();
  for (const width of TAB_WIDTHS) {
    const text = expandIndents(view.text, width);
    for (const place of blocksIn(view, needle, text, expandIndents(needle, width), () => true)) {
      const known = places.get(place.start);
      if (known) known.indent.push(width);
      else places.set(place.start, { ...place, indent: [width] });
    }
  }
  return [...places.values()].sort((a, b) => a.start - b.start);
}

/** Blocks of whole lines, looked for in a text that has the lines of the view with another indentation. */
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
