/** Deletes files and whole trees on held directories, so that nothing outside can be swapped in. */
import type { Dir } from '../confine/dir.ts';
import { attempt, attemptAsync } from '../confine/errno.ts';
import type { Place } from '../confine/place.ts';
import type { Wall } from '../confine/wall.ts';
import { fail } from '../failures.ts';
import { limits } from '../limits.ts';
import { Breathing } from './breathing.ts';

export async function removeEntry(
  wall: Wall,
  place: Place,
  options: { recursive: boolean; signal: AbortSignal | undefined },
): Promise<'file' | 'directory' | 'symlink'> {
  const stat = place.mustExist('entry');
  requireNotRoot(wall, place, 'delete');
  const { dir, name, shown } = place;
  if (stat.type !== 'directory') {
    attempt(shown, 'delete', () => dir.unlink(name));
    return stat.type === 'symlink' ? 'symlink' : 'file';
  }
  if (!options.recursive) {
    attempt(shown, 'delete', () => dir.rmdir(name));
    return 'directory';
  }
  const tree = place.enter();
  try {
    const breathing = new Breathing(options.signal);
    await requireRemovable(wall, tree, shown, breathing, 0);
    await attemptAsync(shown, 'delete', () => empty(tree, new Breathing(undefined)));
  } finally {
    tree.close();
  }
  attempt(shown, 'delete', () => dir.rmdir(name));
  return 'directory';
}

export function requireNotRoot(wall: Wall, place: Place, action: 'delete' | 'move' | 'replace'): void {
  if (place.isRoot || wall.rootsBelow(place.path).length > 0) {
    fail({ kind: 'is-root', path: place.shown, action });
  }
}

/** Looked at before anything goes: a tree that cannot be removed whole is left whole. */
async function requireRemovable(
  wall: Wall,
  dir: Dir,
  shown: string,
  breathing: Breathing,
  level: number,
): Promise<void> {
  if (level > limits.treeDepth) fail({ kind: 'bad-path', path: shown, why: 'too-deep' });
  if (wall.rootOf(dir)) fail({ kind: 'is-root', path: shown, action: 'delete' });
  const names = attempt(shown, 'delete', () => dir.rawNames());
  const mayChange = names.length === 0 || attempt(shown, 'delete', () => dir.mayChangeEntries());
  if (!mayChange) fail({ kind: 'permission', path: shown, action: 'delete' });
  for (const name of names) {
    await breathing.pause();
    const inner = attempt(shown, 'delete', () => dir.enterRaw(name));
    if (inner === undefined) continue;
    try {
      await requireRemovable(wall, inner, shown, breathing, level + 1);
    } finally {
      inner.close();
    }
  }
}

async function empty(dir: Dir, breathing: Breathing): Promise<void> {
  for (const name of dir.rawNames()) {
    await breathing.pause();
    const inner = dir.enterRaw(name);
    if (inner === undefined) {
      dir.unlink(name);
      continue;
    }
    try {
      await empty(inner, breathing);
    } finally {
      inner.close();
    }
    dir.rmdir(name);
  }
}
