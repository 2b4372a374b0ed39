/** Writes the difference of two texts as a unified diff, in the form in which `diff -u` prints it. */
import { changedLines, changedRuns } from './diff-lines.ts';
import { numberLines } from './line-ids.ts';
import type { Region } from './shortest-edit.ts';
import { lineAfter, lineAt, lineCount, linesBetween, newlinesBefore, type TextLines } from './text-lines.ts';

export interface DiffOptions {
  oldName: string;
  newName: string;
  /** How many unchanged lines are shown around a change; 3 by default. */
  context?: number;
}

/** The remark in a diff after a line that has no newline. */
export const NO_NEWLINE = '\\ No newline at end of file';

/** Returns '' if the texts are equal. A line ends with `\n`; a `\r` before it is part of the line. */
export function unifiedDiff(oldText: string, newText: string, options: DiffOptions): string {
  if (oldText === newText) return '';
  const context = options.context ?? 3;
  const compared = differingPart(oldText, newText, context);
  const parts = [`--- ${headerName(options.oldName)}\n+++ ${headerName(options.newName)}\n`];
  for (const hunk of hunksOf(changesIn(compared), context)) writeHunk(hunk, compared, context, parts);
  return parts.join('');
}

/** Quotes a name with control characters: a newline or a tab would end the name. */
function headerName(name: string): string {
  return /[\u0000-\u001f\u007f]/.test(name) ? JSON.stringify(name) : name;
}

/** The part of two texts that has to be compared, without most of the equal lines before and after it. */
interface ComparedLines {
  oldLines: TextLines;
  newLines: TextLines;
  /** How many equal lines at the end are only shown as context, and not compared. */
  shownOnly: number;
  /** How many lines come before this part. */
  skipped: number;
}

/** How many equal lines after the last difference are compared, too: changes may read better further down. */
const ROOM_TO_SLIDE = 100;

function differingPart(oldText: string, newText: string, context: number): ComparedLines {
  const { head, tail } = equalEnds(oldText, newText);
  let start = head === 0 ? 0 : oldText.lastIndexOf('\n', head - 1) + 1;
  for (let line = 0; line < context && start > 0; line++) {
    start = start === 1 ? 0 : oldText.lastIndexOf('\n', start - 2) + 1;
  }
  let end = lineAfter(oldText, oldText.length - tail);
  for (let line = 0; line < ROOM_TO_SLIDE && end < oldText.length; line++) end = lineAfter(oldText, end);
  let shownOnly = 0;
  for (; shownOnly < context && end < oldText.length; shownOnly++) end = lineAfter(oldText, end);
  return {
    oldLines: linesBetween(oldText, start, end),
    newLines: linesBetween(newText, start, newText.length - (oldText.length - end)),
    shownOnly,
    skipped: newlinesBefore(oldText, start),
  };
}

/** How many characters are compared at once. */
const STEP = 4096;

/** How many characters are equal at the start, and how many of the rest are equal at the end. */
function equalEnds(oldText: string, newText: string): { head: number; tail: number } {
  const shorter = Math.min(oldText.length, newText.length);
  let head = 0;
  while (head < shorter && oldText.slice(head, head + STEP) === newText.slice(head, head + STEP))
    head += STEP;
  while (head < shorter && oldText.charCodeAt(head) === newText.charCodeAt(head)) head++;
  head = Math.min(head, shorter);
  const most = shorter - head;
  const back = (text: string, from: number, to: number): string =>
    text.slice(text.length - to, text.length - from);
  let tail = 0;
  while (tail + STEP <= most && back(oldText, tail, tail + STEP) === back(newText, tail, tail + STEP))
    tail += STEP;
  while (tail < most && back(oldText, tail, tail + 1) === back(newText, tail, tail + 1)) tail++;
  return { head, tail };
}

function changesIn({ oldLines, newLines, shownOnly }: ComparedLines): Region[] {
  const oldCount = lineCount(oldLines) - shownOnly;
  const newCount = lineCount(newLines) - shownOnly;
  return changedRuns(changedLines(numberLines(oldLines, oldCount, newLines, newCount)));
}

/** Puts changes into one hunk if their context would touch or overlap. */
function hunksOf(changes: readonly Region[], context: number): Region[][] {
  const hunks: Region[][] = [];
  for (const change of changes) {
    const last = hunks.at(-1)?.at(-1);
    if (last !== undefined && change.oldFrom - last.oldTo <= 2 * context) hunks.at(-1)!.push(change);
    else hunks.push([change]);
  }
  return hunks;
}

function writeHunk(
  changes: readonly Region[],
  compared: ComparedLines,
  context: number,
  parts: string[],
): void {
  const first = changes[0]!;
  const last = changes.at(-1)!;
  const before = Math.min(context, first.oldFrom);
  const after = Math.min(context, lineCount(compared.oldLines) - last.oldTo);
  const range = (from: number, to: number): string => {
    const count = to - from + before + after;
    const line = compared.skipped + from - before + (count === 0 ? 0 : 1);
    return count === 1 ? `${line}` : `${line},${count}`;
  };
  parts.push(`@@ -${range(first.oldFrom, last.oldTo)} +${range(first.newFrom, last.newTo)} @@\n`);
  let shown = first.oldFrom - before;
  for (const change of changes) {
    writeLines(' ', compared.oldLines, shown, change.oldFrom, parts);
    writeLines('-', compared.oldLines, change.oldFrom, change.oldTo, parts);
    writeLines('+', compared.newLines, change.newFrom, change.newTo, parts);
    shown = change.oldTo;
  }
  writeLines(' ', compared.oldLines, shown, shown + after, parts);
}

function writeLines(mark: string, lines: TextLines, from: number, to: number, parts: string[]): void {
  for (let line = from; line < to; line++) {
    const text = lineAt(lines, line);
    parts.push(mark, text);
    if (!text.endsWith('\n')) parts.push(`\n${NO_NEWLINE}\n`);
  }
}
