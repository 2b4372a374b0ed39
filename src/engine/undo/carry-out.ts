/**
 * Takes an entry of the journal back. What is in the way is found first; nothing is touched while something
 * is. Taking back is a change like any other: it is recorded, and can be taken back itself.
 */
import { dirname } from 'node:path';
import { hashOf } from '../../state/content-hash.ts';
import type { Access } from '../access/access.ts';
import type { Changes } from '../access/changes.ts';
import { whileLocked } from '../access/locks.ts';
import type { Stat } from '../confine/dir.ts';
import type { Place } from '../confine/place.ts';
import type { Wall } from '../confine/wall.ts';
import { fail } from '../failures.ts';
import { moveEntry } from '../files/move.ts';
import { readSnapshot } from '../files/read.ts';
import type { Recording } from '../files/recorder.ts';
import { removeEntry } from '../files/remove.ts';
import { type Replacement, replaceTogether } from '../files/replace-many.ts';
import type { JournalEntry } from '../journal/entries/entry.ts';
import { pathsOf } from '../journal/entries/touched-paths.ts';
import type { Journal } from '../journal/journal.ts';
import { LARGE_BYTES } from '../journal/record/capture.ts';
import { stampOf } from '../journal/record/stamp.ts';
import type { Store } from '../journal/store.ts';
import { standingOf, whyNotPutBack } from './compare.ts';
import { namesIn, sweep } from './compare-content.ts';
import { onTheWay, STRAIGHT, wayTo } from './path-without-links.ts';
import { lookedAtNow, type UndoStep } from './plan.ts';
import { putBackContent, putBackRemoved } from './restore.ts';
import { withLeave } from './restore-tree.ts';
import { contentOf, failLost } from './stored-content.ts';

/** Waits for those who are changing these files at this moment, in this process or another. */
export async function waitForOthers(access: Access, entry: JournalEntry): Promise<void> {
  for (const path of new Set(pathsOf(entry))) {
    const { place } = wayTo(access, path);
    if (place)
      await whileLocked(access.locks, [place], undefined, async () => {}).finally(() => place.close());
  }
}

/** Does the steps of a plan. What is in the way is kept and then overrun. */
export async function carryOut(
  access: Access,
  journal: Journal,
  steps: readonly UndoStep[],
  changes: Changes,
): Promise<void> {
  const ordered = steps.some(({ change }) => change.kind === 'moved' || change.kind === 'removed');
  const once = new Set(steps.map(({ path }) => path)).size === steps.length;
  const plain = once && !ordered ? steps.filter(isPlainContent) : [];
  if (plain.length > 0) await putBackTogether(journal, plain, changes);
  const rest = new Set<UndoStep>(steps);
  for (const step of plain) rest.delete(step);
  for (const step of steps) if (typeof step.standing !== 'string' && step.standing.left) rest.delete(step);
  const own = directoriesOf(steps);
  for (const step of rest) {
    const due = step.later ? await lookedAtNow(access, journal, step) : step;
    if (due) await takeBack(access, journal, due, own, changes);
  }
}

/** Those that are brought back or taken away: they may be ones in which nothing may be changed. */
function directoriesOf(steps: readonly UndoStep[]): Set<string> {
  const own = new Set<string>();
  for (const { change } of steps) {
    const whole = change.kind === 'created' || change.kind === 'removed';
    if (whole && change.type === 'directory') own.add(change.path);
  }
  return own;
}

/** Takes away what a server that was cut off in the middle of the entry has left beside its files. */
export function sweepAround(access: Access, entry: JournalEntry): void {
  const swept = new Set<string>();
  for (const path of pathsOf(entry)) {
    const { place } = wayTo(access, path);
    if (place && !swept.has(place.dir.identity)) sweep(place.dir);
    if (place) swept.add(place.dir.identity);
    place?.close();
  }
}

type ContentStep = UndoStep & { change: { kind: 'changed' } };

/** A content that is put back where the file still is as the entry left it. */
function isPlainContent(step: UndoStep): step is ContentStep {
  if (step.change.kind !== 'changed' || step.standing !== 'after') return false;
  const { before, after } = step.change;
  return before.kept.in === 'store' && before.size < LARGE_BYTES && after.size < LARGE_BYTES;
}

