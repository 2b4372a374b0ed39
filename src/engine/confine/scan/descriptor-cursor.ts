/** A cursor on held descriptors: each lookup names one component below one of them. */
import * as fs from 'node:fs';
import { EngineFailure } from '../../failures.ts';
import { O_PATH } from '../directory/reopen.ts';
import { isShortage } from '../errno.ts';
import { typeOf } from '../stat.ts';
import { type Absence, absenceOf } from './absence.ts';
import type { Cursor, EntryFacts, FileState } from './cursor.ts';
import {
  type DirectoryState,
  type Listing,
  type ListingMemory,
  listAt,
  listInTurnsAt,
  listUntyped,
  nameBatches,
  stateOf,
} from './listing.ts';
import type { RawStat } from './packed-entries.ts';
import { heldIdentity, leadsTo, pathOfDescriptor, quickPath, statAll } from './quick-stat.ts';
import { encodedBelow } from './raw-names.ts';
import { retryShortage } from './retry-shortage.ts';

// Taken out of the module once: they are called for every file, and a lookup in the module costs time at each call.
const { openSync, closeSync } = fs;
const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
/** How many levels keep their descriptors. The cursor reopens others from the nearest level that is still open. */
const MAX_HELD = 8;
const QUIET_STAT = { throwIfNoEntry: false } as const;

export class DescriptorCursor implements Cursor {
  readonly #root: number;
  readonly #memory: ListingMemory | undefined;
  readonly #descriptors = descriptorsPath();
  #names: string[] = [];
  /** The descriptor of each level, -1 where it is closed. */
  #held: number[] = [];
  /**
   * The path before each name in the current directory; undefined when the last step failed, so that no stale
   * descriptor is ever used.
   */
  #prefix: string | undefined;
  #current: number;
  #directory: string | undefined = '';
  /** The path of the root; empty if it must not be used. */
  #rootPath: string | undefined;
  /** The path before each name for `state`, once it is known. */
  #statPrefix: string | undefined;

  constructor(root: number, memory: ListingMemory | undefined) {
    this.#root = root;
    this.#memory = memory;
    this.#current = root;
    this.#prefix = `${this.#descriptors}${root}/`;
  }

