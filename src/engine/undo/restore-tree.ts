/** Puts back a tree that was kept entry by entry. */
import { chmodSync } from 'node:fs';
import { flushDraft } from '../confine/content/write.ts';
import type { Dir } from '../confine/dir.ts';
import { attempt, attemptAsync } from '../confine/errno.ts';
import type { Place } from '../confine/place.ts';
import { fail } from '../failures.ts';
import type { Removed } from '../journal/entries/entry.ts';
import { bytesOf } from '../journal/entries/link-target.ts';
import type { Store } from '../journal/store.ts';
import { isForgotten } from './compare.ts';
import { ACTION, fillFrom } from './stored-content.ts';

const OWNER_WRITES = 0o200;

type Tree = Removed & { type: 'tree' };

/** Into a directory that was just made for it. */
export async function putBackTree(store: Store, place: Place, { mode, entries }: Tree): Promise<void> {
  const top = place.enter();
  try {
    for (const { path, removed } of entries) {
      if (isForgotten(store, removed)) continue;
      await inside(top, path, place, (dir, name) =>
        attemptAsync(place.shown, ACTION, () => putBackEntry(store, place, dir, name, removed)),
      );
    }
    // Only now, and from below: some may not be written to.
    for (const { path, removed } of entries.toReversed()) {
      if (removed.type !== 'directory') continue;
      const dir = stepInto(top, path.split('/'), place);
      attempt(place.shown, ACTION, () => chmodSync(dir.handlePath, removed.mode));
      dir.close();
    }
    attempt(place.shown, ACTION, () => chmodSync(top.handlePath, mode));
  } finally {
    top.close();
  }
}

/** A new directory gets what the umask leaves of its mode: here it is given the mode that it had. */
export function setMode(place: Place, mode: number): void {
  const dir = place.enter();
  try {
    attempt(place.shown, ACTION, () => chmodSync(dir.handlePath, mode));
  } finally {
    dir.close();
  }
}

/**
 * Changes what is in a directory of one's own in which nothing may be changed, and leaves it as it was.
 * Only for directories that an undo brings back or takes away itself.
 */
export async function withLeave<T>(dir: Dir, change: () => Promise<T>): Promise<T> {
  const { mode } = dir.stat();
  if (dir.mayChangeEntries() || !mayBeChanged(dir, mode | OWNER_WRITES)) return change();
  try {
    return await change();
  } finally {
    mayBeChanged(dir, mode);
  }
}

/** False when it is not ours: then what was to be done fails by itself. */
function mayBeChanged(dir: Dir, mode: number): boolean {
  try {
    chmodSync(dir.handlePath, mode);
    return true;
  } catch {
    return false;
  }
}

async function inside(
  top: Dir,
  path: string,
  place: Place,
  use: (dir: Dir, name: string) => Promise<void>,
): Promise<void> {
  const names = path.split('/');
  const name = names.pop()!;
  const dir = stepInto(top, names, place);
  try {
    await use(dir, name);
  } finally {
    dir.close();
  }
}

function stepInto(top: Dir, names: readonly string[], place: Place): Dir {
  let dir = top.again();
  for (const name of names) {
    const inner = dir.enter(name);
    dir.close();
    if (typeof inner === 'string' || 'linkTarget' in inner)
      return fail({ kind: 'unstable', path: place.shown });
    dir = inner;
  }
  return dir;
}

async function putBackEntry(
  store: Store,
  place: Place,
  dir: Dir,
  name: string,
  removed: Removed,
): Promise<void> {
  if (removed.type === 'directory') dir.mkdir(name, 0o700);
  if (removed.type === 'symlink') dir.symlink(bytesOf(removed), name);
  if (removed.type !== 'file') return;
  const draft = dir.draft();
  try {
    await fillFrom(store, draft, removed.file, place);
    await flushDraft(draft);
    draft.publishNew(name);
  } finally {
    draft.drop();
  }
}
