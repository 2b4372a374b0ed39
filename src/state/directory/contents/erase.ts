/**
 * Removes things from the state directory immediately, while other processes may be about to refer to them.
 *
 * Each thing is first moved away in one step, so that no process finds it; then the caller reads the journal again. A
 * writer that refers to a content appends the record first and then checks that the content exists, so either the
 * writer or the remover notices the other. What an entry needs by then is moved back; the rest is removed.
 */
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { IsNeeded } from '../../contents.ts';
import { makeDirectory } from '../make-directory.ts';
import { nameOf } from './listing.ts';
import { namesIn } from './state-folders.ts';
import { removeTree } from './whole-tree.ts';

const FOLDER = 'forgetting';
const OWNER_ALL = 0o700;
/** The folder that something is moved back to, by the folder that it was taken from. */
const BACK_TO: Readonly<Record<string, string>> = { store: 'store', leaving: 'store', aside: 'aside' };
/** A draft that was not written to for this long is left over from a process that was killed. */
const IDLE_MS = 3000;
const CHECK_AGAIN_MS = 100;

/**
 * Moves something out of sight and returns its new path; undefined when it was gone already. A path inside a tree that
 * was set aside cannot be moved back later.
 */
export function takeOut(directory: string, path: string): string | undefined {
  const folder = join(directory, FOLDER);
  makeDirectory(folder);
  const from = Object.keys(BACK_TO).find((each) => join(directory, each, basename(path)) === path);
  const name = from ? `${from}-${basename(path)}` : `inside-${randomBytes(10).toString('hex')}`;
  try {
    allowingChange(dirname(path), () => fs.renameSync(path, join(folder, name)));
    return join(folder, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}

/** Moves back what is needed and removes the rest, including what an interrupted process had taken out. */
export function finishErasing(directory: string, isNeeded: IsNeeded): void {
  const folder = join(directory, FOLDER);
  for (const file of namesIn(folder)) {
    const [from = '', ...rest] = file.split('-');
    const kept = rest.join('-');
    const back = BACK_TO[from];
    const path = join(folder, file);
    if (back !== undefined && isNeeded(nameOf(kept))) fs.renameSync(path, join(directory, back, kept));
    else removeTree(path);
  }
}

/** Drafts that this process is writing now: they stay, however old the clock makes them look. */
export const openDrafts: Set<string> = new Set();

/** Waits for drafts that are being written, and removes abandoned ones. */
export async function eraseDrafts(directory: string): Promise<void> {
  const store = join(directory, 'store');
  for (const file of namesIn(store).filter(isDraft)) {
    const path = join(store, file);
    for (;;) {
      const stat = fs.lstatSync(path, { throwIfNoEntry: false });
      if (!stat) break;
      if (!openDrafts.has(path) && Math.abs(Date.now() - stat.mtimeMs) > IDLE_MS) {
        fs.rmSync(path, { force: true });
        break;
      }
      await pause(CHECK_AGAIN_MS);
    }
  }
}

export function isDraft(file: string): boolean {
  return file.startsWith('.new-');
}

/** Makes the parent writable for the change: a tree that was set aside may contain read-only directories. */
function allowingChange(parent: string, change: () => void): void {
  const { mode } = fs.statSync(parent);
  const closed = (mode & OWNER_ALL) !== OWNER_ALL;
  if (closed) fs.chmodSync(parent, mode | OWNER_ALL);
  try {
    change();
  } finally {
    if (closed) fs.chmodSync(parent, mode);
  }
}