  goTo(directory: string): Absence | undefined {
    if (directory === this.#directory) return undefined;
    this.#statPrefix = undefined;
    const names = directory === '' ? [] : directory.split('/');
    let level = this.#shared(names);
    this.#leave(level);
    while (level > 0 && this.#held[level - 1]! < 0) level--;
    let from = level === 0 ? this.#root : this.#held[level - 1]!;
    for (; level < names.length; level++) {
      try {
        const path = encodedBelow(`${this.#descriptors}${from}/`, names[level]!);
        from = retryShortage(() => openSync(path, O_PATH | O_DIRECTORY | O_NOFOLLOW));
      } catch (error) {
        this.close();
        return absenceOf(error);
      }
      this.#hold(level, names[level]!, from);
    }
    this.#current = from;
    this.#prefix = `${this.#descriptors}${from}/`;
    this.#directory = directory;
    return undefined;
  }

  list(): Listing | Absence {
    if (this.#prefix === undefined) return 'gone';
    try {
      const state = this.#memory && stateOf(this.#current);
      const known = state && this.#memory!.recall(state);
      if (known) return known;
      const prefix = this.#prefix;
      const listing = retryShortage(() => listAt(prefix));
      if (state) this.#memory!.remember(state, listing);
      return listing;
    } catch (error) {
      const absence = absenceOf(error);
      if (absence === 'unreadable') return absence;
    }
    try {
      return listUntyped(this.#prefix);
    } catch (error) {
      return absenceOf(error);
    }
  }

  listInTurns(pause: () => Promise<void> | undefined): Listing | Absence | Promise<Listing | Absence> {
    if (this.#prefix === undefined) return 'gone';
    try {
      const state = this.#memory && stateOf(this.#current);
      const known = state && this.#memory!.recall(state);
      if (known) return known;
      const listing = listInTurnsAt(this.#prefix, pause);
      if (listing instanceof Promise) return this.#listed(listing, state);
      if (state) this.#memory!.remember(state, listing);
      return listing;
    } catch (error) {
      return this.#afterFailure(error);
    }
  }

  async #listed(listing: Promise<Listing>, state: DirectoryState | undefined): Promise<Listing | Absence> {
    try {
      if (state) this.#memory!.remember(state, await listing);
      return await listing;
    } catch (error) {
      return this.#afterFailure(error);
    }
  }

  /** Tries to list everything at once, which is all that some directories allow. */
  #afterFailure(error: unknown): Listing | Absence {
    if (error instanceof EngineFailure) throw error;
    return absenceOf(error) === 'unreadable' ? 'unreadable' : this.list();
  }

  open(name: string): number | Absence {
    if (this.#prefix === undefined) return 'gone';
    try {
      const path = encodedBelow(this.#prefix, name);
      return retryShortage(() => openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
    } catch (error) {
      return absenceOf(error);
    }
  }

  facts(name: string): EntryFacts | undefined {
    if (this.#prefix === undefined) return undefined;
    try {
      const stat = fs.lstatSync(encodedBelow(this.#prefix, name), { throwIfNoEntry: false });
      return stat && { type: typeOf(stat), size: stat.size, mtimeMs: stat.mtimeMs };
    } catch (error) {
      if (isShortage(error)) throw error;
      return undefined;
    }
  }

  state(name: string): FileState | undefined {
    if (this.#prefix === undefined) return undefined;
    this.#rootPath ??= pathOfDescriptor(`${this.#descriptors}${this.#root}`);
    this.#statPrefix ??=
      quickPath(this.#rootPath, this.#directory ?? '', Number.POSITIVE_INFINITY) ?? this.#prefix;
    try {
      return fs.lstatSync(encodedBelow(this.#statPrefix, name), QUIET_STAT);
    } catch {
      return undefined;
    }
  }

  get place(): string {
    this.#rootPath ??= pathOfDescriptor(`${this.#descriptors}${this.#root}`);
    return this.#directory === '' ? this.#rootPath : `${this.#rootPath}/${this.#directory}`;
  }

  areSame(name: string, other: string): boolean {
    if (this.#prefix === undefined) return false;
    const [one, two] = [name, other].map((each) =>
      fs.lstatSync(encodedBelow(this.#prefix!, each), { bigint: true, throwIfNoEntry: false }),
    );
    return one !== undefined && one.ino === two?.ino && one.dev === two.dev;
  }

  names(most?: number): readonly string[] | Absence | 'too-many' {
    const prefix = this.#prefix;
    if (prefix === undefined) return 'gone';
    if (most === undefined && this.#memory) {
      const listing = this.list();
      return typeof listing === 'string' ? listing : listing.names;
    }
    try {
      if (most === undefined) return retryShortage(() => fs.readdirSync(prefix, { encoding: 'latin1' }));
      const names: string[] = [];
      for (const batch of nameBatches(prefix)) {
        names.push(...batch);
        if (names.length > most) return 'too-many';
      }
      return names;
    } catch (error) {
      return absenceOf(error);
    }
  }

  statEach(names: readonly string[], take: (name: string, stat: RawStat) => void, restart: () => void): void {
    if (this.#prefix === undefined) return;
    this.#rootPath ??= pathOfDescriptor(`${this.#descriptors}${this.#root}`);
    const path = quickPath(this.#rootPath, this.#directory ?? '', names.length);
    const held = path === undefined ? undefined : heldIdentity(this.#current);
    if (path !== undefined && held && leadsTo(path, held)) {
      statAll(path, names, take);
      if (leadsTo(path, held)) return;
      restart();
    }
    statAll(this.#prefix, names, take);
  }

  linkTarget(name: string): string | undefined {
    if (this.#prefix === undefined) return undefined;
    try {
      return fs.readlinkSync(encodedBelow(this.#prefix, name), { encoding: 'latin1' });
    } catch (error) {
      if (isShortage(error)) throw error;
      return undefined;
    }
  }

  close(): void {
    this.#leave(0);
    this.#prefix = undefined;
    this.#statPrefix = undefined;
    this.#directory = undefined;
  }

  #shared(names: readonly string[]): number {
    let level = 0;
    while (level < names.length && names[level] === this.#names[level]) level++;
    return level;
  }

  #leave(level: number): void {
    for (const fd of this.#held.splice(level)) if (fd >= 0) closeSync(fd);
    this.#names.length = Math.min(this.#names.length, level);
  }

  #hold(level: number, name: string, fd: number): void {
    this.#names[level] = name;
    this.#held[level] = fd;
    const farthest = level - MAX_HELD;
    if (farthest < 0 || this.#held[farthest]! < 0) return;
    closeSync(this.#held[farthest]!);
    this.#held[farthest] = -1;
  }
}

/** `/proc/<pid>` has one link less to resolve at each lookup than `/proc/self`, if it is the same process. */
let ownDescriptors: string | undefined;
function descriptorsPath(): string {
  if (ownDescriptors !== undefined) return ownDescriptors;
  const self = fs.readlinkSync('/proc/self');
  ownDescriptors = self === String(process.pid) ? `/proc/${self}/fd/` : '/proc/self/fd/';
  return ownDescriptors;
}
