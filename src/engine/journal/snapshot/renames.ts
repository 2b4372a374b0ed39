/**
 * Finds what a command has moved rather than removed.
 *
 * Most moved files were copied before the command: the journal records them as removed here and created there. A file
 * that was not copied can still be restored when it is known where it went: an undo moves it back.
 */
import { basename } from 'node:path';
import { isBelow, isWithin } from '../../confine/roots.ts';
import type { EntryStat } from '../../confine/scan/packed-entries.ts';
import type { Steps } from '../../event-loop.ts';
import { stampOf } from '../record/stamp.ts';
import { type Entries, NOT_ENTERED, type SnapshotEntry } from './snapshot.ts';

export class Renames {
  /** From old paths to new ones. */
  readonly #to = new Map<string, string>();
  readonly #newNames = new Set<string>();
  /** The old and the new paths of moved directories. */
  readonly #directories: string[] = [];

  /** Works in turns: there may be a hundred thousand entries. */
  static *find(
    before: Entries,
    after: Entries,
    isKept: (path: string, was: SnapshotEntry) => boolean,
  ): Steps<Renames> {
    const found = new Renames();
    const gone = new Map<string, string>();
    for (const [path, was] of before) {
      yield;
      if (was.unreachable || isStillAt(was, after.get(path))) continue;
      if (was.stat.type === 'directory' || !isKept(path, was)) gone.set(fingerprintOf(was.stat), path);
    }
    if (gone.size === 0) return found;
    for (const [path, is] of after) {
      yield;
      const from = is.unreachable || before.has(path) ? undefined : gone.get(fingerprintOf(is.stat));
      if (from === undefined || (isKept(from, before.get(from)!) && !isUnknown(path, is))) continue;
      gone.delete(fingerprintOf(is.stat));
      found.#to.set(from, path);
      found.#newNames.add(path);
      if (is.stat.type === 'directory') found.#directories.push(from, path);
    }
    return found;
  }

  get all(): Iterable<[from: string, to: string]> {
    return this.#to;
  }

  isOldName(path: string): boolean {
    return this.#to.has(path);
  }

  isNewName(path: string): boolean {
    return this.#newNames.has(path);
  }

  /** Whether something was moved only with a directory above it. */
  wentAlong(path: string): boolean {
    return this.#directories.some((directory) => isBelow(path, directory));
  }

  reachInto(directory: string): boolean {
    for (const to of this.#newNames) if (isWithin(to, directory)) return true;
    return false;
  }
}

/** Also true where a directory is now: nothing could be moved back to that path. */
function isStillAt(was: SnapshotEntry, is: SnapshotEntry | undefined): boolean {
  return (
    is !== undefined && (is.stat.type === 'directory' || fingerprintOf(is.stat) === fingerprintOf(was.stat))
  );
}

/** Whether a directory was not scanned, so that its entries are unknown. */
function isUnknown(path: string, { stat, unread }: SnapshotEntry): boolean {
  return unread === true || (stat.type === 'directory' && NOT_ENTERED.has(basename(path)));
}

function fingerprintOf(stat: EntryStat): string {
  return `${stat.type} ${stat.dev} ${stampOf(stat)}`;
}
