/**
 * Directories that the server could not read before a command or after it, so that their entries cannot be compared. A
 * command that only changes who may read a directory has neither created nor removed what is in it.
 */
import { constants } from 'node:fs';
import { dirname } from 'node:path';
import { allows } from '../../confine/probe-path.ts';
import { isWithinAny, type Root } from '../../confine/roots.ts';
import { identityOf } from '../../confine/stat.ts';
import { limits } from '../../limits.ts';
import { isSame } from '../record/small-content.ts';
import type { Entries } from './snapshot.ts';

const { R_OK, X_OK } = constants;

/** Why no snapshot of these directories could be taken. */
export function whyNoSnapshot(roots: readonly Root[]): string {
  const closed = roots.find(({ dir }) => !allows(dir.handlePath, R_OK | X_OK));
  const why = closed
    ? `the server cannot read ${closed.given}`
    : `there are more than ${limits.watchedEntries} entries here`;
  return `not recorded: ${why}, so the changes of commands are not detected and cannot be undone`;
}

export class UnreadDirectories {
  /** The unread directories that still exist, by their old and new paths. */
  readonly #paths = new Set<string>();

  constructor(before: Entries, after: Entries) {
    for (const [path, was] of before) {
      const is = after.get(path);
      if (is?.stat.type !== 'directory' || !(was.unread || is.unread)) continue;
      if (!(was.unread && is.unread && isSame(was.stat, is.stat))) this.#paths.add(path);
    }
    this.#addMoved(before, after);
    this.#addMoved(after, before);
  }

  /** What the answer and the history say about them; undefined when there are none. */
  get note(): string | undefined {
    const [first] = [...this.#paths].sort();
    if (first === undefined) return undefined;
    const more = this.#paths.size > 1 ? ` and ${this.#paths.size - 1} more` : '';
    return `not recorded: the server could not read ${JSON.stringify(first)}${more} before or after the command, and does not know what was changed in it`;
  }

  /** Whether a path is in one of them. */
  hold(path: string): boolean {
    return this.#paths.size > 0 && isWithinAny(dirname(path), this.#paths);
  }

  /** Adds the directories that could be read in `others`, but not in `entries`, where they may have another path. */
  #addMoved(entries: Entries, others: Entries): void {
    const unread = new Set<string>();
    for (const { stat, unread: isUnread } of entries.values()) if (isUnread) unread.add(identityOf(stat));
    if (unread.size === 0) return;
    for (const [path, { stat, unread: isUnread }] of others) {
      if (!isUnread && stat.type === 'directory' && unread.has(identityOf(stat))) this.#paths.add(path);
    }
  }
}
