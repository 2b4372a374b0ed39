/** Combines the operations of a patch, so that each file is read once and written once. */
import { fail } from '../../failures.ts';
import { composed, type Part, textOfParts } from '../edit/parts.ts';
import { BOM, countLines, splitLines, textContent } from '../encoding.ts';
import { applyHunks } from './apply-hunks.ts';
import type { FileOperation, LooseHunk } from './parse/file-operation.ts';

const MOST_SHOWN = 3;

/** What happens to one file: without `from` it is added, without `to` it is deleted; if they differ, it is renamed. */
export interface PlannedFile {
  from: string | undefined;
  to: string | undefined;
  /** Its content before the steps; undefined for its content on the disk. */
  content: string | undefined;
  /** Groups of hunks, to be applied one after the other. If a deleted file has any, they must leave it empty. */
  steps: PlannedSteps;
  mode: number | undefined;
  /** How many lines the hunks add and remove; all lines of an added file count. */
  counts: { added: number; removed: number };
}

/** JSON while it is sent between threads: a message copies one long text quickly, but many small objects slowly. */
export type PlannedSteps = (readonly LooseHunk[])[] | string;

/** The same plan with its hunks, if it has any, as JSON. */
export function withPackedSteps(plan: PlannedFile): PlannedFile {
  return hasSteps(plan) ? { ...plan, steps: JSON.stringify(stepsOf(plan)) } : plan;
}

export function hasSteps({ steps }: PlannedFile): boolean {
  return steps.length > 0;
}

function stepsOf({ steps }: PlannedFile): (readonly LooseHunk[])[] {
  return typeof steps === 'string' ? JSON.parse(steps) : steps;
}

interface NewPlan extends Omit<PlannedFile, 'counts'> {
  steps: (readonly LooseHunk[])[];
}

/**
 * Several operations may change the same file, one after the other. Fails if an operation adds a file, or moves one,
 * to a name that the patch has already used, or needs a file that the patch has already removed.
 */
export function plannedFiles(operations: readonly FileOperation[]): PlannedFile[] {
  const plans = new Plans();
  for (const operation of operations) {
    if (operation.kind === 'add') {
      plans.add(operation);
      continue;
    }
    const file = plans.at(operation.path);
    const mustRemove = operation.kind === 'delete' && operation.byLines;
    if (operation.hunks.length > 0 || mustRemove) file.steps.push(operation.hunks);
    if (operation.kind === 'delete') plans.rename(file, undefined);
    else file.mode = operation.mode ?? file.mode;
    if (operation.kind === 'rename') plans.rename(file, operation.newPath);
  }
  return plans.files
    .filter(({ from, to }) => from !== undefined || to !== undefined)
    .map((plan) => ({ ...plan, counts: countedLines(plan) }));
}

/** Finds plans by file name: a patch may have thousands of files. */
class Plans {
  readonly files: NewPlan[] = [];
  readonly #byOldName = new Map<string, NewPlan>();
  readonly #byNewName = new Map<string, NewPlan>();

  at(path: string): NewPlan {
    const known = this.#byNewName.get(path);
    if (known !== undefined) return known;
    // An earlier operation deleted or renamed the file.
    if (this.#byOldName.has(path)) fail({ kind: 'not-found', path, wanted: 'file', near: [] });
    const file: NewPlan = { from: path, to: path, content: undefined, steps: [], mode: undefined };
    this.#byOldName.set(path, file);
    return this.#put(file, path);
  }

  add({ path, content, mode }: FileOperation & { kind: 'add' }): void {
    this.#requireFree(path);
    const old = this.#byOldName.get(path);
    if (old === undefined || old.to !== undefined || old.steps.length > 0) {
      this.#put({ from: undefined, to: path, content, steps: [], mode }, path);
      return;
    }
    Object.assign(old, { to: path, content, mode });
    this.#byNewName.set(path, old);
  }

  rename(file: NewPlan, to: string | undefined): void {
    if (to !== undefined) this.#requireFree(to);
    if (file.to !== undefined) this.#byNewName.delete(file.to);
    if (to !== undefined) this.#byNewName.set(to, file);
    file.to = to;
  }

  #put(file: NewPlan, path: string): NewPlan {
    this.files.push(file);
    this.#byNewName.set(path, file);
    return file;
  }

  #requireFree(path: string): void {
    if (this.#byNewName.has(path)) fail({ kind: 'exists', path, found: 'file' });
  }
}

/** The new text of a file, and the parts of it that come from the text on the disk. */
export interface PlannedText {
  text: string;
  parts: readonly Part[];
}

/** `before` is the text on the disk with its byte-order mark; for a file that is added, '' or the mark alone. */
export function applyPlan(plan: PlannedFile, before: string): PlannedText {
  const { content, from, to } = plan;
  const steps = stepsOf(plan);
  const path = from ?? to ?? '';
  // Content that replaces another one keeps its byte-order mark.
  const mark = content !== undefined && before.startsWith(BOM) && !content.startsWith(BOM) ? BOM : '';
  const kept = { from: 0, to: content === undefined ? before.length : mark.length };
  let parts: readonly Part[] = [kept, ...(content === undefined ? [] : [{ text: content }])];
  let text = content === undefined ? before : mark + content;
  for (const hunks of steps) {
    const changed = applyHunks(text, hunks, path);
    text = textOfParts(text, changed);
    parts = composed(parts, changed);
  }
  if (to === undefined && steps.length > 0) requireNothingLeft(text, path, Math.max(1, steps.at(-1)!.length));
  return { text, parts };
}

/** A diff that deletes a file must name all of its lines. */
function requireNothingLeft(text: string, path: string, hunk: number): void {
  const found = splitLines(textContent(text).text).slice(0, MOST_SHOWN);
  if (found.length > 0)
    fail({ kind: 'hunk-mismatch', path, hunk, line: 1, expected: [], found, elsewhere: [] });
}

function countedLines({ content, steps }: NewPlan): PlannedFile['counts'] {
  let added = 0;
  let removed = 0;
  for (const hunk of steps.flat()) {
    for (const { mark } of hunk.lines) {
      if (mark === '+') added++;
      if (mark === '-') removed++;
    }
  }
  return { added: added + countLines(content ?? ''), removed };
}
