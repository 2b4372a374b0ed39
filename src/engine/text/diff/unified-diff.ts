/** Writes the difference of two texts as a unified diff, in the form in which `diff -u` prints it. */
import { type ChangedLines, changedLines } from './diff-lines.ts';
import { lineAfter, lineAt, lineCount, linesBetween, numberLines, type TextLines } from './line-ids.ts';

export interface DiffOptions {
  oldName: string;
  newName: string;
  /** How many unchanged lines are shown around a change; 3 by default. */
  context?: number;
}

/** What is in a diff after a line that no newline ends. */
export const NO_NEWLINE = '\\ No newline at end of file';

/** The empty string when the texts are equal. A line is ended by `\n`; a `\r` before it belongs to the line. */
export function unifiedDiff(oldText: string, newText: string, options: DiffOptions): string {
  if (oldText === newText) return '';
  const context = options.context ?? 3;
  const compared = differingPart(oldText, newText, context);
  const parts = [`--- ${headerName(options.oldName)}\n+++ ${headerName(options.newName)}\n`];
  for (const hunk of hunksOf(changesIn(compared), context)) writeHunk(hunk, compared, context, parts);
  return parts.join('');
}

/** A line end or a tab would end the header, so a name with one is quoted. */
function headerName(name: string): string {
  return /[\u0000-\u001f\u007f]/.test(name) ? JSON.stringify(name) : name;
}

/** The part of two texts that a diff must look at: equal lines before and after it are left out. */
interface ComparedLines {
  oldLines: TextLines;
  newLines: TextLines;
  /** Equal lines at the end: they are shown as context, not compared. */
  shownOnly: number;
  /** How many lines were left out before. */
  skipped: number;
}

/** Equal lines after the last difference that are compared too: changes may read better further down. */
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

/** Characters that are compared at once where texts are equal for long. */
const STEP = 4096;

/** How many characters are equal at the beginning, and how many of the others at the end. */
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

function newlinesBefore(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** A run of changed lines: removed old ones, added new ones; the ends are exclusive. */
interface LineChange {
  oldFrom: number;
  oldTo: number;
  newFrom: number;
  newTo: number;
}

function changesIn({ oldLines, newLines, shownOnly }: ComparedLines): LineChange[] {
  const oldCount = lineCount(oldLines) - shownOnly;
  const newCount = lineCount(newLines) - shownOnly;
  return runsOf(changedLines(numberLines(oldLines, oldCount, newLines, newCount)));
}

function runsOf(changed: ChangedLines): LineChange[] {
  const runs: LineChange[] = [];
  let oldAt = 0;
  let newAt = 0;
  while (oldAt < changed.old.length || newAt < changed.new.length) {
    const oldFrom = oldAt;
    const newFrom = newAt;
    while (changed.old[oldAt] === 1) oldAt++;
    while (changed.new[newAt] === 1) newAt++;
    if (oldAt > oldFrom || newAt > newFrom) runs.push({ oldFrom, oldTo: oldAt, newFrom, newTo: newAt });
    oldAt++;
    newAt++;
  }
  return runs;
}

/** Changes go into one hunk when their context would touch or overlap. */
function hunksOf(changes: readonly LineChange[], context: number): LineChange[][] {
  const hunks: LineChange[][] = [];
  for (const change of changes) {
    const last = hunks.at(-1)?.at(-1);
    if (last !== undefined && change.oldFrom - last.oldTo <= 2 * context) hunks.at(-1)!.push(change);
    else hunks.push([change]);
  }
  return hunks;
}

function writeHunk(
  changes: readonly LineChange[],
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
