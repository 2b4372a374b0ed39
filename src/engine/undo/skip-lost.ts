/**
 * Decides what a forced undo skips when the journal lacks something, after a command or after `forget`: what cannot be
 * restored, and what may be its only copy. The undo does the rest.
 */

import { isWithin } from '../confine/roots.ts';
import { contentNamesToUndo } from '../journal/entries/contents-needed.ts';
import type { Change, JournalEntry } from '../journal/entries/entry.ts';
import type { Store } from '../journal/store.ts';
import type { Obstacle } from './compare.ts';
import type { UndoStep } from './plan.ts';

/** Marks the steps to skip. If these are all of the steps, nothing can be undone, even by force. */
export function skipLost(
  store: Store,
  { found }: JournalEntry,
  steps: readonly UndoStep[],
): readonly UndoStep[] {
  const lost = new Map<UndoStep, string>();
  for (const step of steps) {
    const { comparison, change } = step;
    if (typeof comparison === 'string' || comparison.forceable) continue;
    if (found || isForgotten(store, change)) lost.set(step, comparison.why);
  }
  if (lost.size === 0) return steps;
  const skipped = withNeighbours(steps, found ? withCopies(steps, lost) : withSamePath(steps, lost));
  const rest = steps.length > skipped.size;
  return steps.map((step) => {
    const why = skipped.get(step);
    return why === undefined ? step : { ...step, comparison: rest ? left(why) : { why, forceable: false } };
  });
}

function isForgotten(store: Store, change: Change): boolean {
  return [...contentNamesToUndo([change])].some((name) => store.isForgotten(name));
}

/** Adds the other changes of the same files: a file that was changed more than once is restored fully or not at all. */
function withSamePath(steps: readonly UndoStep[], lost: Reasons): Reasons {
  const byPath = new Map([...lost].map(([{ path }, why]) => [path, why]));
  const all = new Map(lost);
  for (const step of steps) {
    const why = byPath.get(step.path);
    if (why !== undefined) all.set(step, why);
  }
  return all;
}

function left(why: string): Omit<Obstacle, 'path'> {
  return { why: `${why} (--force leaves it as it is and undoes the rest)`, forceable: true, left: true };
}

type Reasons = ReadonlyMap<UndoStep, string>;

/** Adds the files that now have the size of something lost: each may be a copy of it. */
function withCopies(steps: readonly UndoStep[], lost: Reasons): Reasons {
  const bySize = new Map<number, string>();
  for (const { change } of lost.keys()) {
    const size = sizeBefore(change);
    if (size !== undefined) bySize.set(size, change.path);
  }
  const copies = new Map(lost);
  for (const step of steps) {
    const original = bySize.get(sizeAfter(step.change) ?? -1);
    if (original && !lost.has(step)) {
      copies.set(step, `it may be all that is left of ${original}, which was not kept`);
    }
  }
  return copies;
}

function sizeBefore(change: Change): number | undefined {
  if (change.kind === 'changed') return change.before.size;
  if (change.kind !== 'removed') return undefined;
  const { before } = change;
  if (before.type === 'lost') return before.size;
  return before.type === 'file' ? before.file.size : undefined;
}

function sizeAfter(change: Change): number | undefined {
  return change.kind === 'changed' || change.kind === 'created' ? change.after?.size : undefined;
}

/** Adds new directories that hold something skipped, and what cannot come back because something skipped is there. */
function withNeighbours(steps: readonly UndoStep[], skipped: Reasons): Reasons {
  const stay = [...skipped.keys()].flatMap(({ change }) => {
    if (change.kind === 'moved') return [change.to];
    return change.kind === 'created' ? [change.path] : [];
  });
  const all = new Map(skipped);
  for (const step of steps) {
    const { change, path } = step;
    if (skipped.has(step)) continue;
    const holds = change.kind === 'created' && change.type === 'directory';
    if (holds && stay.some((inside) => isWithin(inside, path))) {
      all.set(step, 'what is in it is left as it is');
    } else if (change.kind !== 'created' && stay.some((above) => isWithin(path, above))) {
      all.set(step, 'what is in its place is left as it is');
    }
  }
  return all;
}
