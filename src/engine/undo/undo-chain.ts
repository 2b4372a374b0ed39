/** Which entries an undo restores for one that was undone and done again since, perhaps more than once. */
import type { JournalEntry } from '../journal/entries/entry.ts';
import type { Journal } from '../journal/journal.ts';

/** An entry that is undone. */
export interface UndoTarget {
  entry: JournalEntry;
  /** Whether the entry, or an undo of it, has no end: it may have been interrupted anywhere. */
  interrupted: boolean;
}

/**
 * Newest first; the last of them is the one that then counts as undone.
 *
 * Where an entry was undone to its end and done again, the undo takes back what did it last: that has kept what it
 * needs. Where an undo of the entry was interrupted and taken back, that comes first, and then the entry itself.
 */
export function targetsOf(journal: Journal, entry: JournalEntry): UndoTarget[] {
  const undos = journal.undosOf(entry.id);
  const again: UndoTarget[] = [];
  for (const undo of undos) {
    const isWhole = journal.hasEnd(undo.id);
    for (const redo of journal.undosOf(undo.id)) {
      if (redo.state === 'undone' || redo.changes.length === 0) continue;
      again.push(...targetsOf(journal, redo));
      if (isWhole) return again;
    }
  }
  const interrupted = entry.state === 'pending' || undos.some(({ id }) => !journal.hasEnd(id));
  return [...again, { entry, interrupted }];
}

/** An undo of an entry that was interrupted and stands: the next one continues it, so that both are one. */
export function interruptedUndo(journal: Journal, { id }: JournalEntry): JournalEntry | undefined {
  return journal.undosOf(id).find((undo) => undo.state === 'pending' && !journal.hasEnd(undo.id));
}
