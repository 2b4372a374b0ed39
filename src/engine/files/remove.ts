/** Deletes files and whole trees on held directories, so that nothing outside can be swapped in. */

import type { SetAside } from '../../state/contents.ts';
import type { Dir, Stat } from '../confine/directory/dir.ts';
import { rawNamesInTurns } from '../confine/directory/names-in-turns.ts';
import { attempt, attemptAsync } from '../confine/errno.ts';
import { holdsMount } from '../confine/mounts.ts';
import type { Place } from '../confine/place.ts';
import { identityOf } from '../confine/stat.ts';
import type { Wall } from '../confine/wall.ts';
import { Yielder } from '../event-loop.ts';
import { fail } from '../failures.ts';
import { limits } from '../limits.ts';
import { type ChangeRecorder, changeDisk, noRecorder } from './recorder.ts';
import { requireNoneWithheld } from './require-none-withheld.ts';

export interface RemoveOptions {
  recursive: boolean;
  signal: AbortSignal | undefined;
  recorder?: ChangeRecorder;
  /** The last check, called right before the entry is removed. */
  check?(): void;
}

export async function removeEntry(
  wall: Wall,
  place: Place,
  options: RemoveOptions,
): Promise<'file' | 'directory' | 'symlink'> {
  const stat = place.mustExist('entry');
  requireNotRoot(wall, place, 'delete');
  await requireNoneWithheld(place, 'delete', options.signal);
  const removed = stat.type === 'directory' || stat.type === 'symlink' ? stat.type : 'file';
  if (removed === 'directory' && !options.recursive) {
    await removeEmpty(place, stat, options);
    return removed;
  }
  if (removed === 'directory') await requireTreeRemovable(wall, place, options.signal);
  const { recorder = noRecorder, check } = options;
  const aside = await recorder.removes(place, stat);
  if (aside) {
    check?.();
    if (wasSetAside(place, aside, recorder)) return removed;
    await recorder.cannotSetAside(place, stat);
  }
  check?.();
  if (removed === 'directory') await removeTree(place, recorder);
  else changeDisk(recorder, () => attempt(place.shown, 'delete', () => place.dir.unlink(place.name)));
  return removed;
}

/** Moves the whole entry aside in one step, so that it can be restored. Returns false if it cannot be moved. */
function wasSetAside({ dir, name }: Place, aside: SetAside, recorder: ChangeRecorder): boolean {
  try {
    changeDisk(recorder, () => dir.rename(name, aside.dir, aside.name));
    return true;
  } catch {
    return false;
  }
}

async function removeEmpty(
  place: Place,
  stat: Stat,
  { recorder = noRecorder }: RemoveOptions,
): Promise<void> {
  const { dir, name, shown } = place;
  // The system refuses a directory that is not empty: nothing is recorded for it.
  if (recorder.active && isEmpty(place)) await recorder.removes(place, stat, 'empty');
  changeDisk(recorder, () => attempt(shown, 'delete', () => dir.rmdir(name)));
}

function isEmpty(place: Place): boolean {
  return place.inside(
    (dir) => attempt(place.shown, 'delete', () => firstOf(dir.rawNameBatches())) === undefined,
  );
}

async function requireTreeRemovable(
  wall: Wall,
  place: Place,
  signal: AbortSignal | undefined,
): Promise<void> {
  await place.inside((tree) => {
    // Deleting would empty the mounted directory and then fail on it.
    if (holdsMount(tree)) fail({ kind: 'io', path: place.shown, action: 'delete', code: 'EBUSY' });
    return requireRemovable(wall, tree, place.shown, new Yielder(signal), 0);
  });
}

async function removeTree(place: Place, recorder: ChangeRecorder): Promise<void> {
  const { dir, name, shown } = place;
  recorder.begins();
  await place.inside((tree) => attemptAsync(shown, 'delete', () => empty(tree, new Yielder(undefined))));
  attempt(shown, 'delete', () => dir.rmdir(name));
}

export function requireNotRoot(wall: Wall, place: Place, action: 'delete' | 'move' | 'replace'): void {
  if (place.isRoot || wall.rootsBelow(place.path).length > 0) {
    fail({ kind: 'is-root', path: place.shown, action });
  }
  const found = place.lstat();
  if (found?.type === 'directory') {
    wall.protectedPlaces.requireMovable(identityOf(found), place.shown);
  }
}

/** Checks a whole tree before anything is removed: if a part of it cannot be removed, nothing is. */
async function requireRemovable(
  wall: Wall,
  dir: Dir,
  shown: string,
  yielder: Yielder,
  level: number,
): Promise<void> {
  if (level > limits.treeDepth) fail({ kind: 'bad-path', path: shown, why: 'too-deep' });
  if (wall.rootOf(dir)) fail({ kind: 'is-root', path: shown, action: 'delete' });
  wall.protectedPlaces.requireNot(dir.identity, shown);
  const names = await attemptAsync(shown, 'delete', () => rawNamesInTurns(dir, yielder));
  const mayChange = names.length === 0 || attempt(shown, 'delete', () => dir.mayChangeEntries());
  if (!mayChange) fail({ kind: 'permission', path: shown, action: 'delete' });
  for (const name of names) {
    await yielder.pause();
    const inner = attempt(shown, 'delete', () => dir.enterRaw(name));
    if (inner === undefined) continue;
    try {
      await requireRemovable(wall, inner, shown, yielder, level + 1);
    } finally {
      inner.close();
    }
  }
}

async function empty(dir: Dir, yielder: Yielder): Promise<void> {
  for (const name of await rawNamesInTurns(dir, yielder)) {
    await yielder.pause();
    const inner = dir.enterRaw(name);
    if (inner === undefined) {
      dir.unlink(name);
      continue;
    }
    try {
      await empty(inner, yielder);
    } finally {
      inner.close();
    }
    dir.rmdir(name);
  }
}

function firstOf<T>(items: Iterable<T>): T | undefined {
  for (const item of items) return item;
  return undefined;
}
