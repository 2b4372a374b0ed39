/** Which contents and things set aside the changes of an entry need. */
import type { Change, FileImage, JournalEntry, Removed } from './entry.ts';

/** To undo and to show an entry: each content by its hash, each thing set aside by its name. */
export function namesOf(changes: readonly Change[]): Set<string> {
  const names = namesToUndo(changes);
  for (const change of changes) {
    // What it became is kept to be shown, as long as the entry is.
    const shown = shownHash(change);
    if (shown !== undefined) names.add(shown);
  }
  return names;
}

/** Only to undo them. */
export function namesToUndo(changes: readonly Change[]): Set<string> {
  const names = new Set<string>();
  for (const change of changes) {
    if (change.kind === 'changed') addFile(names, change.before);
    if (change.kind === 'removed') addRemoved(names, change.before);
    if (change.kind === 'moved' && change.replaced) addRemoved(names, change.replaced);
  }
  return names;
}

/** By name: the entries, but for some, that need it to be undone. */
export function neededElsewhere(
  entries: readonly JournalEntry[],
  except: ReadonlySet<string>,
): Map<string, string[]> {
  const needers = new Map<string, string[]>();
  for (const { id, changes } of entries) {
    if (except.has(id)) continue;
    for (const name of namesToUndo(changes)) needers.set(name, [...(needers.get(name) ?? []), id]);
  }
  return needers;
}

/** The content that a change has left, by its hash. */
function shownHash(change: Change): string | undefined {
  if ('after' in change) return change.after?.hash;
  return change.kind === 'moved' ? change.file?.hash : undefined;
}

export function namesOfRemoved(removed: Removed): Set<string> {
  const names = new Set<string>();
  addRemoved(names, removed);
  return names;
}

function addFile(names: Set<string>, { kept, hash }: FileImage): void {
  if (kept.in === 'aside') names.add(kept.name);
  if (kept.in === 'store' && hash !== undefined) names.add(hash);
}

function addRemoved(names: Set<string>, removed: Removed): void {
  if (removed.type === 'aside') names.add(removed.name);
  if (removed.type === 'file') addFile(names, removed.file);
  if (removed.type === 'tree') for (const { removed: inner } of removed.entries) addRemoved(names, inner);
}

/** Whether all that a change replaced or removed was kept when it was made, but for what nothing can keep. */
export function keepsAll(change: Change): boolean {
  if (change.kind === 'changed') return change.before.kept.in !== 'nowhere';
  const removed = change.kind === 'moved' ? change.replaced : change.kind === 'removed' && change.before;
  if (!removed) return true;
  return removed.type === 'tree'
    ? !removed.entries.some((entry) => isNotKept(entry.removed))
    : !isNotKept(removed);
}

/** Neither in the store nor set aside: it was too large. */
function isNotKept(removed: Removed): boolean {
  return removed.type === 'file' ? removed.file.kept.in === 'nowhere' : removed.type === 'lost';
}
