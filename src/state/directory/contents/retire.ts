/**
 * Takes out of use what no entry needs.
 *
 * A content is not removed at once, because another process may be about to refer to it. It is moved to `leaving` for
 * some minutes, and is moved back when an entry turns out to need it.
 */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { Yielder } from '../../../engine/event-loop.ts';
import type { IsNeeded } from '../../contents.ts';
import { makeDirectory } from '../make-directory.ts';
import { finishErasing, isDraft, openDrafts } from './erase.ts';
import { nameOf, pathsOf } from './listing.ts';
import { namesIn } from './state-folders.ts';
import { removeTree, sizeOnDisk } from './whole-tree.ts';

const LEAVING_MS = 120_000;

/** Returns how many bytes left the store. */
export async function retire(
  directory: string,
  names: Iterable<string>,
  isNeeded: IsNeeded,
  now: number,
): Promise<number> {
  const yielder = new Yielder(undefined);
  let bytes = 0;
  removeOldDrafts(directory, now);
  for (const name of names) {
    if (isNeeded(name)) continue;
    await yielder.pause();
    for (const path of pathsOf(directory, name, ['store', 'aside'])) {
      bytes += sizeOnDisk(path);
      takeOutOfUse(directory, path, now);
    }
  }
  emptyLeaving(directory, isNeeded, now);
  finishErasing(directory, isNeeded);
  return bytes;
}

function takeOutOfUse(directory: string, path: string, now: number): void {
  if (path.startsWith(join(directory, 'aside'))) {
    removeTree(path);
    return;
  }
  const leaving = join(directory, 'leaving');
  makeDirectory(leaving);
  const to = join(leaving, path.slice(join(directory, 'store').length));
  fs.renameSync(path, to);
  fs.utimesSync(to, now / 1000, now / 1000);
}

function emptyLeaving(directory: string, isNeeded: IsNeeded, now: number): void {
  const leaving = join(directory, 'leaving');
  for (const file of namesIn(leaving)) {
    const path = join(leaving, file);
    if (isNeeded(nameOf(file))) {
      makeDirectory(join(directory, 'store'));
      fs.renameSync(path, join(directory, 'store', file));
    } else if (ageOf(path, now) > LEAVING_MS) fs.rmSync(path, { force: true });
  }
}

function removeOldDrafts(directory: string, now: number): void {
  const store = join(directory, 'store');
  for (const file of namesIn(store).filter(isDraft)) {
    const path = join(store, file);
    if (!openDrafts.has(path) && ageOf(path, now) > LEAVING_MS) fs.rmSync(path, { force: true });
  }
}

function ageOf(path: string, now: number): number {
  return now - (fs.lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now);
}
