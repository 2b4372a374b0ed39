/** Which entries are to be taken back for one that was undone and done again since, perhaps more than once. */
import type { JournalEntry } from '../journal/entries/entry.ts';
import type { Journal } from '../journal/journal.ts';
import type { Doing } from './plan.ts';

/**
 * Newest first; the last of them is the one that counts as undone then.
 *
 * What was undone to its end and done again is taken back where it was done last: there is what it needs. Was
 * an undo of it cut off and taken back, that comes first, and then the entry itself.
 */
export function doingsOf(journal: Journal, entries: readonly JournalEntry[], entry: JournalEntry): Doing[] {
  const undoings = entries.filter(({ undoes }) => undoes === entry.id);
  const again: Doing[] = [];
  for (const undoing of undoings) {
    const isWhole = journal.hasEnd(undoing.id);
    for (const redoing of entries) {
      if (redoing.undoes !== undoing.id || redoing.state === 'undone' || redoing.changes.length === 0)
        continue;
      again.push(...doingsOf(journal, entries, redoing));
      if (isWhole) return again;
    }
  }
  const open = entry.state === 'pending' || undoings.some(({ id }) => !journal.hasEnd(id));
  return [...again, { entry, open }];
}

/** An undo of an entry that was cut off and stands: the next one continues it, so that both are one. */
export function cutOffUndoing(
  journal: Journal,
  entries: readonly JournalEntry[],
  { id }: JournalEntry,
): JournalEntry | undefined {
  return entries.find((each) => each.undoes === id && each.state === 'pending' && !journal.hasEnd(each.id));
}
