/**
 * Directories that a command has left in place and that the server could not read before it or after it: what is in
 * them cannot be compared.
 */
import { dirname } from 'node:path';
import { isSame } from '../record/small-content.ts';
import type { Entries } from './snapshot.ts';

export class UnreadDirectories {
  readonly #paths = new Set<string>();

  constructor(before: Entries, after: Entries) {
    for (const [path, was] of before) {
      const is = after.get(path);
      if (is?.stat.type !== 'directory' || !(was.unread || is.unread)) continue;
      if (!(was.unread && is.unread && isSame(was.stat, is.stat))) this.#paths.add(path);
    }
  }

  /** What the answer and the history say of them. */
  get says(): string | undefined {
    const [first] = [...this.#paths].sort();
    if (first === undefined) return undefined;
    const more = this.#paths.size > 1 ? ` and ${this.#paths.size - 1} more` : '';
    return `not recorded: the server could not read ${JSON.stringify(first)}${more} before or after the command, and does not know what was changed in it`;
  }

  /** Whether it lies in one of them. */
  hold(path: string): boolean {
    if (this.#paths.size === 0) return false;
    for (let at = dirname(path); ; at = dirname(at)) {
      if (this.#paths.has(at)) return true;
      if (at === dirname(at)) return false;
    }
  }
}
