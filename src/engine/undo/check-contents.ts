/** Checks, before an undo changes anything, that the contents that the journal kept are not damaged. */

import { type Change, type FileImage, type Removed, removedBy } from '../journal/entries/entry.ts';
import { LARGE_BYTES } from '../journal/record/capture.ts';
import type { Store } from '../journal/store.ts';

const DAMAGED = 'what the journal has kept of it is damaged';

/** Says what is damaged, in plain words. Large contents are checked only when they are restored. */
export async function findDamage(store: Store, change: Change): Promise<string | undefined> {
  const removed = removedBy(change);
  for (const { hash, size, kept } of removed ? imagesOf(removed) : []) {
    if (kept.in !== 'store' || hash === undefined || size >= LARGE_BYTES) continue;
    if ((await store.get(hash)) === undefined && !store.isForgotten(hash)) return DAMAGED;
  }
  return undefined;
}

function imagesOf(removed: Removed): FileImage[] {
  if (removed.type === 'tree') return removed.entries.flatMap((entry) => imagesOf(entry.removed));
  return removed.type === 'file' ? [removed.file] : [];
}
