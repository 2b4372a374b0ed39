/** Finds Git's configuration and hooks in the directories that a command is about to see. */
import { basename, dirname, join, relative, sep } from 'node:path';
import type { Dir } from '../dir.ts';
import { isWithin, type Root } from '../roots.ts';
import { CONTROL, GIT, pathsOf } from './git-control.ts';

/** More entries than this are not looked through before each command. */
const MOST_ENTRIES = 20_000;
/** Large, and repositories in it are nobody's work. */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', 'objects', 'refs', 'logs']);

export interface GitPlaces {
  /** Directories of Git: `.git`, and what else looks like a repository. */
  repositories: Set<string>;
  /** Files and directories that are there and must stay as they are. */
  fixed: Set<string>;
  /** Names that must not appear in a directory of Git. */
  absent: Set<string>;
}

/** `cwd`: where the command runs; the way there is always looked at. */
export function findGitPlaces(roots: readonly Root[], cwd: string): GitPlaces {
  const found: GitPlaces = { repositories: new Set(), fixed: new Set(), absent: new Set() };
  const room = { left: MOST_ENTRIES };
  for (const root of roots) {
    if (root.readOnly) continue;
    if (isWithin(cwd, root.real)) lookOnTheWay(root, cwd, found);
    lookBelow(root.dir, root.real, found, room);
  }
  return found;
}

function lookOnTheWay(root: Root, cwd: string, found: GitPlaces): void {
  let dir = root.dir.again();
  let path = root.real;
  for (const name of ['', ...relative(root.real, cwd).split(sep).filter(Boolean)]) {
    if (name !== '') {
      const inner = dir.enter(name);
      if (typeof inner === 'string' || 'linkTarget' in inner) break;
      dir.close();
      dir = inner;
      path = join(path, name);
    }
    lookAt(dir, path, found);
  }
  dir.close();
}

function lookBelow(dir: Dir, path: string, found: GitPlaces, room: { left: number }): void {
  let entries: ReturnType<Dir['entries']>;
  try {
    entries = dir.entries();
  } catch {
    return;
  }
  if (entries.some(({ name }) => name === GIT || name === 'HEAD')) lookAt(dir, path, found);
  for (const { name, type } of entries) {
    if (room.left-- <= 0) return;
    if (type !== 'directory' || SKIPPED.has(name)) continue;
    const inner = dir.enter(name);
    if (typeof inner === 'string' || 'linkTarget' in inner) continue;
    lookBelow(inner, join(path, name), found, room);
    inner.close();
  }
}

/** Takes note of what a directory holds, if it is a repository's worktree or its `.git`. */
function lookAt(dir: Dir, path: string, found: GitPlaces): void {
  const git = dir.lstat(GIT);
  if (git?.type === 'file') found.fixed.add(join(path, GIT));
  if (git?.type === 'directory') {
    const configs = ['config', 'config.worktree'].flatMap((name) => dir.readAbove(0, GIT, name) ?? []);
    for (const named of pathsOf(configs, path)) noteNamed(dir, path, named, found);
  }
  if (!looksLikeRepository(dir)) return;
  found.repositories.add(path);
  for (const name of CONTROL) (dir.hasAbove(0, name) ? found.fixed : found.absent).add(join(path, name));
}

/** What the configuration names is only fixed where it is there, beside the worktree's own files. */
function noteNamed(worktree: Dir, path: string, named: string, found: GitPlaces): void {
  if (!isWithin(named, path) || named === path) return;
  let dir = worktree.again();
  const names = relative(path, named).split(sep);
  const last = names.pop()!;
  try {
    for (const name of names) {
      const inner = dir.enter(name);
      if (typeof inner === 'string' || 'linkTarget' in inner) return;
      dir.close();
      dir = inner;
    }
    const type = dir.lstat(last)?.type;
    if (type === 'file' || type === 'directory') found.fixed.add(named);
  } finally {
    dir.close();
  }
}

function looksLikeRepository(dir: Dir): boolean {
  if (!dir.hasAbove(0, 'HEAD')) return false;
  return dir.hasAbove(0, 'commondir') || (dir.hasAbove(0, 'objects') && dir.hasAbove(0, 'refs'));
}

/** What a command made of Git's that it must not leave behind. */
export interface MadeForGit {
  /** New repositories, of which Git would take the configuration. */
  repositories: string[];
  /** Configuration and hooks that repositories did not have. */
  control: string[];
}

/** Compares what there was before a command with what there is now. */
export function madeForGit(roots: readonly Root[], cwd: string, before: GitPlaces): MadeForGit {
  const now = findGitPlaces(roots, cwd);
  const repositories = [...now.repositories].filter(
    (path) => !before.repositories.has(path) && !isLinkedWorktree(path, before),
  );
  const control = [...now.fixed].filter((path) => before.absent.has(path));
  return { repositories, control };
}

/** The directory of a linked worktree has the configuration of its repository. */
function isLinkedWorktree(path: string, { repositories }: GitPlaces): boolean {
  const outer = dirname(dirname(path));
  return basename(dirname(path)) === 'worktrees' && repositories.has(outer);
}
