/** Restores a tree that the journal kept entry by entry. */
import { chmodSync } from 'node:fs';
import { closing } from '../../confine/closing.ts';
import { flushDraft } from '../../confine/content/write.ts';
import type { Dir } from '../../confine/directory/dir.ts';
import { attempt, attemptAsync } from '../../confine/errno.ts';
import type { Place } from '../../confine/place.ts';
import { Yielder } from '../../event-loop.ts';
import { fail } from '../../failures.ts';
import type { Removed } from '../../journal/entries/entry.ts';
import { bytesOf } from '../../journal/entries/link-target.ts';
import { namesOfPath } from '../../journal/entries/tree-path.ts';
import type { Store } from '../../journal/store.ts';
import { isForgotten, isUnkeptFile } from '../compare.ts';
import { ACTION, fillFrom } from './stored-content.ts';

const OWNER_WRITES = 0o200;

type RemovedTree = Removed & { type: 'tree' };

/** Restores a tree into a directory that was just made for it. */
export async function restoreTree(store: Store, place: Place, { mode, entries }: RemovedTree): Promise<void> {
  const top = place.enter();
  const yielder = new Yielder(undefined);
  try {
    for (const { removed, ...path } of entries) {
      await yielder.pause();
      if (isForgotten(store, removed) || isUnkeptFile(removed)) continue;
      await inside(top, namesOfPath(path), place, (dir, name) =>
        attemptAsync(place.shown, ACTION, () => restoreEntry(store, place, dir, name, removed)),
      );
    }
    // Modes come last, the deepest directory first: some make a directory read-only.
    for (const { removed, ...path } of entries.toReversed()) {
      await yielder.pause();
      if (removed.type !== 'directory') continue;
      const dir = stepInto(top, namesOfPath(path), place);
      attempt(place.shown, ACTION, () => chmodSync(dir.handlePath, removed.mode));
      dir.close();
    }
    attempt(place.shown, ACTION, () => chmodSync(top.handlePath, mode));
  } finally {
    top.close();
  }
}

/** Gives a restored directory its old mode: the umask may have removed bits when it was made. */
export function setMode(place: Place, mode: number): void {
  place.inside((dir) => attempt(place.shown, ACTION, () => chmodSync(dir.handlePath, mode)));
}

/**
 * Makes read-only directories writable while steps change their entries, and resets their mode after the last step.
 * Only for directories that the undo itself restores or removes.
 */
export class WritableDirectories {
  readonly #open = new Map<string, { users: number; mode: number | undefined }>();

  async during<T>(dir: Dir, change: () => Promise<T>): Promise<T> {
    const { identity } = dir;
    const open = this.#open.get(identity) ?? { users: 0, mode: makeWritable(dir) };
    this.#open.set(identity, open);
    open.users++;
    try {
      return await change();
    } finally {
      open.users--;
      if (open.users === 0) {
        this.#open.delete(identity);
        if (open.mode !== undefined) tryChmod(dir, open.mode);
      }
    }
  }
}

/** Returns the old mode; undefined when it was not changed. */
function makeWritable(dir: Dir): number | undefined {
  const { mode } = dir.stat();
  if (dir.mayChangeEntries() || !tryChmod(dir, mode | OWNER_WRITES)) return undefined;
  return mode;
}

/** False when another user owns the directory: then changing its entries fails by itself. */
function tryChmod(dir: Dir, mode: number): boolean {
  try {
    chmodSync(dir.handlePath, mode);
    return true;
  } catch {
    return false;
  }
}

async function inside(
  top: Dir,
  names: (string | Buffer)[],
  place: Place,
  use: (dir: Dir, name: string | Buffer) => Promise<void>,
): Promise<void> {
  const name = names.pop()!;
  await closing(stepInto(top, names, place), (dir) => use(dir, name));
}

function stepInto(top: Dir, names: readonly (string | Buffer)[], place: Place): Dir {
  let dir = top.duplicate();
  for (const name of names) {
    const inner = typeof name === 'string' ? dir.enter(name) : (dir.enterRaw(name) ?? 'missing');
    dir.close();
    if (typeof inner === 'string' || 'linkTarget' in inner)
      return fail({ kind: 'unstable', path: place.shown });
    dir = inner;
  }
  return dir;
}

async function restoreEntry(
  store: Store,
  place: Place,
  dir: Dir,
  name: string | Buffer,
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
