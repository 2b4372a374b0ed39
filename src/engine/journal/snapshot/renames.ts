/**
 * Which of what a command has made away with only bears another name now.
 *
 * Most moved files were kept: the journal records them as removed here and created there. What was not kept can still
 * be undone when it is known where it went: it is moved back.
 */
import { basename } from 'node:path';
import { isWithin } from '../../confine/roots.ts';
import type { EntryStat } from '../../confine/scan/packed-entries.ts';
import type { Steps } from '../../event-loop.ts';
import { stampOf } from '../record/stamp.ts';
import { type Entries, NOT_ENTERED, type SnapshotEntry } from './snapshot.ts';

export class Renames {
  /** From old paths to new ones. */
  readonly #to = new Map<string, string>();
  readonly #newNames = new Set<string>();
  /** Old and new names of directories. */
  readonly #directories: string[] = [];

  /** In turns: there may be a hundred thousand entries. */
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
      if (was.stat.type === 'directory' || !isKept(path, was)) gone.set(identityOf(was.stat), path);
    }
    if (gone.size === 0) return found;
    for (const [path, is] of after) {
      yield;
      const from = is.unreachable || before.has(path) ? undefined : gone.get(identityOf(is.stat));
      if (from === undefined || (isKept(from, before.get(from)!) && !isUnknown(path, is))) continue;
      gone.delete(identityOf(is.stat));
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

  /** Whether it only went along with a directory. */
  wentAlong(path: string): boolean {
    return this.#directories.some((directory) => path !== directory && isWithin(path, directory));
  }

  reachInto(directory: string): boolean {
    for (const to of this.#newNames) if (isWithin(to, directory)) return true;
    return false;
  }
}

/** Nothing can be moved back to a path where a directory is now. */
function isStillAt(was: SnapshotEntry, is: SnapshotEntry | undefined): boolean {
  return is !== undefined && (is.stat.type === 'directory' || identityOf(is.stat) === identityOf(was.stat));
}

/** What is in it was not scanned. */
function isUnknown(path: string, { stat, unread }: SnapshotEntry): boolean {
  return unread === true || (stat.type === 'directory' && NOT_ENTERED.has(basename(path)));
}

function identityOf(stat: EntryStat): string {
  return `${stat.type} ${stat.dev} ${stampOf(stat)}`;
}
