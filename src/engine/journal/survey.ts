/** What is in the directories at one moment: enough to tell later what has changed. */
import type { Dir, Stat } from '../confine/dir.ts';
import type { Root } from '../confine/roots.ts';
import { Breathing } from '../files/breathing.ts';
import { limits } from '../limits.ts';

/** More than this is not looked through before and after each command. */
export const MOST_ENTRIES = 10_000;
/** Large, made by programs, and made again by them. */
export const NOT_SURVEYED: ReadonlySet<string> = new Set(['.git', 'node_modules']);

export interface Surveyed {
  stat: Stat;
  root: Root;
  /** Of a symbolic link. */
  target?: string;
}

/** By absolute path, parents first; undefined when there is too much of it. */
export type Survey = Map<string, Surveyed> | undefined;

/** `visit` sees each file while its directory is held. */
export async function survey(
  roots: readonly Root[],
  visit?: (at: { dir: Dir; name: string; path: string }, stat: Stat) => Promise<void>,
): Promise<Survey> {
  const found = new Map<string, Surveyed>();
  const breathing = new Breathing(undefined);
  const walk = async (dir: Dir, path: string, root: Root, level: number): Promise<boolean> => {
    if (level > limits.treeDepth) return true;
    for (const { name, type } of entriesOf(dir)) {
      await breathing.pause();
      const below = `${path === '/' ? '' : path}/${name}`;
      const stat = dir.lstat(name);
      if (stat === undefined || found.has(below)) continue;
      if (found.size >= MOST_ENTRIES) return false;
      const target = type === 'symlink' ? targetOf(dir, name) : undefined;
      found.set(below, { stat, root, ...(target !== undefined && { target }) });
      if (stat.type === 'file') await visit?.({ dir, name, path: below }, stat);
      if (stat.type !== 'directory' || NOT_SURVEYED.has(name)) continue;
      const inner = enter(dir, name);
      if (inner === undefined) continue;
      try {
        if (!(await walk(inner, below, root, level + 1))) return false;
      } finally {
        inner.close();
      }
    }
    return true;
  };
  for (const root of roots) if (!(await walk(root.dir, root.real, root, 0))) return undefined;
  return found;
}

/** What may not be read is not looked through. */
function entriesOf(dir: Dir) {
  try {
    return dir.entries();
  } catch {
    return [];
  }
}

function targetOf(dir: Dir, name: string): string | undefined {
  try {
    return dir.readlink(name);
  } catch {
    return undefined;
  }
}

function enter(dir: Dir, name: string): Dir | undefined {
  try {
    const inner = dir.enter(name);
    return typeof inner === 'string' || 'linkTarget' in inner ? undefined : inner;
  } catch {
    return undefined;
  }
}
