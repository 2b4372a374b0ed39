/** What is in a directory, and below it. */
import type { Dir, Entry } from '../confine/dir.ts';
import { attempt } from '../confine/errno.ts';
import type { Place } from '../confine/place.ts';
import type { Wall } from '../confine/wall.ts';
import { EngineFailure, fail } from '../failures.ts';
import { limits } from '../limits.ts';
import { Breathing } from './breathing.ts';
import { byBytes } from './order.ts';

export interface ListedEntry extends Entry {
  /** What a link leads to: `outside` also when that is missing or cannot be told. Equal to `type` otherwise. */
  target: 'file' | 'directory' | 'special' | 'outside';
}

export interface TreeNode {
  name: string;
  type: 'file' | 'directory';
  /** Absent for files, and for directories whose content was not asked for. */
  children?: TreeNode[];
}

export function listEntries(wall: Wall, place: Place): ListedEntry[] {
  const dir = openDirectory(place);
  try {
    return sortedEntries(dir, place.shown).map((entry) => ({
      ...entry,
      target: targetOf(wall, place.path, entry),
    }));
  } finally {
    dir.close();
  }
}

export async function buildTree(
  wall: Wall,
  place: Place,
  depth: number,
  signal: AbortSignal | undefined,
): Promise<TreeNode> {
  const dir = openDirectory(place);
  const breathing = new Breathing(signal);
  const name = place.path.slice(place.path.lastIndexOf('/') + 1) || '/';
  try {
    return await subtree(dir, place.path, name, 0);
  } finally {
    dir.close();
  }

  async function subtree(here: Dir, path: string, label: string, level: number): Promise<TreeNode> {
    if (level >= depth) return { name: label, type: 'directory' };
    if (level >= limits.treeDepth) fail({ kind: 'bad-path', path: place.shown, why: 'too-deep' });
    await breathing.pause();
    const children: TreeNode[] = [];
    const entries = level === 0 ? sortedEntries(here, place.shown) : readable(here);
    for (const entry of entries) {
      const below = `${path}/${entry.name}`;
      if (entry.type === 'symlink') {
        const isDirectory = targetOf(wall, path, entry) === 'directory';
        children.push({ name: entry.name, type: isDirectory ? 'directory' : 'file' });
        continue;
      }
      const inner = entry.type === 'directory' ? enterQuietly(here, entry.name) : undefined;
      if (inner === undefined) {
        children.push({ name: entry.name, type: entry.type === 'directory' ? 'directory' : 'file' });
        continue;
      }
      try {
        children.push(await subtree(inner, below, entry.name, level + 1));
      } finally {
        inner.close();
      }
    }
    return { name: label, type: 'directory', children };
  }
}

export function openDirectory(place: Place): Dir {
  const stat = place.mustExist('directory');
  if (stat.type !== 'directory') fail({ kind: 'not-a-directory', path: place.shown });
  return place.enter();
}

function sortedEntries(dir: Dir, shown: string): Entry[] {
  return attempt(shown, 'list', () => dir.entries()).sort((a, b) => byBytes(a.name, b.name));
}

/** A directory inside a tree that may not be listed is shown empty; it does not spoil the rest. */
function readable(dir: Dir): Entry[] {
  try {
    return dir.entries().sort((a, b) => byBytes(a.name, b.name));
  } catch {
    return [];
  }
}

function enterQuietly(dir: Dir, name: string): Dir | undefined {
  try {
    const found = dir.enter(name);
    return typeof found === 'string' || 'linkTarget' in found ? undefined : found;
  } catch {
    return undefined;
  }
}

function targetOf(wall: Wall, directory: string, entry: Entry): ListedEntry['target'] {
  if (entry.type !== 'symlink') return entry.type;
  try {
    return wall.at(entry.name, { base: directory }, (place) => {
      const type = place.lstat()?.type;
      return type === undefined || type === 'symlink' ? 'outside' : type;
    });
  } catch (error) {
    if (error instanceof EngineFailure) return 'outside';
    throw error;
  }
}
