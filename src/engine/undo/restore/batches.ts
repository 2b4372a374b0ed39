/** Groups the steps of an undo that may run concurrently: with thousands of files, it must not wait for each flush. */
import { dirname } from 'node:path';
import { touchedPaths } from '../../journal/entries/touched-paths.ts';
import type { UndoStep } from '../plan.ts';

/** How many contents are restored together, all or none: checking and renaming one group must not block other calls. */
const CONTENTS_TOGETHER = 128;
const STEPS_TOGETHER = 128;

export type BatchedSteps<Content> = { contents: readonly Content[] } | { steps: readonly UndoStep[] };

/**
 * Keeps the order of the plan. But where the entry moved and removed nothing, plain contents come first, sorted by
 * directory: their order does not matter, and each directory is flushed once.
 */
export function* inBatches<Content extends UndoStep>(
  steps: readonly UndoStep[],
  isPlainContent: (step: UndoStep) => step is Content,
): Generator<BatchedSteps<Content>> {
  const ordered = steps.some(({ change }) => change.kind === 'moved' || change.kind === 'removed');
  const once = new Set(steps.map(({ path }) => path)).size === steps.length;
  const plain = once && !ordered ? steps.filter(isPlainContent) : [];
  if (plain.length > CONTENTS_TOGETHER) plain.sort((a, b) => (a.path < b.path ? -1 : 1));
  for (let at = 0; at < plain.length; at += CONTENTS_TOGETHER) {
    yield { contents: plain.slice(at, at + CONTENTS_TOGETHER) };
  }
  const done = new Set<UndoStep>(plain);
  let batch = new Batch();
  for (const step of steps) {
    if (done.has(step)) continue;
    if (!batch.accepts(step)) {
      if (batch.steps.length > 0) yield batch;
      batch = new Batch();
    }
    batch.add(step);
  }
  if (batch.steps.length > 0) yield batch;
}

/** Consecutive steps that do not depend on each other. */
class Batch {
  readonly steps: UndoStep[] = [];
  readonly #paths = new Set<string>();
  readonly #above = new Set<string>();

  accepts(step: UndoStep): boolean {
    if (this.steps.length === 0) return true;
    if (this.steps.length >= STEPS_TOGETHER || !isSimple(step) || !isSimple(this.steps[0]!)) return false;
    return touchedPaths(step.change).every(
      (path) =>
        !this.#paths.has(path) &&
        !this.#above.has(path) &&
        !ancestors(path).some((each) => this.#paths.has(each)),
    );
  }

  add(step: UndoStep): void {
    this.steps.push(step);
    for (const path of touchedPaths(step.change)) {
      this.#paths.add(path);
      for (const above of ancestors(path)) this.#above.add(above);
    }
  }
}

/** Whether a step concerns one file or link, was compared already, and leaves nothing older to undo at its path. */
function isSimple({ change, later, older }: UndoStep): boolean {
  return !later && older.length === 0 && (change.kind === 'changed' || change.type !== 'directory');
}

function ancestors(path: string): string[] {
  const above: string[] = [];
  for (let each = dirname(path); each !== dirname(each); each = dirname(each)) above.push(each);
  return above;
}
