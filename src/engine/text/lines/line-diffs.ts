/**
 * Replaces blocks of lines that must be at the stated lines. All line numbers are those of the original text, however
 * many lines the other blocks add or remove.
 */
import { EngineFailure, type Failure, fail } from '../../failures.ts';
import { excerpt } from '../diff/excerpt.ts';
import { contentAt, lineCount, linesBetween, type TextLines } from '../diff/text-lines.ts';
import { type BlockIndex, blockIndex, type KeyedLines } from '../edit/literal/block-places.ts';
import { countLines } from '../encoding.ts';
import { lineEndingOf } from '../line-endings.ts';
import { type LineSplice, sentLines, spliceLines } from './line-splice.ts';

export interface LineDiff {
  /** Counted from 1. */
  startLine: number;
  /** The lines that must be there; an empty string is an empty line. */
  search: string;
  /** The lines that replace them; an empty string removes them. */
  replace: string;
}

export interface LineDiffOptions {
  /** Compares lines without the whitespace around them. */
  trim?: boolean;
  /** Applies the diffs that fit instead of failing if one does not. */
  partly?: boolean;
}

/** The outcome of one diff: how many lines it removed and added, or why it was not applied. */
export type LineDiffResult = { removed: number; added: number } | { failure: Failure };

export interface LineDiffsApplied {
  text: string;
  /** How many lines the text has now. */
  lines: number;
  /** One for each diff, in the order of the call. */
  results: LineDiffResult[];
}

const MOST_LINES_SHOWN = 5;
const MOST_PLACES = 10;

interface Placed extends LineSplice {
  /** The number of the diff in the call, counted from 1. */
  diff: number;
}

export function applyLineDiffs(
  text: string,
  diffs: readonly LineDiff[],
  { trim = false, partly = false }: LineDiffOptions,
  path: string,
): LineDiffsApplied {
  const lines = linesBetween(text, 0, text.length);
  const original: Original = { lines, trim, path, taken: new Int32Array(lineCount(lines)), index: undefined };
  const placed: Placed[] = [];
  const results = diffs.map((diff, index): LineDiffResult => {
    try {
      const found = placeOf(diff, index + 1, original);
      requireApart(found, original);
      placed.push(found);
      return { removed: found.remove, added: found.insert.length };
    } catch (error) {
      if (!partly || !(error instanceof EngineFailure)) throw error;
      return { failure: error.facts };
    }
  });
  placed.sort((a, b) => a.at - b.at);
  const otherwise = lineEndingOf(diffs.map(({ replace }) => replace).join(''));
  const now = spliceLines(original.lines, placed, otherwise);
  return { text: now, lines: countLines(now), results };
}

interface Original {
  lines: TextLines;
  trim: boolean;
  path: string;
  /** The number of the diff that replaces each line; 0 for none. */
  taken: Int32Array;
  /** Built for the first block that is not at its line. */
  index: BlockIndex | undefined;
}

function placeOf(diff: LineDiff, number: number, original: Original): Placed {
  const { lines, trim, path } = original;
  const count = lineCount(lines);
  if (diff.startLine > count) fail({ kind: 'line-out-of-range', path, line: diff.startLine, lines: count });
  const at = diff.startLine - 1;
  const wanted = sentLines(diff.search);
  const text = keyedLines(lines, trim);
  const differs = wanted.findIndex((line, i) => at + i >= count || text.keyAt(at + i) !== key(line, trim));
  if (differs >= 0) fail({ ...mismatch(wanted, at, differs, original), hunk: number });
  return {
    diff: number,
    at,
    remove: wanted.length,
    insert: diff.replace === '' ? [] : sentLines(diff.replace),
  };
}

function requireApart(found: Placed, { taken, path }: Original): void {
  const lines = taken.subarray(found.at, found.at + found.remove);
  const first = lines.reduce((least, diff) => (diff > 0 && (least === 0 || diff < least) ? diff : least), 0);
  if (first > 0) fail({ kind: 'overlap', path, first, second: found.diff });
  lines.fill(found.diff);
}

/** `line` is the first line that differs; `expected` and `found` begin with it. */
function mismatch(wanted: readonly string[], at: number, differs: number, original: Original) {
  const { lines, trim, path } = original;
  original.index ??= blockIndex(keyedLines(lines, trim));
  const from = at + differs;
  const to = Math.min(from + Math.min(wanted.length - differs, MOST_LINES_SHOWN), lineCount(lines));
  const found: string[] = [];
  for (let line = from; line < to; line++) found.push(contentAt(lines, line));
  const expected = wanted.slice(differs, differs + MOST_LINES_SHOWN);
  return {
    kind: 'hunk-mismatch' as const,
    path,
    line: from + 1,
    expected: expected.map((line, index) => excerpt(line, found[index] ?? '')),
    found: found.map((line, index) => excerpt(line, expected[index] ?? '')),
    elsewhere: linesWith(
      wanted.map((line) => key(line, trim)),
      original.index,
    ),
  };
}

/** The lines, counted from 1, where the whole block occurs; none for blank lines, which occur everywhere. */
function linesWith(keys: readonly string[], index: BlockIndex): number[] {
  if (keys.every((each) => each.trim() === '')) return [];
  return index
    .placesOf(keys)
    .slice(0, MOST_PLACES)
    .map((place) => place + 1);
}

function keyedLines(lines: TextLines, trim: boolean): KeyedLines {
  return { count: lineCount(lines), keyAt: (line) => key(contentAt(lines, line), trim) };
}

function key(line: string, trim: boolean): string {
  return trim ? line.trim() : line;
}
