/** Finds what a literal edit would change: exactly, whatever the case, or whatever the indentation. */
import { type Failure, fail, type NearMatch } from '../failures.ts';
import { lineEndingOf, withLineEnding } from './encoding.ts';
import { findIndentMatches, reindent } from './indent-match.ts';
import { newlineView } from './newline-view.ts';
import { distance } from './similar.ts';
import type { Splice } from './splice.ts';

export interface LiteralEdit {
  find: string;
  replace: string;
  ignoreCase: boolean;
  /** 0 is unlimited. */
  limit: number;
  /** Refuses when the text stands in more than one place. */
  unique: boolean;
  /** Tries blocks with another indentation when the exact text is not there. */
  anyIndent: boolean;
}

/** Where the failure of an edit belongs: which file, and which of the call's edits. */
export interface EditContext {
  path: string;
  edit: number;
}

const MOST_LINES_NAMED = 20;

export function findLiteralSplices(text: string, edit: LiteralEdit, context: EditContext): Splice[] {
  const view = newlineView(text);
  const needle = edit.find.replaceAll('\r\n', '\n');
  const ending = lineEndingOf(text);
  const toSplice = (start: number, end: number, replacement: string): Splice => ({
    start: view.toReal(start),
    end: view.toReal(end),
    text: withLineEnding(replacement, ending),
  });

  const found = occurrences(view.text, needle, edit.ignoreCase);
  if (found.length > 0) {
    if (edit.unique) requireUnique(view.text, needle, edit.ignoreCase, found, context);
    const kept = edit.limit === 0 ? found : found.slice(0, edit.limit);
    return kept.map((at) => toSplice(at, at + needle.length, edit.replace));
  }

  const blocks = edit.anyIndent ? findIndentMatches(view.text, needle) : [];
  if (blocks.length > 1) {
    const lines = blocks.slice(0, MOST_LINES_NAMED).map((each) => each.line);
    failNotUnique(needle, 'indent', blocks.length, lines, context);
  }
  const [block] = blocks;
  if (block === undefined) {
    const near = nearLines(view.text, needle);
    return fail({
      kind: 'no-match',
      ...context,
      needle,
      mode: edit.ignoreCase ? 'ignore-case' : 'exact',
      near,
    });
  }
  const replacement = reindent(edit.replace.replaceAll('\r\n', '\n'), needle, block, view.text);
  return [toSplice(block.start, block.end, replacement)];
}

/** The positions where the needle stands, from the left, none overlapping the one before. */
export function occurrences(text: string, needle: string, ignoreCase: boolean, from = 0): number[] {
  const found: number[] = [];
  if (!ignoreCase) {
    const step = needle.length;
    for (let at = text.indexOf(needle, from); at >= 0; at = text.indexOf(needle, at + step)) found.push(at);
    return found;
  }
  const literal = new RegExp(needle.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), 'gi');
  literal.lastIndex = from;
  for (let match = literal.exec(text); match !== null; match = literal.exec(text)) found.push(match.index);
  return found;
}

/** Once means once: a second place that overlaps the first makes the text ambiguous too. */
function requireUnique(
  text: string,
  needle: string,
  ignoreCase: boolean,
  found: readonly number[],
  context: EditContext,
): void {
  const overlapping = found.length === 1 ? occurrences(text, needle, ignoreCase, found[0]! + 1) : [];
  const all = [...found, ...overlapping];
  if (all.length === 1) return;
  const lines = all.slice(0, MOST_LINES_NAMED).map((at) => lineAt(text, at));
  failNotUnique(needle, ignoreCase ? 'ignore-case' : 'exact', all.length, lines, context);
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

export function lineAt(text: string, position: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < position; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

const MOST_NEAR = 3;
const MOST_LINES_COMPARED = 5000;
const LONGEST_COMPARED = 120;

/** Lines that look like the first line of what was not found: the same but for spaces, or nearly so. */
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
