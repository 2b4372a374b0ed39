/** Replaces a text in a file, even if it differs from the file in the ways in which copies usually do. */
import { type LineEnding, lineEndingOf } from '../../line-endings.ts';
import { regexSplices, requireRoom } from '../apply-edits.ts';
import type { EditRefusal } from '../edit-refusal.ts';
import type { EditedText } from '../edited-text.ts';
import { occurrences } from '../literal/occurrences.ts';
import { applySplices, LazySplices, type Splice, type Splices } from '../splice.ts';
import { adaptNewText } from './adapt.ts';
import { closestPlace, hasElision } from './closest-place.ts';
import { FITS, type Fit, type FittingPlace, type PlaceFinder, placeFinder } from './fitting-places.ts';

export interface TextReplacement {
  oldText: string;
  newText: string;
  /** Replaces every exact place instead of exactly one. */
  all?: boolean | undefined;
  /** Takes the place closest to this line if there are several. */
  near?: number | undefined;
  /** `oldText` is an ECMAScript pattern with the flag `m`, and `newText` may refer to its groups. */
  regex?: boolean | undefined;
  /** The most matches of a pattern to replace, from the first on. */
  limit?: number | undefined;
}

export interface TextReplaced {
  text: string;
  splices: Splices;
  /** `exact` for a pattern. */
  fit: Fit;
}

export type TextEditOutcome = TextReplaced | { refusal: EditRefusal };

const MOST_LINES_NAMED = 20;

/** Calls `onRegex` before each search with a pattern, which may take very long. `path` is for failures. */
export function applyTextEdit(
  edited: EditedText,
  edit: TextReplacement,
  path: string,
  onRegex: () => void,
): TextEditOutcome {
  const { text } = edited;
  const found = edit.regex ? patternSplices(text, edit, path, onRegex) : literalSplices(edited, edit);
  if ('refusal' in found) return found;
  requireRoom(text, found.splices, path);
  return { ...found, text: applySplices(text, found.splices) };
}

type SpliceOutcome = { splices: Splices; fit: Fit } | { refusal: EditRefusal };

function literalSplices(edited: EditedText, edit: TextReplacement): SpliceOutcome {
  const { text } = edited;
  if (edit.oldText === '') {
    if (text !== '') return { refusal: { why: 'empty-old-text' } };
    return { splices: [{ start: 0, end: 0, text: edit.newText }], fit: 'exact' };
  }
  if (edit.all) return everyPlace(edited, edit);
  const whole = withoutHalfLineEnd(edit);
  const exactly = placeFinder(text, edit.oldText);
  const tolerantly = whole === edit ? exactly : endingLines(text, placeFinder(text, whole.oldText));
  for (const fit of FITS) {
    const places = fit === 'exact' ? exactly(fit) : tolerantly(fit);
    const place = places.length > 1 ? closestOf(places, text, edit.near) : places[0];
    if (places.length > 0 && place === undefined) return { refusal: ambiguous(places, text) };
    const splice = place && spliceAt(edited, place, fit === 'exact' ? edit : whole, fit);
    if (splice !== undefined) return { splices: [splice], fit };
  }
  return { refusal: notFound(edited, whole) };
}

/** A client that splits CRLF text at newlines sends lines that end in `\r`: that half line end belongs to no line. */
function withoutHalfLineEnd(edit: TextReplacement): TextReplacement {
  if (!edit.oldText.endsWith('\r') || edit.oldText.length === 1) return edit;
  return { ...edit, oldText: edit.oldText.slice(0, -1), newText: edit.newText.replace(/\r$/, '') };
}

/** Only the places that end at the end of a line. */
function endingLines(text: string, placesFor: PlaceFinder): PlaceFinder {
  return (fit) => placesFor(fit).filter(({ end }) => /^(?:\r?\n|$)/.test(text.slice(end, end + 2)));
}

function everyPlace(edited: EditedText, edit: TextReplacement): SpliceOutcome {
  const { text } = edited;
  const exact = text.includes('\r') || edit.newText.includes('\r') ? undefined : exactSplices(text, edit);
  if (exact !== undefined && exact.length > 0) return { splices: exact, fit: 'exact' };
  const placesFor = placeFinder(text, edit.oldText);
  for (const fit of ['exact', 'line-ends'] as const) {
    const places = apart(placesFor(fit));
    if (places.length === 0) continue;
    const splices = places.map((place) => spliceAt(edited, place, edit, fit)!);
    return { splices, fit };
  }
  return { refusal: notFound(edited, edit) };
}

