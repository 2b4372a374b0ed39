/**
 * The last part of an undo: carries out the steps of a plan. Each step is a change like any other: the journal records
 * it, and it can be undone itself.
 */
import { dirname } from 'node:path';
import { hashOf } from '../../../state/content-hash.ts';
import type { Access } from '../../access/access.ts';
import type { Changes } from '../../access/changes.ts';
import { sweepAllLitter } from '../../confine/content/sweep-drafts.ts';
import type { Dir, Stat } from '../../confine/directory/dir.ts';
import type { Place } from '../../confine/place.ts';
import { STRAIGHT, type Wall } from '../../confine/wall.ts';
import { allDone } from '../../event-loop.ts';
import { fail } from '../../failures.ts';
import { type Replacement, replaceTogether } from '../../files/atomic-replace-many.ts';
import { moveEntry } from '../../files/move.ts';
import { readSnapshot } from '../../files/read/read.ts';
import type { ChangeRecorder } from '../../files/recorder.ts';
import { removeEntry } from '../../files/remove.ts';
import type { Journal } from '../../journal/journal.ts';
import { LARGE_BYTES } from '../../journal/record/capture.ts';
import { stampOf } from '../../journal/record/stamp.ts';
import type { Store } from '../../journal/store.ts';
import { compare, whyNotRestorable } from '../compare.ts';
import { namesIn } from '../compare-content.ts';
import { asChangedMeanwhile } from '../path-without-links.ts';
import { replan, type UndoStep } from '../plan.ts';
import { type BatchedSteps, inBatches } from './batches.ts';
import { DirectoryFlushes } from './directory-flushes.ts';
import { restoreContent, restoreRemoved } from './restore-files.ts';
import { WritableDirectories } from './restore-tree.ts';
import { contentOf, failLost } from './stored-content.ts';

export async function restore(
  access: Access,
  journal: Journal,
  steps: readonly UndoStep[],
  changes: Changes,
): Promise<void> {
  const restoration = new Restoration(access, journal, changes, ownDirectories(steps));
  const due = steps.filter(({ comparison }) => typeof comparison === 'string' || !comparison.left);
  for (const batch of inBatches(due, isPlainContent)) await restoration.restore(batch);
}

type ContentStep = UndoStep & { change: { kind: 'changed' } };

/** Whether a step only restores a small content, of a file that is still as the entry left it. */
function isPlainContent(step: UndoStep): step is ContentStep {
  if (step.change.kind !== 'changed' || step.comparison !== 'after') return false;
  const { before, after } = step.change;
  return before.kept.in === 'store' && before.size < LARGE_BYTES && after.size < LARGE_BYTES;
}

/** Whether a step only removes a file or link that the entry created, and was compared already. */
function isPlainRemoval({ change, later }: UndoStep): boolean {
  return !later && change.kind === 'created' && change.type !== 'directory';
}

/** The directories that the undo itself restores or removes. It may change their entries even if they are read-only. */
function ownDirectories(steps: readonly UndoStep[]): Set<string> {
  const own = new Set<string>();
  for (const { change } of steps) {
    const whole = change.kind === 'created' || change.kind === 'removed';
    if (whole && change.type === 'directory') own.add(change.path);
  }
  return own;
}

class Restoration {
  readonly #access: Access;
  readonly #journal: Journal;
  readonly #changes: Changes;
  readonly #own: ReadonlySet<string>;
  readonly #writable = new WritableDirectories();
  readonly #flushes = new DirectoryFlushes();

  constructor(access: Access, journal: Journal, changes: Changes, own: ReadonlySet<string>) {
    this.#access = access;
    this.#journal = journal;
    this.#changes = changes;
    this.#own = own;
  }

  /** Runs the steps of one batch concurrently, so that they share flushes. */
  async restore(batch: BatchedSteps<ContentStep>): Promise<void> {
    if ('contents' in batch) return this.#contents(batch.contents);
    const removals = batch.steps.filter(isPlainRemoval);
    const others = batch.steps.filter((step) => !isPlainRemoval(step));
    await allDone([this.#removals(removals), ...others.map((step) => this.#step(step))]);
  }

  /** Restores all of these files or none. */
  async #contents(steps: readonly ContentStep[]): Promise<void> {
    const changed = steps.map(({ path }) => ({ path, walk: STRAIGHT, how: 'changed' }) as const);
    const restoring = this.#changes.at(changed, async (places, recorder) => {
      const replacements = new Array<Replacement>(places.length);
      const reading = places.map(async (place, index) => {
        replacements[index] = await replacementAt(place, steps[index]!, this.#journal.store);
      });
      await allDone(reading);
      await replaceTogether(replacements, undefined, recorder);
    });
    await asChangedMeanwhile(steps[0]!.path, restoring);
  }

  /** Removes files that the entry created. They share locks and the flushes of their directories. */
  async #removals(steps: readonly UndoStep[]): Promise<void> {
    if (steps.length === 0) return;
    const changed = steps.map(({ path }) => ({ path, walk: STRAIGHT, how: 'changed' }) as const);
    const removing = this.#changes.at(changed, (places, recorder) =>
      allDone(places.map((place, index) => this.#restoreAt(steps[index]!, place, undefined, recorder))),
    );
    await asChangedMeanwhile(steps[0]!.path, removing);
  }

