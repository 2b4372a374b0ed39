/**
 * Remembers repositories that name nothing but their own hooks, so that a write in one need not read its configuration
 * each time. A change that makes one name more also changes the ctime of an entry that is checked here, and no program
 * can set a ctime.
 */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { CONFIG, GIT, HOOKS, WORKTREE_CONFIG } from './git-names.ts';

/** Two changes within so short a time could have the same timestamp. */
const SETTLED_AFTER_MS = 2000;
const MOST_KNOWN = 64;

const known = new Map<string, { state: string; named: readonly string[] }>();

/** The paths that the repository of a worktree names, if they are known and nothing has changed. */
export function recallNamed(worktree: string): readonly string[] | undefined {
  const repository = known.get(worktree);
  return repository && stateOf(worktree) === repository.state ? repository.named : undefined;
}

/** Finds the paths with `find`, and remembers them if `stateOf` shows every change that could add one. */
export function rememberNamed(worktree: string, find: () => string[]): string[] {
  const state = stateOf(worktree);
  const named = find();
  const isPlain = named.length === 1 && named[0] === join(worktree, GIT, HOOKS);
  known.delete(worktree);
  if (state === undefined || !isPlain || stateOf(worktree) !== state) return named;
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(worktree, { state, named });
  return named;
}

/** Undefined where `.git` is not a directory, or where something changed just now. */
function stateOf(worktree: string): string | undefined {
  const settled = BigInt(Date.now() - SETTLED_AFTER_MS) * 1_000_000n;
  const git = join(worktree, GIT);
  const facts: string[] = [];
  for (const path of [git, join(git, CONFIG), join(git, WORKTREE_CONFIG), join(git, HOOKS)]) {
    const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (path === git && !stat?.isDirectory()) return undefined;
    if (stat && stat.ctimeNs > settled) return undefined;
    facts.push(
      stat ? `${stat.dev} ${stat.ino} ${stat.mode} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}` : '',
    );
  }
  return facts.join('\n');
}
