/**
 * Remembers the entries of directories that have not changed: clients search the same project again and again.
 *
 * A directory's change time moves with every entry that is added or removed, and no program can set it. A listing made
 * within a moment of a change is not remembered, since a second change could have the same timestamp.
 */
import type { DirectoryState, Listing, ListingMemory } from './listing.ts';

const MOST_NAMES = 120_000;
const SETTLED_AFTER_MS = 2000;

interface Remembered extends DirectoryState {
  listing: Listing;
}

export class ListingCache implements ListingMemory {
  /** By inode number. If two directories on two devices share one, only the last is remembered. */
  readonly #known = new Map<number, Remembered>();
  #names = 0;

  recall(state: DirectoryState): Listing | undefined {
    const known = this.#known.get(state.ino);
    return known && isSame(known, state) ? known.listing : undefined;
  }

  remember(state: DirectoryState, listing: Listing): void {
    this.#forget(state.ino);
    const settled = Date.now() - SETTLED_AFTER_MS;
    if (state.changedMs > settled || state.modifiedMs > settled || listing.names.length > MOST_NAMES) return;
    for (const oldest of this.#known.keys()) {
      if (this.#names + listing.names.length <= MOST_NAMES) break;
      this.#forget(oldest);
    }
    this.#known.set(state.ino, { ...state, listing });
    this.#names += listing.names.length;
  }

  #forget(ino: number): void {
    const known = this.#known.get(ino);
    if (!known) return;
    this.#known.delete(ino);
    this.#names -= known.listing.names.length;
  }
}

function isSame(a: DirectoryState, b: DirectoryState): boolean {
  return a.changedMs === b.changedMs && a.modifiedMs === b.modifiedMs && a.dev === b.dev;
}
