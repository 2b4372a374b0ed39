/** Lists the contents and the things set aside that changes need. */
import { type Change, type FileImage, type JournalEntry, type Removed, removedBy } from './entry.ts';

const SHA256 = /^[0-9a-f]{64}$/;

/** What is needed to undo and to show changes: each content by its hash, each thing set aside by its name. */
export function contentNames(changes: readonly Change[]): Set<string> {
  const names = contentNamesToUndo(changes);
  for (const change of changes) {
    // The new content is kept as long as the entry, for its diff.
    const shown = shownHash(change);
    if (shown !== undefined) names.add(shown);
  }
  return names;
}

/** Whether a name is the hash of a content; otherwise it is the name of something set aside. */
export function isContentHash(name: string): boolean {
  return SHA256.test(name);
}

/** What is needed to undo changes, though not to show them. */
export function contentNamesToUndo(changes: readonly Change[]): Set<string> {
  const names = new Set<string>();
  for (const change of changes) {
    const removed = removedBy(change);
    if (removed) addRemoved(names, removed);
  }
  return names;
}

/** For each name, the ids of the entries outside `except` that cannot be undone without it. */
export function neededElsewhere(
  entries: readonly JournalEntry[],
  except: ReadonlySet<string>,
): Map<string, string[]> {
  const needers = new Map<string, string[]>();
  for (const { id, changes } of entries) {
    if (except.has(id)) continue;
    for (const name of contentNamesToUndo(changes)) needers.set(name, [...(needers.get(name) ?? []), id]);
  }
  return needers;
}

/** The hash of the content that a change left behind. */
function shownHash(change: Change): string | undefined {
  if ('after' in change) return change.after?.hash;
  return change.kind === 'moved' ? change.file?.hash : undefined;
}

export function contentNamesOfRemoved(removed: Removed): Set<string> {
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

/** Whether the journal kept everything that a change replaced or removed. */
export function keepsAll(change: Change): boolean {
  const removed = removedBy(change);
  if (!removed) return true;
  return removed.type === 'tree'
    ? !removed.entries.some((entry) => isNotKept(entry.removed))
    : !isNotKept(removed);
}

/** Whether something is neither in the store nor set aside. */
function isNotKept(removed: Removed): boolean {
  return removed.type === 'file' ? removed.file.kept.in === 'nowhere' : removed.type === 'lost';
}
