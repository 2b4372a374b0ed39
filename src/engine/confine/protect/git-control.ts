/**
 * Which files of a Git repository make Git run something later: its configuration and its hooks.
 *
 * Whoever runs `git status` in a repository runs what `core.fsmonitor` names there. So these files can be read
 * and not changed, and no directory can be made into a repository. Index, objects, refs and logs are left alone.
 */
import { dirname, resolve } from 'node:path';
import type { Dir } from '../dir.ts';
import { isWithin } from '../roots.ts';
import { pathsNamedIn } from './git-config.ts';

export interface GitPlace {
  /** The held directory that the name is in. */
  dir: Dir;
  /** Empty when the place is a root. */
  name: string;
  /** Absolute, with all links resolved, ending in the name. */
  path: string;
}

export const GIT = '.git';
const CONFIG = 'config';
const WORKTREE_CONFIG = 'config.worktree';
/** In a directory called `.git`, or one that looks like a repository. */
export const CONTROL: ReadonlySet<string> = new Set([
  CONFIG,
  WORKTREE_CONFIG,
  'hooks',
  'commondir',
  'gitdir',
]);
/** What a directory is taken for a repository by. */
const SHAPE = ['HEAD', 'objects', 'refs'] as const;
/** What a linked worktree's own directory has instead of objects and refs. */
const LINKED_SHAPE = ['HEAD', 'commondir'] as const;
/** Code points that some file systems leave out of names, as Git knows them. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** The reason when this place is Git's configuration or hooks, or would become it. */
export function gitControl({ dir, name, path }: GitPlace): 'git' | undefined {
  const parts = path.split('/').map(asGitReads);
  const last = parts.length - 1;
  if (parts[last] === GIT) return 'git';
  for (const [index, part] of parts.entries()) {
    if (!CONTROL.has(part)) continue;
    if (parts[index - 1] === GIT || isRepository(dir, last - index + (name === '' ? 1 : 0))) return 'git';
  }
  return makesRepository(dir, name) || isNamedInConfig({ dir, name, path }) ? 'git' : undefined;
}

/** A name as Git compares it: some file systems take several spellings for one. */
function asGitReads(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(IGNORED, '')
    .replace(/[. ]+$/, '');
  return plain === 'git~1' ? GIT : plain;
}

/** Whether the directory that many levels above `dir` looks like a repository. */
function isRepository(dir: Dir, levels: number): boolean {
  return [SHAPE, LINKED_SHAPE].some((shape) => shape.every((name) => dir.hasAbove(levels, name)));
}

/** Whether the name is the last one that a repository in this directory lacks. */
function makesRepository(dir: Dir, name: string): boolean {
  return [SHAPE, LINKED_SHAPE].some((shape) => {
    const own = shape.find((each) => each.toLowerCase() === name.toLowerCase());
    if (own === undefined || dir.hasAbove(0, own)) return false;
    return shape.every((each) => each === own || dir.hasAbove(0, each));
  });
}

/** Whether the configuration of a repository around the place names it, or a directory above it. */
function isNamedInConfig({ dir, name, path }: GitPlace): boolean {
  let worktree = dirname(path);
  for (let levels = name === '' ? 1 : 0; ; levels++) {
    if (dir.hasAbove(levels, GIT)) {
      const named = [CONFIG, WORKTREE_CONFIG].flatMap((file) => dir.readAbove(levels, GIT, file) ?? []);
      if (pathsOf(named, worktree).some((each) => isWithin(path, each))) return true;
    }
    const above = dirname(worktree);
    if (above === worktree) return false;
    worktree = above;
  }
}

/** What the configurations of a repository name, as absolute paths. */
export function pathsOf(configs: readonly string[], worktree: string): string[] {
  return configs.flatMap((config) => {
    const { hooks, includes } = pathsNamedIn(config);
    return [
      ...hooks.map((each) => resolve(worktree, each)),
      ...includes.map((each) => resolve(worktree, GIT, each)),
    ];
  });
}
