/**
 * Remembers what stood in directories that have not changed since: a project is searched again and again.
 *
 * A directory's change time moves with every entry that comes or goes, and nobody can set it. What was listed
 * within a moment of a change is not remembered, since a second change could bear the same time.
 */
import type { DirectoryState, Listing, ListingMemory } from '../confine/scan-listing.ts';

const MOST_NAMES = 120_000;
const SETTLED_AFTER_MS = 2000;

interface Remembered extends DirectoryState {
  listing: Listing;
}

export class ListingCache implements ListingMemory {
  readonly #known = new Map<string, Remembered>();
  #names = 0;

  recall(state: DirectoryState): Listing | undefined {
    const known = this.#known.get(keyOf(state));
    if (!known || known.changedNs !== state.changedNs || known.modifiedNs !== state.modifiedNs)
      return undefined;
    return known.listing;
  }

  remember(state: DirectoryState, listing: Listing): void {
    const key = keyOf(state);
    this.#forget(key);
    const settled = BigInt(Date.now() - SETTLED_AFTER_MS) * 1_000_000n;
    if (state.changedNs > settled || state.modifiedNs > settled || listing.names.length > MOST_NAMES) return;
    for (const oldest of this.#known.keys()) {
      if (this.#names + listing.names.length <= MOST_NAMES) break;
      this.#forget(oldest);
    }
    this.#known.set(key, { ...state, listing });
    this.#names += listing.names.length;
  }

  #forget(key: string): void {
    const known = this.#known.get(key);
    if (!known) return;
    this.#known.delete(key);
    this.#names -= known.listing.names.length;
  }
}

function keyOf({ dev, ino }: DirectoryState): string {
  return `${dev}:${ino}`;
}
