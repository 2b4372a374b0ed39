/** Finds the files and directories that a repository makes Git run, or read as configuration, wherever they are. */
import { readdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { Dir } from '../directory/dir.ts';
import { isLink, readSettings } from '../probe-path.ts';
import { pathsNamedIn } from './git-config.ts';
import { COMMON, CONFIG, GIT, HOOKS, WORKTREE_CONFIG } from './git-names.ts';
import { recallNamed, rememberNamed } from './plain-repositories.ts';

/** How deep includes may nest, as in Git itself. */
const MOST_INCLUDES = 10;

/**
 * The absolute paths that the repository of a worktree names. The worktree is the directory this many levels above
 * `dir`. A path with links counts twice: as it is written, and where it leads.
 */
export function pathsNamedBy(dir: Dir, levels: number, worktree: string): readonly string[] {
  return recallNamed(worktree) ?? rememberNamed(worktree, () => findNamed(dir, levels, worktree));
}

/** The same for a repository without a worktree around it, by the path of its directory. */
export function pathsNamedByBare(own: string): string[] {
  const common = commonDirectory(own);
  const configs = [readFollowing(join(common, CONFIG)), readFollowing(join(own, WORKTREE_CONFIG))];
  return namedIn(configs, { own, common });
}

function findNamed(dir: Dir, levels: number, worktree: string): string[] {
  const pointer = dir.readAbove(levels, GIT);
  const own = pointer === undefined ? join(worktree, GIT) : directoryPointedTo(pointer, worktree);
  if (own === undefined) return [];
  const common = pointer === undefined ? own : commonDirectory(own);
  const read = (name: string, at: string) =>
    (pointer === undefined ? dir.readAbove(levels, GIT, name) : undefined) ?? readFollowing(join(at, name));
  return namedIn([read(CONFIG, common), read(WORKTREE_CONFIG, own)], { own, common, worktree });
}

interface RepositoryPaths {
  /** Git's directory for this worktree. */
  own: string;
  /** The directory with the configuration. */
  common: string;
  /** The directory that `.git` is in. */
  worktree?: string;
}

function namedIn(
  configs: readonly (string | undefined)[],
  { own, common, worktree }: RepositoryPaths,
): string[] {
  const hooks = new Set([join(common, HOOKS)]);
  const named = new Set<string>();
  const written = new Set<string>();
  // Git resolves a path where it runs the hook: in the worktree, which the configuration can move, or in its own
  // directory, for a push and without a worktree.
  const starts = new Set([...(worktree === undefined ? [] : [worktree]), own, common]);
  const note = (config: string, from: string, room: number) => {
    const { hooks: directories, worktrees, includes } = pathsNamedIn(config);
    for (const each of directories) written.add(atHome(each));
    for (const each of worktrees) for (const directory of [own, common]) starts.add(resolve(directory, each));
    for (const each of includes.map((path) => resolve(from, atHome(path)))) {
      named.add(each);
      const included = room > 0 ? readFollowing(each) : undefined;
      if (included !== undefined) note(included, dirname(each), room - 1);
    }
  };
  for (const config of configs) if (config !== undefined) note(config, common, MOST_INCLUDES);
  for (const path of written) for (const start of starts) hooks.add(resolve(start, path));
  for (const directory of hooks) {
    named.add(directory);
    for (const link of linksIn(directory)) named.add(link);
  }
  for (const name of [CONFIG, WORKTREE_CONFIG]) if (isLink(join(common, name))) named.add(join(common, name));
  return [...new Set([...named].flatMap((path) => [path, resolveExistingPart(path)]))];
}

/** The repository that a `.git` file points to. */
export function directoryPointedTo(pointer: string, worktree: string): string | undefined {
  const line = /^gitdir:\s*(\S.*)?$/m.exec(pointer);
  return line ? resolve(worktree, line[1]?.trimEnd() ?? '') : undefined;
}

/** The directory with the configuration of a linked worktree: the one that its own directory names, or that itself. */
export function commonDirectory(own: string): string {
  return resolve(own, readSettings(join(own, COMMON))?.trim() ?? '.');
}

/** The path with all links resolved, as far as it exists. */
export function resolveExistingPart(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return dirname(path) === path ? path : join(resolveExistingPart(dirname(path)), basename(path));
  }
}

function linksIn(directory: string): string[] {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isSymbolicLink() ? join(directory, entry.name) : []));
  } catch {
    return [];
  }
}

function readFollowing(path: string): string | undefined {
  return readSettings(resolveExistingPart(path));
}

function atHome(path: string): string {
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : path;
}
