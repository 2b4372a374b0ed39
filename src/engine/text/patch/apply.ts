/**
 * Applies a parsed patch to a text.
 *
 * A hunk is tried at its stated line, moved by as much as the hunk before it was moved, and then at the nearest place
 * where all of its old lines occur. If two places are equally near, it is refused. There is no fuzz: every line of
 * context must match. Hunks stay in their order and never touch a line that an earlier one has changed; they may share
 * lines of context.
 */
import { fail } from '../../failures.ts';
import { linesBetween } from '../diff/text-lines.ts';
import { BOM } from '../encoding.ts';
import { withoutReturn } from '../line-endings.ts';
import { hunkMismatch, linesLeft, twoPlaces } from './mismatch.ts';
import { linesAsText } from './new-content.ts';
import { type Endings, endingsOf, Output } from './output.ts';
import type { Hunk, HunkLine, ParsedPatch } from './parse/parse.ts';
import { findPlaces, patchedLines } from './place.ts';

export type Patched = { text: string } | { deleted: true };

/**
 * `whole` is the text with its byte-order mark, undefined if there is no file; `path` is for failures. The mark stays
 * as it is, unless the patch shows it: then the patch decides.
 */
export function applyPatch(patch: ParsedPatch, whole: string | undefined, path: string): Patched {
  if (patch.action === 'create') return { text: linesAsText(patch.hunks.flatMap(({ lines }) => lines)) };
  if (whole === undefined) fail({ kind: 'not-found', path, wanted: 'file', near: [] });
  const mark = whole.startsWith(BOM) && !showsMark(patch.hunks, whole) ? BOM : '';
  const patched = changedText(patch, whole.slice(mark.length), path);
  return 'text' in patched ? { text: mark + patched.text } : patched;
}

/**
 * Whether the patch shows a byte-order mark on the first line of the file, before or after the change. A hunk that
 * states another line is meant for the first one if it begins with exactly that line.
 */
function showsMark([first]: readonly Hunk[], whole: string): boolean {
  if (!first) return false;
  const firstOf = (other: HunkLine['mark']) => first.lines.find((line) => line.mark !== other)?.text;
  const before = firstOf('+');
  if (first.oldStart > 1) {
    return (
      before?.startsWith(BOM) === true && withoutReturn(before) === withoutReturn(whole.split('\n', 1)[0]!)
    );
  }
  return [before, firstOf('-')].some((text) => text?.startsWith(BOM));
}

function changedText(patch: ParsedPatch, oldText: string, path: string): Patched {
  const { hunks } = patch;
  const endings = endingsOf(hunks);
  const lines = linesBetween(oldText, 0, oldText.length);
  const text = patchedLines(lines, (line) => keyOfLine(line, endings));
  const output = new Output(lines, endings);
  let moved = 0;
  for (const [index, hunk] of hunks.entries()) {
    const old = hunk.lines.filter((line) => line.mark !== '+');
    const first = Math.max(0, hunk.oldStart + moved - (old.length > 0 ? 1 : 0));
    const wanted = { hunk, keys: old.map((line) => keyOf(line, endings)), stated: first, from: output.done };
    const [place, other] = findPlaces(wanted, text);
    if (place === undefined) fail({ ...hunkMismatch(wanted, text), path, hunk: index + 1 });
    if (other !== undefined) fail({ ...twoPlaces(wanted, text, [place, other]), path, hunk: index + 1 });
    if (patch.action === 'delete' && place > output.done) break;
    // A hunk with old lines that states line 0 means the first line.
    if (old.length > 0) moved = place - Math.max(0, hunk.oldStart - 1);
    output.write(hunk, place);
  }
  if (patch.action === 'change') return { text: output.finish() };
  if (output.done < text.count) fail({ ...linesLeft(text, output.done), path, hunk: hunks.length });
  return { deleted: true };
}

/** The key of a line without a newline ends with one, so that no other line can have the same key. */
function keyOf({ text, newline }: Pick<HunkLine, 'text' | 'newline'>, endings: Endings): string {
  if (!newline) return `${text}\n`;
  return endings === 'both' ? text : withoutReturn(text);
}

/** The key of a line that still has its newline, if it has one. */
function keyOfLine(line: string, endings: Endings): string {
  const newline = line.endsWith('\n');
  return keyOf({ text: newline ? line.slice(0, -1) : line, newline }, endings);
}
