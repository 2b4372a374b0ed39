/** Which entries an undo restores for one that was undone and done again since, perhaps more than once. */
import type { JournalEntry } from '../journal/entries/entry.ts';
import type { EntryIndex } from '../journal/entries/entry-index.ts';

/** An entry that is undone. */
export interface UndoTarget {
  entry: JournalEntry;
  /** Whether the entry, or an undo of it, has no end: it may have been interrupted anywhere. */
  interrupted: boolean;
}

/**
 * Newest first; the last of them is the one that then counts as undone.
 *
 * Where an entry was undone to its end and done again, the undo undoes what did it last: that has kept what it needs.
 * Where an undo of the entry was interrupted and undone itself, that comes first, and then the entry itself.
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

/** An undo of an entry that was interrupted and stands: the next one continues it, so that both are one. */
export function interruptedUndo(index: EntryIndex, { id }: JournalEntry): JournalEntry | undefined {
  return index.undosOf(id).find((undo) => undo.state === 'pending' && !index.hasEnd(undo.id));
}
