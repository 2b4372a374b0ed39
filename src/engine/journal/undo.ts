/**
 * Takes an entry of the journal back. What is in the way is found first; nothing is touched while something
 * is. Taking back is a change like any other: it is recorded, and can be taken back itself.
 */
import type { Calls } from '../calls.ts';
import type { Stat } from '../confine/dir.ts';
import type { Place } from '../confine/place.ts';
import { fail } from '../failures.ts';
import { readSnapshot } from '../files/contents.ts';
import { moveEntry } from '../files/moving.ts';
import { removeEntry } from '../files/removal.ts';
import { type Replacement, replaceTogether } from '../files/together.ts';
import { inTurn } from '../files/turns.ts';
import { LARGE_BYTES } from './capture.ts';
import type { Change, JournalEntry } from './entry.ts';
import type { Journal } from './journal.ts';
import { contentOf, failLost } from './kept-content.ts';
import { sweep } from './likeness.ts';
import { putBackContent, putBackRemoved } from './put-back.ts';
import type { Recording } from './recording.ts';
import { stampOf } from './stamp.ts';
import { type Obstacle, type Standing, standingInBetween, standingOf } from './standing.ts';
import { hashOf, type Store } from './store.ts';

export interface UndoStep {
  path: string;
  does: 'put back' | 'remove' | 'bring back' | 'move back';
  change: Change;
  standing: Standing;
  /** What stood there when it was looked at; undefined also when an earlier step will change that. */
  seen: Stat | undefined;
  /** Whether the entry was left open. */
  open: boolean;
}

const DOES = { changed: 'put back', created: 'remove', removed: 'bring back', moved: 'move back' } as const;

/** Every step that is left to be done, in order, each with how it stands. */
export async function planUndo(calls: Calls, journal: Journal, entry: JournalEntry): Promise<UndoStep[]> {
  const ordered = inOrderOfUndoing(entry);
  const vacated = new Set(ordered.flatMap((change) => vacatedBy(change)));
  const open = entry.state === 'pending';
  const steps: UndoStep[] = [];
  const touched = new Set<string>();
  for (const change of ordered) {
    const { path, kind } = change;
    // Changed twice in one entry: what it held in between comes back only while this is done.
    const again = kind === 'changed' && touched.has(path);
    const { standing, seen } = again
      ? { standing: standingInBetween(journal.store, change), seen: undefined }
      : await look(calls, journal, change, vacated, open);
    if (standing === 'before') continue;
    const stands = entry.found ? withoutTheLost(standing) : standing;
    steps.push({ path, does: DOES[kind], change, standing: stands, seen, open });
    touched.add(path);
  }
  return steps;
}

/** Not everything could be kept before a command: the rest of what it did can still be undone. */
function withoutTheLost(standing: Standing): Standing {
  if (typeof standing === 'string' || standing.forceable) return standing;
  return {
    why: `${standing.why} (--force leaves it as it is and undoes the rest)`,
    forceable: true,
    left: true,
  };
}

export function obstaclesOf(steps: readonly UndoStep[]): Obstacle[] {
  return steps.flatMap(({ path, standing }) => (typeof standing === 'string' ? [] : [{ path, ...standing }]));
}

/** Waits for those who are changing these files at this moment, in this process or another. */
export async function waitForOthers(calls: Calls, entry: JournalEntry): Promise<void> {
  for (const path of new Set(pathsOf(entry))) {
    const place = resolveOrUndefined(calls, path);
    if (place) await inTurn([place], undefined, async () => {}).finally(() => place.close());
  }
}

/** Does the steps of a plan. What is in the way is kept and then overrun. */
export async function carryOut(
  calls: Calls,
  journal: Journal,
  steps: readonly UndoStep[],
  recording: Recording,
): Promise<void> {
  const ordered = steps.some(({ change }) => change.kind === 'moved' || change.kind === 'removed');
  const once = new Set(steps.map(({ path }) => path)).size === steps.length;
  const plain = once && !ordered ? steps.filter(isPlainContent) : [];
  if (plain.length > 0) await putBackTogether(calls, journal, plain, recording);
  const rest = new Set<UndoStep>(steps);
  for (const step of plain) rest.delete(step);
  for (const step of steps) if (typeof step.standing !== 'string' && step.standing.left) rest.delete(step);
  for (const step of rest) await takeBack(calls, journal, step, recording);
}

