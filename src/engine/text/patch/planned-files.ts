/** Puts the operations of a patch together, so that each file is read once and written once. */
import { fail } from '../../failures.ts';
import { composed, type Part, textOfParts } from '../edit/parts.ts';
import { BOM, countLines, splitLines, textContent } from '../encoding.ts';
import { applyHunks } from './apply-hunks.ts';
import type { FileOperation, LooseHunk } from './file-operation.ts';

const MOST_SHOWN = 3;

/** What becomes of one file: without `from` it is added, without `to` deleted; two different ones rename it. */
export interface PlannedFile {
  from: string | undefined;
  to: string | undefined;
  /** What it holds before the steps; undefined for what it holds on the disk. */
  content: string | undefined;
  /** Hunks to be applied one group after the other. A file that is deleted must be empty after them, if there are any. */
  steps: (readonly LooseHunk[])[];
  mode: number | undefined;
}

/**
 * Two operations may concern the same file, one after the other. Throws where an operation adds a file, or moves one to
 * a name, that the patch itself has put there, and where it needs one that the patch has taken away.
 */
export function plannedFiles(operations: readonly FileOperation[]): PlannedFile[] {
  const files: PlannedFile[] = [];
  for (const operation of operations) {
    const { path } = operation;
    if (operation.kind === 'add') {
      add(files, operation);
      continue;
    }
    const file = fileAt(files, path);
    file.steps.push(...(operation.hunks.length > 0 ? [operation.hunks] : []));
    if (operation.kind === 'delete') file.to = undefined;
    else file.mode = operation.mode ?? file.mode;
    if (operation.kind === 'rename') {
      requireFree(files, operation.newPath);
      file.to = operation.newPath;
    }
  }
  return files.filter(({ from, to }) => from !== undefined || to !== undefined);
}

function add(files: PlannedFile[], { path, content, mode }: FileOperation & { kind: 'add' }): void {
  requireFree(files, path);
  const gone = files.find((file) => file.from === path && file.to === undefined && file.steps.length === 0);
  if (gone === undefined) files.push({ from: undefined, to: path, content, steps: [], mode });
  else Object.assign(gone, { to: path, content, mode });
}

function fileAt(files: PlannedFile[], path: string): PlannedFile {
  const known = files.find((file) => file.to === path);
  if (known !== undefined) return known;
  // What stood there is gone or has another name now.
  if (files.some((file) => file.from === path)) fail({ kind: 'not-found', path, wanted: 'file', near: [] });
  const file = { from: path, to: path, content: undefined, steps: [], mode: undefined };
  files.push(file);
  return file;
}

function requireFree(files: readonly PlannedFile[], path: string): void {
  if (files.some((file) => file.to === path)) fail({ kind: 'exists', path, found: 'file' });
}

/** What a file becomes, and where that comes from: `before` is the text on the disk with its byte-order mark. */
export interface PlannedText {
  text: string;
  parts: readonly Part[];
}

/** `before` is '' for a file that is added. */
export function applyPlan({ content, steps, from, to }: PlannedFile, before: string): PlannedText {
  const path = from ?? to ?? '';
  // A content that replaces another keeps its mark.
  const mark = content !== undefined && before.startsWith(BOM) && !content.startsWith(BOM) ? BOM : '';
  const kept = { from: 0, to: content === undefined ? before.length : mark.length };
  let parts: readonly Part[] = [kept, ...(content === undefined ? [] : [{ text: content }])];
  let text = content === undefined ? before : mark + content;
  for (const hunks of steps) {
    const changed = applyHunks(text, hunks, path);
    text = textOfParts(text, changed);
    parts = composed(parts, changed);
  }
  if (to === undefined && steps.length > 0) requireNothingLeft(text, path, steps.at(-1)!.length);
  return { text, parts };
}

/** A diff that deletes a file names all of its lines. */
function requireNothingLeft(text: string, path: string, hunk: number): void {
  const found = splitLines(textContent(text).text).slice(0, MOST_SHOWN);
  if (found.length > 0)
    fail({ kind: 'hunk-mismatch', path, hunk, line: 1, expected: [], found, elsewhere: [] });
}

/** How many lines the hunks add and remove, and those of a file that is added. */
export function plannedLines({ content, steps }: PlannedFile): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  for (const { mark } of steps.flatMap((hunks) => hunks.flatMap(({ lines }) => lines))) {
    if (mark === '+') added++;
    if (mark === '-') removed++;
  }
  return { added: added + countLines(content ?? ''), removed };
}
