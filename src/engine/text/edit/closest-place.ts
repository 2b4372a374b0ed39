/** Finds the part of a file that has most in common with a text that stands nowhere in it. */
import { excerpt } from '../diff/excerpt.ts';
import { unifiedDiff } from '../diff/unified-diff.ts';
import { splitLines } from '../encoding.ts';
import type { ClosestPlace } from './edit-refusal.ts';
import { nearLines } from './literal-edit.ts';
import { plainTypography } from './typography.ts';

const MOST_DIFF_LINES = 20;
/** How many ranges that are as good as the best one are compared more closely: a file may repeat itself. */
const MOST_EQUAL = 1000;

/** By lines in common; without any, the line that looks most like the first line of the text. */
export function closestPlace(text: string, wanted: string): ClosestPlace | undefined {
  const lines = splitLines(text);
  const looked = splitLines(wanted);
  const window = bestWindow(lines.map(keyOf), looked.map(keyOf));
  if (window !== undefined) return placeAt(lines, looked, window.from, window.shared);
  const [near] = nearLines(text, wanted);
  if (near === undefined) return undefined;
  const first = looked.findIndex((line) => line.trim() !== '');
  return placeAt(lines, looked, Math.max(0, near.line - 1 - first), 0);
}

/** Blanks and typography do not tell lines apart; a blank line has no key, since it stands everywhere. */
function keyOf(line: string): string {
  return plainTypography(line).replace(/\s+/g, ' ').trim();
}

/** The range of the file, as long as the text, that has most of the text's lines; the first of several. */
export function bestWindow(lines: readonly string[], wanted: readonly string[]) {
  const missing = new Map<string, number>();
  for (const key of wanted) if (key !== '') missing.set(key, (missing.get(key) ?? 0) + 1);
  let shared = 0;
  let equal = 0;
  let best = { from: 0, shared: 0, aligned: 0 };
  const change = (key: string | undefined, by: 1 | -1) => {
    const left = key === undefined ? undefined : missing.get(key);
    if (left === undefined) return;
    // A line that enters the range counts when the text still lacks it; one that leaves it may be lacking again.
    if (by === 1 ? left > 0 : left >= 0) shared += by;
    missing.set(key!, left - by);
  };
  for (let end = 0; end < lines.length + wanted.length - 1; end++) {
    change(lines[end], 1);
    change(lines[end - wanted.length], -1);
    const from = end - wanted.length + 1;
    if (shared === 0 || shared < best.shared || (shared === best.shared && ++equal > MOST_EQUAL)) continue;
    const aligned = wanted.filter((key, index) => key !== '' && lines[from + index] === key).length;
    if (shared > best.shared || aligned > best.aligned) best = { from, shared, aligned };
  }
  return best.shared === 0 ? undefined : best;
}

function placeAt(
  lines: readonly string[],
  wanted: readonly string[],
  from: number,
  shared: number,
): ClosestPlace {
  const start = Math.max(0, from);
  const found = lines.slice(start, Math.max(from + wanted.length, start + 1));
  const all = diffLines(wanted, found);
  const diff = all.slice(0, MOST_DIFF_LINES).map((line) => excerpt(line, ''));
  return { line: start + 1, shared, of: wanted.length, diff, isCut: all.length > MOST_DIFF_LINES };
}

function diffLines(wanted: readonly string[], found: readonly string[]): string[] {
  const context = wanted.length + found.length;
  const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
  const diff = unifiedDiff(text(wanted), text(found), { oldName: 'wanted', newName: 'found', context });
  return diff.split('\n').slice(3, -1);
}

/** A line that stands for lines left out, as in `// ... existing code ...`. */
const ELISION =
  /^\s*(?:\/\/|#|--|;|%|\/\*+|<!--|\(\*)?\s*(?:\.\.\.|\u2026)(?:[^.]*(?:\.\.\.|\u2026))?\s*(?:\*\/|-->|\*\))?\s*$/;

export function hasElision(text: string): boolean {
  return splitLines(text).some((line) => ELISION.test(line));
}