  async #step(planned: UndoStep): Promise<void> {
    const step = planned.later ? await replan(this.#access, this.#journal, planned) : planned;
    if (!step) return;
    const { change } = step;
    const walk = { ...STRAIGHT, makeParents: change.kind !== 'created' };
    const there = { path: change.path, walk, how: 'changed' } as const;
    const from =
      change.kind === 'moved' ? [{ path: change.to, walk: STRAIGHT, how: 'moved-from' } as const] : [];
    const restoring = this.#changes.at([there, ...from], ([place, target], recorder) =>
      this.#restoreAt(step, place!, target, recorder),
    );
    await asChangedMeanwhile(change.path, restoring);
  }

  /** Does one step. The caller holds the locks of the places. */
  async #restoreAt(
    step: UndoStep,
    place: Place,
    target: Place | undefined,
    recorder: ChangeRecorder,
  ): Promise<void> {
    const { store } = this.#journal;
    if (!(await isStillDue(store, step, place, target))) return;
    await this.#whileWritable([place, ...(target ? [target] : [])], () =>
      restoreStep(step, { place, target }, { wall: this.#access.wall, store, recorder }),
    );
    if (step.change.kind !== 'moved') await this.#flushes.flush(place.dir);
  }

  /** Makes the directories of the places writable meanwhile, if the undo itself restores or removes them. */
  #whileWritable(places: readonly Place[], restoreThere: () => Promise<void>): Promise<void> {
    const dirs: Dir[] = places.filter(({ path }) => this.#own.has(dirname(path))).map(({ dir }) => dir);
    return dirs.reduceRight<() => Promise<void>>(
      (inner, dir) => () => this.#writable.during(dir, inner),
      restoreThere,
    )();
  }
}

async function replacementAt(place: Place, { change }: ContentStep, store: Store): Promise<Replacement> {
  const { before, after } = change;
  const [bytes, now] = [await contentOf(store, before), await readSnapshot(place)];
  if (bytes === undefined) failLost(place);
  if (after.hash !== undefined && (await hashOf(now.bytes)) !== after.hash)
    fail({ kind: 'changed-meanwhile', path: place.shown });
  return { place, bytes, expect: now, mode: modeToRestore(change, now.stat) };
}

/** A command may have changed the mode together with the content. A mode that was set after the entry stays. */
function modeToRestore({ before, after }: ContentStep['change'], now: Stat | undefined): number {
  return now?.type !== 'file' || now.mode === after.mode ? before.mode : now.mode;
}

interface RestoreParts {
  wall: Wall;
  store: Store;
  recorder: ChangeRecorder;
}

/** Restores one path. The journal first keeps what is there. */
async function restoreStep(
  step: UndoStep,
  { place, target }: { place: Place; target: Place | undefined },
  { wall, store, recorder }: RestoreParts,
): Promise<void> {
  const { change, comparison } = step;
  const removing = { recursive: true, signal: undefined, recorder };
  const clear = async () => {
    // An interrupted undo only reserved the name: removing that directory is not a change worth recording.
    const { recorder: _, ...unrecorded } = { ...removing, recursive: false };
    if (place.lstat()) await removeEntry(wall, place, isNameTaken(step, place) ? unrecorded : removing);
  };
  switch (change.kind) {
    case 'changed': {
      const mode = modeToRestore(change, place.lstat());
      if (place.lstat()?.type !== 'file') await clear();
      return restoreContent(store, place, { ...change.before, mode }, recorder);
    }
    case 'created': {
      const recursive = change.whole === true || typeof comparison !== 'string';
      if (!recursive && change.type === 'directory') await sweepIn(place);
      await removeEntry(wall, place, { ...removing, recursive });
      return;
    }
    case 'removed':
      await clear();
      return restoreRemoved(store, place, change.before, recorder);
    case 'moved': {
      // The interrupted move made the new name but did not remove the old one: remove only the new one.
      if (comparison === 'both') await removeEntry(wall, target!, removing);
      else if (comparison !== 'replaced') {
        await clear();
        await moveEntry(wall, target!, place, { ...removing, overwrite: false });
      }
      if (change.replaced && (await whyNotRestorable(store, change.replaced)) === undefined) {
        await restoreRemoved(store, target!, change.replaced, recorder);
        await target!.dir.flush();
      }
    }
  }
}

/** Whether a step is still due. Fails if the path is no longer as the plan found it. The caller holds the locks. */
async function isStillDue(
  store: Store,
  { change, comparison, seen, interrupted }: UndoStep,
  place: Place,
  target: Place | undefined,
): Promise<boolean> {
  const now = place.lstat();
  const same = isSame(now, seen);
  if (typeof comparison !== 'string') {
    // A forced undo replaces only what it has shown as an obstacle.
    if (now && !same) fail({ kind: 'changed-meanwhile', path: place.shown });
    return now !== undefined || change.kind !== 'created';
  }
  if (same && now?.type === 'file' && change.kind !== 'moved') return true;
  const again = await compare(change, { store, place, target, vacated: new Set(), interrupted });
  if (again === 'before') return false;
  if (again !== comparison) fail({ kind: 'changed-meanwhile', path: place.shown });
  return true;
}

/** Directories are compared by inode: their times change as soon as the undo restores something in them. */
function isSame(now: Stat | undefined, seen: Stat | undefined): boolean {
  if (!now || !seen) return now === seen;
  return now.type === 'directory' ? now.ino === seen.ino : stampOf(now) === stampOf(seen);
}

/** Whether an undo was interrupted right after it made an empty directory to reserve the name. */
function isNameTaken({ interrupted, comparison }: UndoStep, place: Place): boolean {
  if (!interrupted || comparison !== 'after') return false;
  return place.lstat()?.type === 'directory' && namesIn(place).length === 0;
}

async function sweepIn(place: Place): Promise<void> {
  await place.inside(sweepAllLitter);
}
