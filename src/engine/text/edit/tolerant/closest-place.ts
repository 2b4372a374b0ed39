/** Finds the part of a file that has most in common with a text that occurs nowhere in it. */
import { excerpt } from '../../diff/excerpt.ts';
import { lineAfter } from '../../diff/text-lines.ts';
import { unifiedDiff } from '../../diff/unified-diff.ts';
import { splitLines } from '../../encoding.ts';
import type { ClosestPlace } from '../edit-refusal.ts';
import { nearLines } from '../literal/literal-edit.ts';
import { idsOfLines, keyOf } from './line-keys.ts';

const MOST_DIFF_LINES = 20;
/** How many ranges with as many shared lines as the best one are compared more closely: a file may be repetitive. */
const MOST_EQUAL = 1000;

/** Compares by lines in common; without any, takes the line that most resembles the first line of the text. */
export function closestPlace(text: string, wanted: string): ClosestPlace | undefined {
  const looked = splitLines(wanted);
  const ids = idsOfLines(text, looked.map(keyOf));
  const window = bestWindow(ids.text, ids.wanted);
  if (window !== undefined) return placeAt(text, looked, window.from, window.shared);
  const [near] = nearLines(text, wanted);
  if (near === undefined) return undefined;
  const first = looked.findIndex((line) => line.trim() !== '');
  return placeAt(text, looked, Math.max(0, near.line - 1 - first), 0);
}

/**
 * The range of the file, as long as the text, that shares the most lines with it. If there are several, the one with
 * most lines in the same position wins, and then the first. Lines with an empty key, or 0, do not count.
 */
export function bestWindow<K extends string | number>(lines: ArrayLike<K>, wanted: readonly K[]) {
  const missing = new Map<K, number>();
  for (const key of wanted) if (key) missing.set(key, (missing.get(key) ?? 0) + 1);
  let shared = 0;
  let equal = 0;
  const alignedAt = (from: number) =>
    wanted.filter((key, index) => key && lines[from + index] === key).length;
  /** `aligned` is counted only if another range shares as many lines. */
  let best: { from: number; shared: number; aligned?: number } = { from: 0, shared: 0 };
  const change = (key: K | undefined, by: 1 | -1) => {
    const left = key === undefined ? undefined : missing.get(key);
    if (left === undefined) return;
    // A line that enters the range counts if the range lacked it; after one leaves, the range may lack it again.
    if (by === 1 ? left > 0 : left >= 0) shared += by;
    missing.set(key!, left - by);
  };
  for (let end = 0; end < lines.length + wanted.length - 1; end++) {
    change(lines[end], 1);
    change(lines[end - wanted.length], -1);
    const from = end - wanted.length + 1;
    if (shared === 0 || shared < best.shared || (shared === best.shared && ++equal > MOST_EQUAL)) continue;
    if (shared > best.shared) {
      best = { from, shared };
      continue;
    }
    best.aligned ??= alignedAt(best.from);
    const aligned = alignedAt(from);
    if (aligned > best.aligned) best = { from, shared, aligned };
  }
  return best.shared === 0 ? undefined : best;
}

function placeAt(text: string, wanted: readonly string[], from: number, shared: number): ClosestPlace {
  const start = Math.max(0, from);
  const found = linesFrom(text, start, Math.max(from + wanted.length, start + 1));
  const all = diffLines(wanted, found);
  const diff = all.slice(0, MOST_DIFF_LINES).map((line) => excerpt(line, ''));
  return { line: start + 1, shared, of: wanted.length, diff, isCut: all.length > MOST_DIFF_LINES };
}

/** Splits only the lines in question: there may be millions before and after them. */
function linesFrom(text: string, start: number, end: number): string[] {
  let from = 0;
  for (let line = 0; line < start; line++) from = lineAfter(text, from);
  let to = from;
  for (let line = start; line < end; line++) to = lineAfter(text, to);
  return splitLines(text.slice(from, to));
}

function diffLines(wanted: readonly string[], found: readonly string[]): string[] {
  const context = wanted.length + found.length;
  const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
  const diff = unifiedDiff(text(wanted), text(found), { oldName: 'wanted', newName: 'found', context });
  return diff.split('\n').slice(3, -1);
}

const COMMENT_START = /^(?:\/\/|#|--|;|%|\/\*+|<!--|\(\*)/;
const COMMENT_END = /(?:\*\/|-->|\*\))$/;
const ELISION = /^(?:\.\.\.|\u2026)(?:[^.]*(?:\.\.\.|\u2026))?$/;

/** Whether a line of the text stands for omitted lines, as in `// ... existing code ...`. */
export function hasElision(text: string): boolean {
  return splitLines(text).some(isElision);
}

function isElision(line: string): boolean {
  const comment = line.trim();
  return ELISION.test(comment.replace(COMMENT_START, '').replace(COMMENT_END, '').trim());
}