/** Takes away what a server that was cut off in the middle of the entry has left beside its files. */
export function sweepAround(calls: Calls, entry: JournalEntry): void {
  const swept = new Set<string>();
  for (const path of pathsOf(entry)) {
    const place = resolveOrUndefined(calls, path);
    if (place && !swept.has(place.dir.identity)) sweep(place.dir);
    if (place) swept.add(place.dir.identity);
    place?.close();
  }
}

export function pathsOf({ changes }: JournalEntry): string[] {
  return changes.flatMap((change) => [change.path, ...(change.kind === 'moved' ? [change.to] : [])]);
}

/** The last one first. What was found after a command has no order: there directories come back before what they hold. */
function inOrderOfUndoing({ changes, found }: JournalEntry): Change[] {
  const last = [...changes].reverse();
  if (!found) return last;
  const removed = changes.filter(({ kind }) => kind === 'removed');
  return [...last.filter(({ kind }) => kind !== 'removed'), ...removed];
}

function vacatedBy(change: Change): string[] {
  if (change.kind === 'created') return [change.path];
  return change.kind === 'moved' ? [change.to] : [];
}

async function look(
  calls: Calls,
  { store }: Journal,
  change: Change,
  vacated: ReadonlySet<string>,
  open: boolean,
): Promise<Pick<UndoStep, 'standing' | 'seen'>> {
  const place = resolveOrUndefined(calls, change.path);
  const target = change.kind === 'moved' ? resolveOrUndefined(calls, change.to) : undefined;
  try {
    const seen = place?.lstat();
    return { standing: await standingOf(change, { store, place, target, vacated, open }), seen };
  } finally {
    place?.close();
    target?.close();
  }
}

/** Undefined when the directory that it stood in is gone. */
function resolveOrUndefined(calls: Calls, path: string): Place | undefined {
  try {
    return calls.wall.resolve(path, { follow: false });
  } catch (error) {
    const kind = (error as { facts?: { kind: string } }).facts?.kind;
    if (kind === 'not-found' || kind === 'not-a-directory') return undefined;
    throw error;
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
  calls: Calls,
  journal: Journal,
  steps: readonly ContentStep[],
  recording: Recording,
): Promise<void> {
  const concerned = steps.map(({ path }) => ({ path, walk: { follow: false }, how: 'changed' }) as const);
  await calls.changeNow(concerned, undefined, recording, async (places) => {
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
}

async function takeBack(calls: Calls, journal: Journal, step: UndoStep, recording: Recording): Promise<void> {
  const { change, standing } = step;
  const { wall } = calls;
  const { store } = journal;
  const walk = { follow: false, makeParents: change.kind !== 'created' };
  const there = { path: change.path, walk, how: 'changed' } as const;
  const away = {
    path: change.kind === 'moved' ? change.to : '',
    walk: { follow: false },
    how: 'moved-from',
  } as const;
  const removing = { recursive: true, signal: undefined, recording };
  const overrun = async (place: Place) => {
    if (place.lstat()) await removeEntry(wall, place, removing);
  };
  const concerned = change.kind === 'moved' ? [there, away] : [there];
  await calls.changeNow(concerned, undefined, recording, async ([place, target]) => {
    if (!(await isStillToDo(store, step, place!, target))) return;
    switch (change.kind) {
      case 'changed':
        if (place!.lstat()?.type !== 'file') await overrun(place!);
        return putBackContent(store, place!, change.before, recording);
      case 'created': {
        const recursive = change.whole === true || typeof standing !== 'string';
        if (!recursive && change.type === 'directory') sweepIn(place!);
        await removeEntry(wall, place!, { ...removing, recursive });
        return place!.dir.flush();
      }
      case 'removed':
        await overrun(place!);
        return putBackRemoved(store, place!, change.before, recording);
      case 'moved': {
        // Cut off between the new name and the old one: only the new one goes.
        if (standing === 'both') await removeEntry(wall, target!, removing);
        else {
          await overrun(place!);
          await moveEntry(wall, target!, place!, { ...removing, overwrite: false });
        }
        if (change.replaced) await putBackRemoved(store, target!, change.replaced, recording);
      }
    }
  });
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

function sweepIn(place: Place): void {
  const dir = place.enter();
  sweep(dir);
  dir.close();
}
