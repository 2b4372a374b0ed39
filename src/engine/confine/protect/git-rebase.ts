/** Finds an unfinished rebase: `git rebase --continue` would run the `exec` lines of its todo list. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isLink, readSettings, SETTINGS_BYTES } from '../probe-path.ts';
import { resolveExistingPart } from './git-named-paths.ts';

/** Directories in which Git keeps what it needs to continue: only Git may change them. */
export const UNFINISHED: ReadonlySet<string> = new Set(['rebase-merge', 'rebase-apply', 'sequencer']);

export interface Rebase {
  /** The todo list, or the link on the way to it. */
  path: string;
  /** The lines of the list that Git would run. */
  runs: readonly string[];
}

const EXEC = /^[ \t]*(?:x|exec)[ \t].*$/gm;

/** The rebase that a repository is in the middle of. */
export function rebaseIn(repository: string): Rebase | undefined {
  const directory = join(repository, 'rebase-merge');
  const list = join(directory, 'git-rebase-todo');
  const text = readSettings(resolveExistingPart(list));
  if (text === undefined) return undefined;
  const runs = text.match(EXEC) ?? [];
  return { path: isLink(directory) ? directory : list, runs: [...runs, ...unread(list)] };
}

/** Stands for the lines of a long list that were not read; it changes whenever somebody changes the list. */
function unread(list: string): string[] {
  const found = statSync(list, { throwIfNoEntry: false });
  if (found === undefined || found.size < SETTINGS_BYTES) return [];
  return [`${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}`];
}
