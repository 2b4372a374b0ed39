/** Finds the entries that must be undone to undo one that was undone and redone since, perhaps more than once. */
import type { JournalEntry } from '../journal/entries/entry.ts';
import type { EntryIndex } from '../journal/entries/entry-index.ts';

/** An entry to undo. */
export interface UndoTarget {
  entry: JournalEntry;
  /** Whether the entry, or an undo of it, has no end: it may have been interrupted anywhere. */
  interrupted: boolean;
}

/**
 * The entries to undo, newest first. The last of them is the one that then counts as undone.
 *
 * If an entry was completely undone and redone, the undo undoes the redo, which has kept what is needed. If an undo of
 * the entry was interrupted and then undone itself, the redo of it comes first, and then the entry itself.
 */
export function targetsOf(index: EntryIndex, entry: JournalEntry): UndoTarget[] {
  const undos = index.undosOf(entry.id);
  const again: UndoTarget[] = [];
  for (const undo of undos) {
    const isWhole = index.hasEnd(undo.id);
    for (const redo of index.undosOf(undo.id)) {
      if (redo.state === 'undone' || redo.changes.length === 0) continue;
      again.push(...targetsOf(index, redo));
      if (isWhole) return again;
    }
  }
  const interrupted = entry.state === 'pending' || undos.some(({ id }) => !index.hasEnd(id));
  return [...again, { entry, interrupted }];
}

/** An interrupted undo of an entry that was not undone itself. The next undo continues it: both become one entry. */
export function interruptedUndo(index: EntryIndex, { id }: JournalEntry): JournalEntry | undefined {
  return index.undosOf(id).find((undo) => undo.state === 'pending' && !index.hasEnd(undo.id));
}
