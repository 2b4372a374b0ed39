/** Turns what a walk found into repo's terms: files and directories, where a link counts as its target. */
import { ITEMS_PER_CHECK, type WalkEntry, Yielder } from '../../../engine/index.ts';
import type { ToolContext } from '../../dialect.ts';
import { milliseconds } from '../json-result.ts';

export interface RepoEntry {
  /** Relative to the repository's root. */
  path: string;
  type: 'file' | 'directory';
  /** Missing for directories and for what cannot be read: links that lead outside or nowhere, FIFOs, devices. */
  size?: number;
  modifiedMs?: number;
  /** A link to a directory: walks do not follow it. */
  linked?: boolean;
}

/** `directory` is where the walk began, relative to the repository's root. */
export async function repoEntries(
  context: ToolContext,
  found: readonly WalkEntry[],
  directory: string,
): Promise<RepoEntry[]> {
  const yielder = new Yielder(context.signal);
  const entries: RepoEntry[] = [];
  for (const [index, { path: below, type, size, modifiedMs }] of found.entries()) {
    if (index % ITEMS_PER_CHECK === 0) await yielder.pause();
    const path = directory === '' ? below : `${directory}/${below}`;
    if (type === 'symlink') entries.push({ path, ...(await targetOf(context, path)) });
    else if (type === 'directory' || size === undefined || modifiedMs === undefined)
      entries.push({ path, type: type === 'directory' ? type : 'file' });
    else entries.push({ path, type: 'file', size, modifiedMs });
  }
  return entries;
}

/** Puts directories before everything else. Each group stays in the order of the paths. */
export async function directoriesFirst(
  entries: readonly RepoEntry[],
  signal: AbortSignal,
): Promise<RepoEntry[]> {
  const directories: RepoEntry[] = [];
  const others: RepoEntry[] = [];
  const yielder = new Yielder(signal);
  for (const [index, entry] of entries.entries()) {
    if (index % ITEMS_PER_CHECK === 0) await yielder.pause();
    (entry.type === 'directory' ? directories : others).push(entry);
  }
  return [...directories, ...others];
}

/** A link that leads outside looks like one that leads nowhere, so that it reveals nothing. */
async function targetOf({ engine }: ToolContext, path: string): Promise<Omit<RepoEntry, 'path'>> {
  const found = await engine.files.peek(path);
  if (found?.type === 'directory') return { type: 'directory', linked: true };
  if (found?.type !== 'file') return { type: 'file' };
  return { type: 'file', size: found.size, modifiedMs: milliseconds(found.mtimeNs) };
}
