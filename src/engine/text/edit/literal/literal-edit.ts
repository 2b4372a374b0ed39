/** Finds what a literal edit would change: exactly, ignoring case, or ignoring indentation. */
import { type Failure, fail, type NearMatch } from '../../../failures.ts';
import { newlinesBefore } from '../../diff/text-lines.ts';
import { BOM } from '../../encoding.ts';
import { type LineEnding, lineEndingOf, withLineEnding } from '../../line-endings.ts';
import { distance } from '../../similar.ts';
import { LazySplices, type Splice, type Splices } from '../splice.ts';
import { newlineView } from '../text-view.ts';
import { findIndentMatches, reindent } from './indent-match.ts';
import { occurrences } from './occurrences.ts';

export interface LiteralEdit {
  find: string;
  replace: string;
  ignoreCase: boolean;
  /** The most places to replace; 0 for all. */
  limit: number;
  /** Fails if the text occurs in more than one place. */
  unique?: boolean;
  /** Accepts a block with another indentation if the exact text does not occur. */
  anyIndent?: boolean;
  /** How many places there must be in total, whatever the limit. Default: any number. */
  expectCount?: number | undefined;
  /** Fails if the text does not occur. Default: true. */
  mustMatch?: boolean;
}

/** Says in failures which file and which edit of the call is meant. */
export interface EditContext {
  path: string;
  edit: number;
}

const MOST_LINES_NAMED = 20;

/** One way to interpret the file and the search text. */
interface Reading {
  text: string;
  needle: string;
  /** The replacement, with the line ends that it gets. */
  replacement: string;
  toReal(at: number): number;
}

export function findLiteralSplices(text: string, edit: LiteralEdit, context: EditContext): Splices {
  const usual = usualReading(text, edit);
  for (const reading of [usual, ...unusualReadings(text, usual, edit)]) {
    const found = occurrences(reading.text, reading.needle, edit.ignoreCase);
    if (found.length === 0) continue;
    requireCount(found.length, edit.expectCount, context);
    if (edit.unique) requireUnique(reading, edit.ignoreCase, found, context);
    const count = edit.limit === 0 ? found.length : Math.min(found.length, edit.limit);
    const { needle, replacement } = reading;
    return new LazySplices(count, (index) => {
      const at = found[index]!;
      return toSplice(reading, at, at + needle.length, replacement);
    });
  }
  return findIndentedSplices(usual, lineEndingOf(text), edit, context);
}

/** Every line end reads as `\n`, and the replacement gets the line ends of the file. */
function usualReading(text: string, { find, replace }: LiteralEdit): Reading {
  const { text: seen, toReal } = newlineView(text);
  const needle = find.replaceAll('\r\n', '\n');
  return { text: seen, needle, replacement: withLineEnding(replace, lineEndingOf(text)), toReal };
}

function unusualReadings(text: string, usual: Reading, { find, replace }: LiteralEdit): Reading[] {
  const readings: Reading[] = [];
  // The byte-order mark is not part of the text, but clients see it and copy it with the beginning of the file.
  if (usual.needle.startsWith(BOM)) {
    const needle = usual.needle.slice(1);
    const beginning = usual.text.slice(0, needle.length);
    const replacement = usual.replacement.startsWith(BOM) ? usual.replacement.slice(1) : usual.replacement;
    readings.push({ ...usual, text: beginning, needle, replacement });
  }
  // A search text with `\r` may mean the text with its real line ends.
  if (find.includes('\r') && usual.text !== text) {
    readings.push({ text, needle: find, replacement: replace, toReal: (at) => at });
  }
  return readings;
}

function toSplice({ toReal }: Reading, start: number, end: number, replacement: string): Splice {
  return { start: toReal(start), end: toReal(end), text: replacement };
}

function findIndentedSplices(
  usual: Reading,
  ending: LineEnding | undefined,
  edit: LiteralEdit,
  context: EditContext,
): Splice[] {
  const { text, needle } = usual;
  const blocks = edit.anyIndent ? findIndentMatches(text, needle) : [];
  if (blocks.length > 1) {
    const lines = blocks.slice(0, MOST_LINES_NAMED).map((each) => each.line);
    failNotUnique(needle, 'indent', blocks.length, lines, context);
  }
  const [block] = blocks;
  if (block === undefined) {
    if (edit.mustMatch === false) return [];
    const near = nearLines(text, needle);
    return fail({
      kind: 'no-match',
      ...context,
      needle,
      mode: edit.ignoreCase ? 'ignore-case' : 'exact',
      near,
    });
  }
  const replacement = reindent(edit.replace.replaceAll('\r\n', '\n'), needle, block, text);
  return [toSplice(usual, block.start, block.end, withLineEnding(replacement, ending))];
}

function requireCount(count: number, expected: number | undefined, context: EditContext): void {
  if (expected === undefined || expected === count) return;
  fail({ kind: 'unexpected-count', path: context.path, expected, count });
}

/** A second place that overlaps the first makes the text ambiguous, too. */
function requireUnique(
  { text, needle }: Reading,
  ignoreCase: boolean,
  found: Uint32Array,
  context: EditContext,
): void {
  const overlapping = found.length === 1 ? occurrences(text, needle, ignoreCase, found[0]! + 1) : undefined;
  const count = found.length + (overlapping?.length ?? 0);
  if (count === 1) return;
  const first = [
    ...found.subarray(0, MOST_LINES_NAMED),
    ...(overlapping?.subarray(0, MOST_LINES_NAMED) ?? []),
  ];
  const lines = first.slice(0, MOST_LINES_NAMED).map((at) => 1 + newlinesBefore(text, at));
  failNotUnique(needle, ignoreCase ? 'ignore-case' : 'exact', count, lines, context);
}

function failNotUnique(
  needle: string,
  mode: (Failure & { kind: 'not-unique' })['mode'],
  count: number,
  lines: readonly number[],
  context: EditContext,
): never {
  fail({ kind: 'not-unique', ...context, needle, mode, count, lines });
}

const MOST_NEAR = 3;
const MOST_LINES_COMPARED = 5000;
const LONGEST_COMPARED = 120;

/** Lines that resemble the first line of a text that was not found, apart from the whitespace around them. */
export function nearLines(text: string, needle: string): NearMatch[] {
  const wanted = needle
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '');
  if (wanted === undefined || wanted.length > LONGEST_COMPARED) return [];
  const most = Math.floor(wanted.length / 4);
  const near = text
    .split('\n', MOST_LINES_COMPARED)
    .map((line, i) => ({ line: i + 1, text: line, apart: apartBy(wanted, line.trim(), most) }))
    .filter((candidate) => candidate.apart <= most);
  near.sort((a, b) => a.apart - b.apart || a.line - b.line);
  return near.slice(0, MOST_NEAR).map(({ line, text: found }) => ({ line, text: found }));
}

function apartBy(wanted: string, line: string, most: number): number {
  if (line === '' || Math.abs(line.length - wanted.length) > most) return most + 1;
  return distance(wanted, line, most);
}
