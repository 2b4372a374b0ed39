/** Whether the store has everything that is needed to undo a change. */
import type { Change, FileImage, Removed } from '../entries/entry.ts';
import type { Store } from '../store.ts';

export async function isKept(store: Store, change: Change): Promise<boolean> {
  if (change.kind === 'changed') return isImageKept(store, change.before);
  if (change.kind === 'removed') return isRemovedKept(store, change.before);
  return change.kind !== 'moved' || change.replaced === undefined || isRemovedKept(store, change.replaced);
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
