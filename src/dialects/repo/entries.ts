/** What the walks found, as this dialect knows it: files and directories, links as what they lead to. */
import { setImmediate } from 'node:timers/promises';
import { byBytes, fail, type WalkEntry } from '../../engine/index.ts';
import type { ToolContext } from '../dialect.ts';
import { milliseconds } from './answer.ts';

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

const LINKS_AT_ONCE = 64;

/** `directory` is where the walk began, from the repository's root. */
export async function repoEntries(
  context: ToolContext,
  found: readonly WalkEntry[],
  directory: string,
): Promise<RepoEntry[]> {
  const entries: RepoEntry[] = [];
  let links = 0;
  for (const { path: below, type, ...facts } of found) {
    const path = directory === '' ? below : `${directory}/${below}`;
    if (type === 'symlink') {
      if (++links % LINKS_AT_ONCE === 0) await breathe(context.signal);
      entries.push({ path, ...(await targetOf(context, path)) });
    } else entries.push({ path, type: type === 'directory' ? type : 'file', ...facts });
  }
  return entries;
}

/** Directories before everything else, then by path. */
export function directoriesFirst(a: RepoEntry, b: RepoEntry): number {
  return Number(b.type === 'directory') - Number(a.type === 'directory') || byBytes(a.path, b.path);
}

/** A link that leads out looks like one that leads nowhere: neither tells what is there. */
async function targetOf({ engine }: ToolContext, path: string): Promise<Omit<RepoEntry, 'path'>> {
  const found = await engine.peek(path);
  if (found?.type === 'directory') return { type: 'directory', linked: true };
  if (found?.type !== 'file') return { type: 'file' };
  return { type: 'file', size: found.size, modifiedMs: milliseconds(found.mtimeNs) };
}

async function breathe(signal: AbortSignal): Promise<void> {
  await setImmediate();
  if (signal.aborted) fail({ kind: 'cancelled' });
}
