/**
 * Decides which files of a Git repository make Git run something later: its configuration and its hooks.
 *
 * Somebody who runs `git status` in a repository runs what `core.fsmonitor` names there. So clients can read these
 * files but not change them, and cannot turn a directory into a repository. Index, objects, refs and logs are not
 * protected.
 */
import { dirname } from 'node:path';
import type { Dir } from '../directory/dir.ts';
import { isWithin } from '../roots.ts';
import { TurnMemo } from '../turn-memo.ts';
import { HFS_IGNORED } from '../withheld/name-forms.ts';
import { pathsNamedBy, pathsNamedByBare } from './git-named-paths.ts';
import { COMMON, CONFIG, GIT, HOOKS, WORKTREE_CONFIG } from './git-names.ts';
import { UNFINISHED } from './git-rebase.ts';

export interface GitPlace {
  /** The held directory that the name is in. */
  dir: Dir;
  /** Empty when the place is a root. */
  name: string;
  /** Absolute, with all links resolved, ending in the name. */
  path: string;
}

/** Names that control Git, in a directory called `.git` or one that looks like a repository. */
export const CONTROL: ReadonlySet<string> = new Set([CONFIG, WORKTREE_CONFIG, HOOKS, COMMON, 'gitdir']);
/** Directories in which a repository keeps the repositories of its submodules and linked worktrees. */
const NESTED: ReadonlySet<string> = new Set(['modules', 'worktrees']);
/** Git takes a directory with these entries for a repository. */
const SHAPE = ['HEAD', 'objects', 'refs'] as const;
/** What the directory of a linked worktree has instead of objects and refs. */
const LINKED_SHAPE = ['HEAD', COMMON] as const;

/** The reason not to change this place: it is Git's configuration or hooks, or would become that. */
export function gitControl({ dir, name, path }: GitPlace): 'git' | undefined {
  const parts = path.split('/').map(asGitReads);
  const last = parts.length - 1;
  if (parts[last] === GIT) return 'git';
  const isRepositoryAround = (index: number) =>
    looksLikeRepository(dir, last - index + (name === '' ? 1 : 0));
  for (const [index, part] of parts.entries()) {
    const isControl = CONTROL.has(part) || UNFINISHED.has(part);
    if (!isControl && !NESTED.has(part)) continue;
    if (parts[index - 1] !== GIT && !isRepositoryAround(index)) continue;
    // What is in a nested repository belongs to that one. Whoever replaces the nested one itself chooses its
    // configuration.
    const isNested = parts.some((_, inner) => inner > index + 1 && isRepositoryAround(inner));
    if (isControl || !isNested) return 'git';
  }
  if (makesRepository(dir, name) || breaksRepository(dir, name, parts)) return 'git';
  return namedAround({ dir, name, path }).some((each) => isWithin(path, each)) ? 'git' : undefined;
}

/** The reason not to move this place, or another one to it: that moves what the configuration of a repository names. */
export function gitControlBelow(place: GitPlace): 'git' | undefined {
  return namedAround(place).some((each) => isWithin(each, place.path)) ? 'git' : undefined;
}

/** The first of these places that would, together with the others, turn its directory into a repository. */
export function gitMadeTogether<P extends GitPlace>(places: readonly P[]): P | undefined {
  const names = new Map<string, Set<string>>();
  for (const { dir, name } of places) {
    const known = names.get(dir.identity) ?? new Set();
    names.set(dir.identity, known.add(name.toLowerCase()));
  }
  return places.find(({ dir, name }) => makesRepository(dir, name, names.get(dir.identity)));
}

/** Whether Git reads the name as `.git`. */
export function readsAsGit(name: string): boolean {
  return asGitReads(name) === GIT;
}

/** A name as Git compares it: some file systems treat several spellings as one name. */
function asGitReads(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(HFS_IGNORED, '')
    .replace(/(?<![. ])[. ]+$/, '');
  return plain === 'git~1' ? GIT : plain;
}

/** Whether the directory this many levels above `dir` looks like a repository. */
export function looksLikeRepository(dir: Dir, levels: number): boolean {
  if (!dir.hasAbove(levels, 'HEAD')) return false;
  return [SHAPE, LINKED_SHAPE].some((shape) => shape.every((name) => dir.hasAbove(levels, name)));
}

/** Whether this name, together with `others`, is all that this directory lacks to be a repository. */
function makesRepository(dir: Dir, name: string, others: ReadonlySet<string> = new Set()): boolean {
  return [SHAPE, LINKED_SHAPE].some((shape) => {
    const own = shape.find((each) => each.toLowerCase() === name.toLowerCase());
    if (own === undefined || dir.hasAbove(0, own)) return false;
    return shape.every((each) => each === own || others.has(each.toLowerCase()) || dir.hasAbove(0, each));
  });
}

/**
 * Whether a repository that is not called `.git` would stop looking like one without this entry. Its configuration
 * would then be unprotected.
 */
function breaksRepository(dir: Dir, name: string, parts: readonly string[]): boolean {
  if (parts.at(-2) === GIT || !SHAPE.some((each) => each.toLowerCase() === name.toLowerCase())) return false;
  return looksLikeRepository(dir, 0);
}

const named = new TurnMemo<readonly string[]>();

/** The paths that the repositories around a place name. */
function namedAround(place: GitPlace): readonly string[] {
  const { dir, name, path } = place;
  return named.get(`${dir.identity} ${name === ''} ${dirname(path)}`, () => findNamedAround(place));
}

function findNamedAround({ dir, name, path }: GitPlace): string[] {
  const named: string[] = [];
  let worktree = dirname(path);
  for (let levels = name === '' ? 1 : 0; ; levels++) {
    if (dir.hasAbove(levels, GIT)) named.push(...pathsNamedBy(dir, levels, worktree));
    if (looksLikeRepository(dir, levels)) named.push(...pathsNamedByBare(worktree));
    const above = dirname(worktree);
    if (above === worktree) return named;
    worktree = above;
  }
}
