/** Plans an undo: which steps undo the entries of the journal, and which obstacles are in the way. */

import type { Access } from '../access/access.ts';
import type { Stat } from '../confine/directory/dir.ts';
import { Yielder } from '../event-loop.ts';
import { fail } from '../failures.ts';
import type { Change, JournalEntry } from '../journal/entries/entry.ts';
import { concernsDirectory, touchedPaths } from '../journal/entries/touched-paths.ts';
import type { Journal } from '../journal/journal.ts';
import type { Store } from '../journal/store.ts';
import { findDamage } from './check-contents.ts';
import { type Comparison, compare, compareInBetween, type Obstacle } from './compare.ts';
import { type ReachedPath, reach } from './path-without-links.ts';
import { skipLost } from './skip-lost.ts';
import type { UndoTarget } from './undo-chain.ts';

export interface UndoStep {
  path: string;
  does: 'restore' | 'remove' | 'move back';
  change: Change;
  comparison: Comparison;
  /** What the planner found there; also undefined when an earlier step will change it. */
  seen: Stat | undefined;
  /** Whether the entry, or an undo of it, was interrupted. */
  interrupted: boolean;
  /** This step can be compared with the disk only after a newer change of the same path is undone. */
  later?: true;
  /** The older changes of the same entry to the same path. */
  older: readonly Change[];
}

/** For a step whose path will be known only when the earlier steps are done. */
const LATER = { comparison: 'after', seen: undefined } as const;

const DOES = { changed: 'restore', created: 'remove', removed: 'restore', moved: 'move back' } as const;

/** All steps that are left to do, each compared with the disk, in order: the newest entry comes first. */
export async function planUndo(
  access: Access,
  journal: Journal,
  targets: readonly UndoTarget[],
): Promise<UndoStep[]> {
  const vacated = new Set(targets.flatMap(({ entry }) => entry.changes.flatMap(vacatedBy)));
  const planner = new Planner(access, journal, vacated);
  const steps: UndoStep[] = [];
  for (const target of targets) {
    steps.push(...skipLost(journal.store, target.entry, await planner.stepsOf(target)));
  }
  return steps;
}

class Planner {
  readonly #access: Access;
  readonly #journal: Journal;
  readonly #vacated: Set<string>;
  /** The paths that the steps so far will change. */
  readonly #touched = new Set<string>();
  /** The paths of removed things that the steps so far will restore. */
  readonly #back = new Set<string>();

  constructor(access: Access, journal: Journal, vacated: Set<string>) {
    this.#access = access;
    this.#journal = journal;
    this.#vacated = vacated;
  }

