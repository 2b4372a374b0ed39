/** Whether the store has everything that is needed to undo a change. */
import { type Change, type FileImage, type Removed, removedBy } from '../entries/entry.ts';
import type { Store } from '../store.ts';

export async function isKept(store: Store, change: Change): Promise<boolean> {
  const removed = removedBy(change);
  return removed === undefined || isRemovedKept(store, removed);
}

async function isRemovedKept(store: Store, what: Removed): Promise<boolean> {
  if (what.type === 'file') return isImageKept(store, what.file);
  if (what.type !== 'tree') return true;
  for (const { removed } of what.entries) if (!(await isRemovedKept(store, removed))) return false;
  return true;
}

async function isImageKept(store: Store, { kept, hash }: FileImage): Promise<boolean> {
  if (kept.in === 'aside') return store.statAside(kept.name) !== undefined;
  return kept.in !== 'store' || store.has(hash!);
}
