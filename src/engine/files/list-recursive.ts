/** Lists everything below a directory with type and size, in a fixed order, without following links. */

import { isTemporary } from '../confine/content/draft-names.ts';
import type { Dir } from '../confine/directory/dir.ts';
import { attempt, attemptAsync, failFrom } from '../confine/errno.ts';
import type { Place } from '../confine/place.ts';
import { rawOf, textOf } from '../confine/scan/raw-names.ts';
import { sameEntryIn } from '../confine/withheld/same-entry.ts';
import type { Verdict } from '../confine/withheld/withheld.ts';
import { sortedInTurns, Yielder } from '../event-loop.ts';
import type { EntryType } from '../failures.ts';
import { limits } from '../limits.ts';
import { openDirectory } from './list.ts';

export interface ListAllOptions {
  /** How many levels to list: 1 is the directory's own entries. Default: all. */
  depth?: number;
  /** The most entries to return: the first ones by path. Default: all. */
  max?: number;
  signal?: AbortSignal | undefined;
}

export interface BelowEntry {
  /** Relative to the listed directory, with `/` between the names. */
  path: string;
  type: EntryType;
  /** In bytes, as the system reports it; for a link, the length of its target's path. */
  size: number;
}

export interface ListingBelow {
  /** Sorted by the bytes of their paths: `a`, `a.txt`, `a/b`, `a0`. */
  entries: BelowEntry[];
  /** Entries are missing, because there are more than requested or directories are nested too deeply. */
  truncated: boolean;
}

export async function listBelow(place: Place, options: ListAllOptions): Promise<ListingBelow> {
  const { depth = Number.POSITIVE_INFINITY, max = Number.POSITIVE_INFINITY, signal } = options;
  const yielder = new Yielder(signal);
  const listing = new RecursiveListing(place, depth, max, yielder);
  const dir = openDirectory(place);
  try {
    const names = await attemptAsync(place.shown, 'list', () => rawNames(dir, yielder));
    await listing.add(dir, names, '', 1);
  } finally {
    dir.close();
  }
  return { entries: listing.entries, truncated: listing.truncated };
}

/**
 * Names are raw here, one character for each byte, so that every name on the disk can be used, and comparing two of
 * them compares their bytes.
 */
class RecursiveListing {
  readonly entries: BelowEntry[] = [];
  truncated = false;
  readonly #shown: string;
  readonly #place: Place;
  readonly #depth: number;
  readonly #max: number;
  readonly #yielder: Yielder;

  constructor(place: Place, depth: number, max: number, yielder: Yielder) {
    this.#shown = place.shown;
    this.#place = place;
    this.#depth = depth;
    this.#max = max;
    this.#yielder = yielder;
  }

  /** Adds a directory's entries. Returns false if the listing is full: then everything stops. */
  async add(dir: Dir, names: readonly string[], prefix: string, level: number): Promise<boolean> {
    // The entries of `a` come where `a/` is in the order: after `a.txt`, before `a0`. Of the directories that
    // wait for their turn, the one that was met last comes first.
    const waiting: string[] = [];
    for (const name of names) {
      while (waiting.length > 0 && `${waiting.at(-1)}/` < name) {
        if (!(await this.#enter(dir, waiting.pop()!, prefix, level))) return false;
      }
      await this.#yielder.pause();
      const look = () => dir.lstat(rawName(name));
      const stat = level === 1 ? attempt(this.#shown, 'list', look) : leniently(this.#shown, look);
      // It was deleted after the directory was read, or is a temporary file of a server.
      if (stat === undefined || isTemporary(name, stat.type)) continue;
      const verdict = this.#verdict(dir, prefix, name, stat.type === 'directory');
      if (verdict === 'hidden') continue;
      if (this.entries.length >= this.#max) {
        this.truncated = true;
        return false;
      }
      this.entries.push({ path: textOf(prefix + name), type: stat.type, size: stat.size });
      if (stat.type === 'directory' && level < this.#depth && !verdict) waiting.push(name);
    }
    while (waiting.length > 0) {
      if (!(await this.#enter(dir, waiting.pop()!, prefix, level))) return false;
    }
    return true;
  }

  /** Whether the owner of the server withholds a raw name in `dir`, which is at `prefix` below the place. */
  #verdict(dir: Dir, prefix: string, name: string, isDirectory: boolean): Verdict | undefined {
    const { withheld, path } = this.#place;
    if (withheld === undefined) return undefined;
    const parent = `${path === '/' ? '' : rawOf(path)}/${prefix}`.replace(/(.)\/$/, '$1');
    return withheld.verdictOnName(parent, name, isDirectory, sameEntryIn(dir));
  }

  async #enter(parent: Dir, name: string, prefix: string, level: number): Promise<boolean> {
    if (level >= limits.treeDepth) {
      this.truncated = true;
      return true;
    }
    const dir = leniently(this.#shown, () => parent.enterRaw(rawName(name)));
    if (dir === undefined) return true;
    try {
      const names = (await lenientlyAsync(this.#shown, () => rawNames(dir, this.#yielder))) ?? [];
      return await this.add(dir, names, `${prefix}${name}/`, level + 1);
    } finally {
      dir.close();
    }
  }
}

async function rawNames(dir: Dir, yielder: Yielder): Promise<string[]> {
  const names: string[] = [];
  for (const batch of dir.rawNameBatches()) {
    names.push(...batch);
    await yielder.pause();
  }
  return sortedInTurns(names, yielder, (a, b) => (a < b ? -1 : 1));
}

/** Below the listed directory, skips what was deleted meanwhile or may not be read instead of failing. */
function leniently<T>(shown: string, look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    return absentOr(error, shown);
  }
}

async function lenientlyAsync<T>(shown: string, look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    return absentOr(error, shown);
  }
}

function absentOr(error: unknown, shown: string): undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'EAGAIN' || code === 'EACCES' || code === 'EPERM') return undefined;
  return failFrom(error, shown, 'list');
}

function rawName(name: string): Buffer {
  return Buffer.from(name, 'latin1');
}