  async stepsOf({ entry, interrupted }: UndoTarget): Promise<UndoStep[]> {
    const ordered = inOrderOfUndoing(entry);
    const atPath = positionsByPath(ordered);
    const byNewer = new Set(this.#touched);
    const yielder = new Yielder(undefined);
    const steps: UndoStep[] = [];
    for (const [index, change] of ordered.entries()) {
      if (yielder.isDue) await yielder.pause();
      const { path, kind } = change;
      const later = touchedPaths(change).some((each) => byNewer.has(each)) || this.#comesBack(change);
      const { comparison, seen } = later ? LATER : await this.#compare(change, interrupted);
      if (comparison === 'before') continue;
      const older = (atPath.get(path) ?? []).filter((at) => at > index).map((at) => ordered[at]!);
      if (interrupted && typeof comparison !== 'string' && (await this.#isPassed(path, older))) continue;
      steps.push({
        path,
        does: DOES[kind],
        change,
        comparison,
        seen,
        interrupted,
        older,
        ...(later && { later }),
      });
      for (const each of touchedPaths(change)) this.#touched.add(each);
      if (kind === 'removed') this.#back.add(path);
    }
    return steps;
  }

  async #compare(change: Change, interrupted: boolean): Promise<Pick<UndoStep, 'comparison' | 'seen'>> {
    const { store } = this.#journal;
    // The entry changed the file twice: the content in between is there only during the undo.
    const inBetween = change.kind === 'changed' && this.#touched.has(change.path);
    const { comparison, seen } = inBetween
      ? { comparison: await compareInBetween(store, change), seen: undefined }
      : await compareWithDisk(this.#access, this.#journal, change, this.#vacated, interrupted);
    return {
      comparison: comparison === 'before' ? comparison : await unlessDamaged(store, change, comparison),
      seen,
    };
  }

  /** Whether an earlier step restores something at this path: only after it can this change be compared. */
  #comesBack({ kind, path }: Change): boolean {
    return (kind === 'removed' || kind === 'created') && this.#back.has(path);
  }

  /** Whether an interrupted undo has already undone this change, so that only older changes of the path are left. */
  async #isPassed(path: string, older: readonly Change[]): Promise<boolean> {
    const passed = await isAsLeftBy(this.#access, this.#journal, older, this.#vacated);
    if (passed) this.#vacated.delete(path);
    return passed;
  }
}

async function unlessDamaged(store: Store, change: Change, comparison: Comparison): Promise<Comparison> {
  if (typeof comparison !== 'string' && !comparison.forceable) return comparison;
  const why = await findDamage(store, change);
  return why === undefined ? comparison : { why, forceable: false };
}

export function obstaclesOf(steps: readonly UndoStep[]): Obstacle[] {
  return steps.flatMap(({ path, comparison }) =>
    typeof comparison === 'string' ? [] : [{ path, ...comparison }],
  );
}

function positionsByPath(changes: readonly Change[]): Map<string, number[]> {
  const positions = new Map<string, number[]>();
  for (const [index, change] of changes.entries()) {
    for (const path of touchedPaths(change)) {
      const there = positions.get(path);
      if (there) there.push(index);
      else positions.set(path, [index]);
    }
  }
  return positions;
}

/**
 * The last change first. The changes of a command have no order: the undo restores directories before what was in them
 * or is moved back into them, and removes new directories after what was moved into them.
 */
function inOrderOfUndoing({ changes, found }: JournalEntry): Change[] {
  const last = [...changes].reverse();
  if (!found) return last;
  const removed = changes.filter(({ kind }) => kind === 'removed');
  const created = last.filter(({ kind }) => kind === 'created');
  return [
    ...created.filter((change) => !concernsDirectory(change)),
    ...last.filter(({ kind }) => kind === 'changed'),
    ...removed.filter(concernsDirectory),
    ...last.filter(({ kind }) => kind === 'moved'),
    ...created.filter(concernsDirectory),
    ...removed.filter((change) => !concernsDirectory(change)),
  ];
}

function vacatedBy(change: Change): string[] {
  if (change.kind === 'created') return [change.path];
  return change.kind === 'moved' ? [change.to] : [];
}

async function compareWithDisk(
  access: Access,
  { store }: Journal,
  change: Change,
  vacated: ReadonlySet<string>,
  interrupted: boolean,
): Promise<Pick<UndoStep, 'comparison' | 'seen'>> {
  const from = reach(access, change.path);
  const to = change.kind === 'moved' ? reach(access, change.to) : {};
  try {
    const why = barredBy(from, change, vacated) ?? barredBy(to, change, vacated);
    if (why !== undefined) return { comparison: { why, forceable: false }, seen: undefined };
    const { place } = from;
    const seen = place?.lstat();
    const options = { store, place, target: to.place, vacated, interrupted };
    return { comparison: await compare(change, options), seen };
  } finally {
    from.place?.close();
    to.place?.close();
  }
}

/**
 * Whether a path is as an older change left or found it. If an undo of several changes of one path was interrupted, the
 * newer changes have then been undone already.
 */
async function isAsLeftBy(
  access: Access,
  journal: Journal,
  older: readonly Change[],
  vacated: ReadonlySet<string>,
): Promise<boolean> {
  for (const change of older) {
    const others = new Set(vacated);
    for (const path of touchedPaths(change)) others.delete(path);
    const { comparison } = await compareWithDisk(access, journal, change, others, true);
    if (typeof comparison === 'string') return true;
  }
  return false;
}

/** Compares a step again when the steps before it are done; undefined when nothing is left to do. */
export async function replan(
  access: Access,
  journal: Journal,
  step: UndoStep,
): Promise<UndoStep | undefined> {
  const { change, interrupted, path } = step;
  const { comparison, seen } = await compareWithDisk(access, journal, change, new Set(), interrupted);
  if (comparison === 'before') return undefined;
  if (typeof comparison === 'string') return { ...step, comparison, seen };
  // Undoing the newer entry restored what is there, or an older change left it.
  if (change.kind === 'removed' && seen) return undefined;
  if (await isAsLeftBy(access, journal, step.older, new Set())) return undefined;
  return fail({ kind: 'changed-meanwhile', path });
}

/**
 * Why a barrier stops an undo; undefined when it does not. The undo itself removes barriers that the entry created. If
 * a barrier can hide nothing, a created file behind it is gone, and nothing is left to undo.
 */
function barredBy(
  { barrier }: ReachedPath,
  { kind }: Change,
  vacated: ReadonlySet<string>,
): string | undefined {
  if (!barrier || vacated.has(barrier.path)) return undefined;
  return kind === 'created' && !barrier.hides ? undefined : barrier.why;
}