/** For texts without carriage returns: no place needs to be adapted, and there may be millions of them. */
function exactSplices(text: string, { oldText, newText }: TextReplacement): Splices {
  const found = occurrences(text, oldText, false);
  return new LazySplices(found.length, (index) => {
    const start = found[index]!;
    return { start, end: start + oldText.length, text: newText };
  });
}

/** Drops places that overlap an earlier one. */
function apart(places: readonly FittingPlace[]): FittingPlace[] {
  let end = 0;
  return places.filter((place) => {
    if (place.start < end) return false;
    end = place.end;
    return true;
  });
}

function spliceAt(
  edited: EditedText,
  place: FittingPlace,
  { oldText, newText }: TextReplacement,
  fit: Fit,
): Splice | undefined {
  const { text } = edited;
  const { start, end } = place;
  if (fit === 'exact' && !text.includes('\r') && !newText.includes('\r'))
    return { start, end, text: newText };
  const own = lineEndingOf(text.slice(start, end));
  const ending: LineEnding = own ?? edited.lineEnding() ?? lineEndingOf(newText) ?? '\n';
  const ignoresTypography = fit === 'typography';
  const adapted = adaptNewText({ text, place, oldText, newText, ending, ignoresTypography });
  return adapted === undefined ? undefined : { start, end, text: adapted };
}

/** The place closest to a line, unless two are equally close or there is no such line. */
function closestOf<P extends { start: number }>(
  places: readonly P[],
  text: string,
  near: number | undefined,
): P | undefined {
  if (near === undefined) return undefined;
  const distances = linesOf(places, text).map((line) => Math.abs(line - near));
  const least = distances.reduce((a, b) => Math.min(a, b), Infinity);
  const first = distances.indexOf(least);
  return distances.lastIndexOf(least) === first ? places[first] : undefined;
}

/** The line on which each place begins; places are in ascending order. */
function linesOf(places: readonly { start: number }[], text: string): number[] {
  let line = 1;
  let newline = text.indexOf('\n');
  return places.map(({ start }) => {
    for (; newline >= 0 && newline < start; newline = text.indexOf('\n', newline + 1)) line++;
    return line;
  });
}

function ambiguous(places: readonly { start: number }[], text: string): EditRefusal {
  const lines = linesOf(places.slice(0, MOST_LINES_NAMED), text);
  return { why: 'ambiguous', count: places.length, lines };
}

function notFound(edited: EditedText, { oldText, newText }: TextReplacement): EditRefusal {
  const { text } = edited;
  if (newText.trim() !== '') {
    const placesFor = placeFinder(text, newText);
    for (const fit of FITS) {
      const [place, second] = placesFor(fit);
      if (second !== undefined) break;
      if (place !== undefined && isProbablyApplied(text, place))
        return { why: 'already-applied', line: edited.lineNumberAt(place.start) };
    }
  }
  return { why: 'not-found', closest: closestPlace(text, oldText), hasElision: hasElision(oldText) };
}

/** Texts with fewer letters may occur anywhere by chance. */
const LEAST_LETTERS = 3;
const LONGEST_INDENT = 200;
const LETTER = /[\p{L}\p{N}_]/u;

/** Whether the new text was probably put there by this edit: whole lines, or whole words that are not too short. */
function isProbablyApplied(text: string, { start, end }: FittingPlace): boolean {
  const found = text.slice(start, end);
  const startsLine = /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, start - LONGEST_INDENT), start));
  const endsLine = found.endsWith('\n') || /^[ \t]*\r?(?:\n|$)/.test(text.slice(end, end + LONGEST_INDENT));
  if (startsLine && endsLine) return true;
  const splitsWord = [start, end].some(
    (at) => LETTER.test(text[at - 1] ?? '') && LETTER.test(text[at] ?? ''),
  );
  return !splitsWord && [...found].filter((each) => LETTER.test(each)).length >= LEAST_LETTERS;
}

function patternSplices(
  text: string,
  edit: TextReplacement,
  path: string,
  onRegex: () => void,
): SpliceOutcome {
  const { oldText: pattern, newText: replace, limit = 0 } = edit;
  const splices = regexSplices(
    text,
    {
      kind: 'regex',
      pattern,
      flags: 'm',
      replace,
      style: 'ecmascript',
      limit: edit.all ? 0 : limit,
      mustMatch: false,
    },
    { path, edit: 1 },
    onRegex,
  );
  const fit = 'exact';
  if (splices.length === 0) return { refusal: { why: 'not-found', hasElision: false } };
  if (splices.length === 1 || edit.all || limit > 0) return { splices, fit };
  const places = [...splices];
  const place = closestOf(places, text, edit.near);
  return place === undefined ? { refusal: ambiguous(places, text) } : { splices: [place], fit };
}