/** All of them or none. */
async function putBackTogether(
  journal: Journal,
  steps: readonly ContentStep[],
  changes: Changes,
): Promise<void> {
  const concerned = steps.map(({ path }) => ({ path, walk: STRAIGHT, how: 'changed' }) as const);
  const undoing = changes.at(concerned, async (places, recording) => {
    const replacements: Replacement[] = [];
    for (const [index, place] of places.entries()) {
      const { before, after } = steps[index]!.change;
      const [bytes, now] = [await contentOf(journal.store, before), await readSnapshot(place)];
      if (bytes === undefined) failLost(place);
      if (after.hash !== undefined && (await hashOf(now.bytes)) !== after.hash)
        fail({ kind: 'changed-meanwhile', path: place.shown });
      replacements.push({ place, bytes, expect: now });
    }
    await replaceTogether(replacements, undefined, recording);
  });
  await onTheWay(steps[0]!.path, undoing);
}

async function takeBack(
  access: Access,
  journal: Journal,
  step: UndoStep,
  own: ReadonlySet<string>,
  changes: Changes,
): Promise<void> {
  const { change } = step;
  const walk = { ...STRAIGHT, makeParents: change.kind !== 'created' };
  const there = { path: change.path, walk, how: 'changed' } as const;
  const from =
    change.kind === 'moved' ? [{ path: change.to, walk: STRAIGHT, how: 'moved-from' } as const] : [];
  const undoing = changes.at([there, ...from], async ([place, target], recording) => {
    if (!(await isStillToDo(journal.store, step, place!, target))) return;
    let act = () => perform(access.wall, journal.store, step, { place: place!, target }, recording);
    for (const { path, dir } of target ? [place!, target] : [place!]) {
      const inner = act;
      if (own.has(dirname(path))) act = () => withLeave(dir, inner);
    }
    await act();
  });
  await onTheWay(change.path, undoing);
}

async function perform(
  wall: Wall,
  store: Store,
  step: UndoStep,
  { place, target }: { place: Place; target: Place | undefined },
  recording: Recording,
): Promise<void> {
  const { change, standing } = step;
  const removing = { recursive: true, signal: undefined, recording };
  const overrun = async () => {
    // Cut off when only the name was taken: that is no change of its own.
    const { recording: _, ...unrecorded } = { ...removing, recursive: false };
    if (place.lstat()) await removeEntry(wall, place, isNameTaken(step, place) ? unrecorded : removing);
  };
  switch (change.kind) {
    case 'changed':
      if (place.lstat()?.type !== 'file') await overrun();
      return putBackContent(store, place, change.before, recording);
    case 'created': {
      const recursive = change.whole === true || typeof standing !== 'string';
      if (!recursive && change.type === 'directory') sweepIn(place);
      await removeEntry(wall, place, { ...removing, recursive });
      return place.dir.flush();
    }
    case 'removed':
      await overrun();
      return putBackRemoved(store, place, change.before, recording);
    case 'moved': {
      // Cut off between the new name and the old one: only the new one goes.
      if (standing === 'both') await removeEntry(wall, target!, removing);
      else if (standing !== 'replaced') {
        await overrun();
        await moveEntry(wall, target!, place, { ...removing, overwrite: false });
      }
      if (change.replaced && (await whyNotPutBack(store, change.replaced)) === undefined)
        await putBackRemoved(store, target!, change.replaced, recording);
    }
  }
}

/** Looked at once more when it is this file's turn: what was planned must still be so. */
async function isStillToDo(
  store: Store,
  { change, standing, seen, open }: UndoStep,
  place: Place,
  target: Place | undefined,
): Promise<boolean> {
  const now = place.lstat();
  const same = isSame(now, seen);
  if (typeof standing !== 'string') {
    // Overrun is what was shown to be in the way, and nothing else.
    if (now && !same) fail({ kind: 'changed-meanwhile', path: place.shown });
    return now !== undefined || change.kind !== 'created';
  }
  if (same && now?.type === 'file' && change.kind !== 'moved') return true;
  const again = await standingOf(change, { store, place, target, vacated: new Set(), open });
  if (again === 'before') return false;
  if (again !== standing) fail({ kind: 'changed-meanwhile', path: place.shown });
  return true;
}

/** A directory has another time as soon as something in it was taken back. */
function isSame(now: Stat | undefined, seen: Stat | undefined): boolean {
  if (!now || !seen) return now === seen;
  return now.type === 'directory' ? now.ino === seen.ino : stampOf(now) === stampOf(seen);
}

/** Whether it was left as an empty directory, by an undo that was cut off when it had just made that. */
function isNameTaken({ open, standing }: UndoStep, place: Place): boolean {
  if (!open || standing !== 'after') return false;
  return place.lstat()?.type === 'directory' && namesIn(place).length === 0;
}

function sweepIn(place: Place): void {
  const dir = place.enter();
  sweep(dir);
  dir.close();
}
