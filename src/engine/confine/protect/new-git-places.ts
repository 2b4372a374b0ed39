/** What a command made for Git that it must not leave behind: found by comparing two looks. */
import { lstatSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Root } from '../roots.ts';
import { commonDirectory, directoryPointedTo, realAsFarAsThere } from './git-named.ts';
import { GIT, WORKTREE_CONFIG } from './git-names.ts';
import { findGitPlaces, type GitPlaces, MOST_ENTRIES } from './git-places.ts';

export interface NewGitPlaces {
  /** New repositories, of which Git would take the configuration. */
  repositories: string[];
  /** Configuration, hooks, ways to them and lists of a rebase to run that were not there. */
  control: string[];
  /** Whether all that the command left was searched. */
  complete: boolean;
}

/** When a command makes more files than this, its result says that they were not searched. */
const MOST_NEW_ENTRIES = 200_000;
/** The clock of a file system lags behind. */
const LAG_MS = 50;

/** Compares what there was before a command with what there is now. */
export async function findNewGitPlaces(
  roots: readonly Root[],
  cwd: string,
  before: GitPlaces,
): Promise<NewGitPlaces> {
  const most = before.complete ? before.entries + MOST_NEW_ENTRIES : MOST_ENTRIES;
  const now = await findGitPlaces(roots, cwd, { most });
  // Where the first look was not complete, what the second one finds may have been there all the time.
  const isNew = (born: number) => before.complete || born >= before.since - LAG_MS;
  const repositories = [...now.repositories].flatMap(([path, born]) =>
    before.repositories.has(path) || isLinkedWorktree(path, before) || !isNew(born) ? [] : path,
  );
  const pointers = [...now.pointers].flatMap(([path, says]) => {
    const known = before.pointers.has(path) ? before.pointers.get(path) === says : !isNew(bornAt(path));
    return known || leadsToKnown(path, says, before) ? [] : path;
  });
  const control = [...now.fixed].filter((path) => {
    if (before.absent.has(path)) return true;
    if (basename(path) === WORKTREE_CONFIG && !before.fixed.has(path)) return isNew(bornAt(path));
    return before.pointers.has(path) && basename(path) !== GIT;
  });
  const rebases = [...now.rebases].flatMap(([repository, { path, runs }]) => {
    const known = before.rebases.get(repository)?.runs ?? [];
    const more = runs.some((each) => !known.includes(each));
    return more && (before.repositories.has(repository) || isNew(bornAt(path))) ? path : [];
  });
  const complete = now.complete || !before.complete;
  return { repositories, control: [...new Set([...pointers, ...control, ...rebases])], complete };
}

/** The directory of a linked worktree has the configuration of its repository, when it says so. */
function isLinkedWorktree(path: string, { repositories }: GitPlaces): boolean {
  const outer = dirname(dirname(path));
  const isBelow = basename(dirname(path)) === 'worktrees' && repositories.has(outer);
  return isBelow && realAsFarAsThere(commonDirectory(path)) === outer;
}

/** Whether a `.git` that is not a directory leads to a repository that was there before. */
function leadsToKnown(path: string, says: string, before: GitPlaces): boolean {
  if (basename(path) !== GIT) return false;
  const pointed = directoryPointedTo(says, dirname(path)) ?? path;
  const real = realAsFarAsThere(pointed);
  return before.repositories.has(real) || isLinkedWorktree(real, before);
}

function bornAt(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.birthtimeMs ?? 0;
}
