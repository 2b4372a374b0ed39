/** Finds what a command made for Git and must not leave behind, by comparing the places before and after it. */
import { lstatSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { isWithinAny, type Root } from '../roots.ts';
import { commonDirectory, directoryPointedTo, resolveExistingPart } from './git-named-paths.ts';
import { GIT, WORKTREE_CONFIG } from './git-names.ts';
import { findGitPlaces, type GitPlaces, MOST_ENTRIES, type PlaceInRoot } from './git-places.ts';

export interface NewGitPlaces {
  /** New repositories whose configuration Git would use, by path. */
  repositories: Map<string, PlaceInRoot>;
  /** New configuration, hooks, links that lead to them, and rebase lists with new lines to run. */
  control: string[];
  /** Whether the search covered all that the command left. */
  complete: boolean;
}

/** When a command makes more files than this, its result says that they were not searched. */
const MOST_NEW_ENTRIES = 200_000;
/** How far the clock of a file system may lag behind. */
const LAG_MS = 50;

/** Compares what there was before a command with what there is now. */
export async function findNewGitPlaces(
  roots: readonly Root[],
  cwd: string,
  before: GitPlaces,
): Promise<NewGitPlaces> {
  const { absent, fixed, holders, unseen } = before;
  const most = unseen.size > 0 ? MOST_ENTRIES : before.entries + MOST_NEW_ENTRIES;
  const now = await findGitPlaces(roots, cwd, { most, first: holders });
  // What the first search did not reach may have been there all the time.
  const isYoung = (born: number) => born >= before.since - LAG_MS;
  const isNew = (path: string, born = bornAt(path)) => !isWithinAny(path, unseen) || isYoung(born);
  const repositories = [...now.repositories].filter(
    ([path, { born }]) =>
      !before.repositories.has(path) && !isLinkedWorktree(path, before) && isNew(path, born),
  );
  // A link that a repository names may be anywhere, even where the first search had no reason to note it.
  const isNewLink = (path: string) =>
    unseen.size === 0 || absent.has(path) || fixed.has(path) || isYoung(bornAt(path));
  const pointers = [...now.pointers].flatMap(([path, says]) => {
    const said = before.pointers.get(path);
    const known = said === undefined ? !(basename(path) === GIT ? isNew : isNewLink)(path) : said === says;
    return known || leadsToKnown(path, says, before) ? [] : path;
  });
  const control = [...now.fixed].filter((path) => {
    if (absent.has(path)) return true;
    if (basename(path) === WORKTREE_CONFIG && !fixed.has(path)) return isNew(path);
    return before.pointers.has(path) && basename(path) !== GIT;
  });
  const rebases = [...now.rebases].flatMap(([repository, { path, runs }]) => {
    const known = before.rebases.get(repository)?.runs ?? [];
    const more = runs.some((each) => !known.includes(each));
    return more && (before.repositories.has(repository) || isNew(path)) ? path : [];
  });
  return {
    repositories: new Map(repositories),
    control: [...new Set([...pointers, ...control, ...rebases])],
    complete: now.unseen.size === 0 || unseen.size > 0,
  };
}

/** Whether this is the directory of a linked worktree that uses the configuration of a known repository. */
function isLinkedWorktree(path: string, { repositories }: GitPlaces): boolean {
  const outer = dirname(dirname(path));
  const isBelow = basename(dirname(path)) === 'worktrees' && repositories.has(outer);
  return isBelow && resolveExistingPart(commonDirectory(path)) === outer;
}

/** Whether a `.git` that is not a directory leads to a repository that was there before. */
function leadsToKnown(path: string, says: string, before: GitPlaces): boolean {
  if (basename(path) !== GIT) return false;
  const pointed = directoryPointedTo(says, dirname(path)) ?? path;
  const real = resolveExistingPart(pointed);
  return before.repositories.has(real) || isLinkedWorktree(real, before);
}

function bornAt(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.birthtimeMs ?? 0;
}
