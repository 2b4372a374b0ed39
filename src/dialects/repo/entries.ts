/** What the walks found, as this dialect knows it: files and directories, links as what they lead to. */
import { Breathing, ITEMS_A_LOOK, type WalkEntry } from '../../engine/index.ts';
import type { ToolContext } from '../dialect.ts';
import { milliseconds } from './json-result.ts';

export interface RepoEntry {
  /** From the repository's root. */
  path: string;
  type: 'file' | 'directory';
  /** Not for directories, nor for what cannot be read: links that lead out or nowhere, FIFOs, devices. */
  size?: number;
  modifiedMs?: number;
  /** A directory that is reached through a link, and so was not walked. */
  linked?: boolean;
}

/** `directory` is where the walk began, from the repository's root. */
export async function repoEntries(
  context: ToolContext,
  found: readonly WalkEntry[],
  directory: string,
): Promise<RepoEntry[]> {
  const breathing = new Breathing(context.signal);
  const entries: RepoEntry[] = [];
  for (const [index, { path: below, type, size, modifiedMs }] of found.entries()) {
    if (index % ITEMS_A_LOOK === 0) await breathing.pause();
    const path = directory === '' ? below : `${directory}/${below}`;
    if (type === 'symlink') entries.push({ path, ...(await targetOf(context, path)) });
    else if (type === 'directory' || size === undefined || modifiedMs === undefined)
      entries.push({ path, type: type === 'directory' ? type : 'file' });
    else entries.push({ path, type: 'file', size, modifiedMs });
  }
  return entries;
}

/** Directories before everything else; all of them come by path. */
export async function directoriesFirst(
  entries: readonly RepoEntry[],
  signal: AbortSignal,
): Promise<RepoEntry[]> {
  const directories: RepoEntry[] = [];
  const others: RepoEntry[] = [];
  const breathing = new Breathing(signal);
  for (const [index, entry] of entries.entries()) {
    if (index % ITEMS_A_LOOK === 0) await breathing.pause();
    (entry.type === 'directory' ? directories : others).push(entry);
  }
  return [...directories, ...others];
}

/** A link that leads out looks like one that leads nowhere: neither tells what is there. */
async function targetOf({ engine }: ToolContext, path: string): Promise<Omit<RepoEntry, 'path'>> {
  const found = await engine.files.peek(path);
  if (found?.type === 'directory') return { type: 'directory', linked: true };
  if (found?.type !== 'file') return { type: 'file' };
  return { type: 'file', size: found.size, modifiedMs: milliseconds(found.mtimeNs) };
}
