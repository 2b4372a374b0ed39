/**
 * Undoes an entry of the journal: plan, compare, restore. If anything is in the way, the undo changes nothing unless
 * the user forces it. An undo is a change like any other: the journal records it, and it can be undone itself.
 */
import type { Access } from '../access/access.ts';
import { whileLocked } from '../access/locks.ts';
import type { Caller } from '../caller.ts';
import { sweepAllLitter } from '../confine/content/sweep-drafts.ts';
import type { JournalEntry } from '../journal/entries/entry.ts';
import type { EntryIndex } from '../journal/entries/entry-index.ts';
import { touchedPaths } from '../journal/entries/touched-paths.ts';
import type { Journal } from '../journal/journal.ts';
import type { Obstacle } from './compare.ts';
import { reach } from './path-without-links.ts';
import { obstaclesOf, planUndo, type UndoStep } from './plan.ts';
import { restore } from './restore/restore.ts';
import { interruptedUndo, targetsOf } from './undo-chain.ts';

/** `by`: the id of the entry that the undo made. */
export type UndoResult = { by: string; steps: UndoStep[] } | { obstacles: Obstacle[] };

export interface UndoRequest {
  /** All entries, as they were just read. */
  index: EntryIndex;
  /** The entry to undo. */
  id: string;
  force: boolean;
}

export async function undoEntry(
  access: Access,
  journal: Journal,
  { index: known, id, force }: UndoRequest,
): Promise<UndoResult> {
  const index = await waitForOthers(access, journal, known, id);
  const targets = targetsOf(index, index.entry(id)!);
  const { entry } = targets.at(-1)!;
  const interrupted = interruptedUndo(index, entry);
  // The id of the undo's own entry. It is kept here until the undo has ended, and the caller learns it then. If nothing
  // on the disk had to change, there is no entry yet: `noteUndone` makes one.
  let by: string | undefined;
  const caller: Caller = { ...access.caller, entered: (own) => (by = own) };
  const options = { undoes: entry.id, continues: interrupted?.id };
  const paths = targets.flatMap((target) => target.entry.changes.flatMap(touchedPaths));
  const undoing = access.as(caller).change(paths, options, async (changes) => {
    for (const target of targets) if (target.interrupted) await sweepAround(access, target.entry);
    const planned = await planUndo(access, journal, targets);
    const found = obstaclesOf(planned);
    const stops = found.length > 0 && !(force && found.every(({ forceable }) => forceable));
    if (!stops) await restore(access, journal, planned, changes);
    return { steps: planned, obstacles: stops ? found : [] };
  });
  const { steps, obstacles } = await undoing.catch((error: unknown) => {
    if (by !== undefined) access.caller.entered(by);
    throw error;
  });
  if (obstacles.length > 0) return { obstacles };
  by ??= journal.noteUndone(entry, access.caller.origin, interrupted?.id);
  if (interrupted) await journal.complete(interrupted.id);
  const after = targets.length > 1 ? await journal.read() : index;
  for (const target of targets.slice(0, -1)) {
    // This undo also undid `target`, which has no end; only this note records that.
    if (!after.hasEnd(target.entry.id)) journal.noteUndone(target.entry, access.caller.origin);
  }
  access.caller.entered(by);
  return { by, steps };
}

/**
 * Waits for calls that may be under way, in this process or another. An entry has no end while its last line is
 * missing: its call was interrupted, or may still be changing files. So may an undo of it. Returns the entries as they
 * are then.
 */
async function waitForOthers(
  access: Access,
  journal: Journal,
  index: EntryIndex,
  id: string,
): Promise<EntryIndex> {
  const entry = index.entry(id)!;
  const pending = [entry, interruptedUndo(index, entry)].filter((each) => each?.state === 'pending');
  if (pending.length === 0) return index;
  for (const path of new Set(pending.flatMap((each) => each!.changes.flatMap(touchedPaths)))) {
    const { place } = reach(access, path);
    if (place)
      await whileLocked(access.locks, [place], undefined, async () => {}).finally(() => place.close());
  }
  return journal.read();
}

/** Removes the temporary files that an interrupted server left next to the files of the entry. */
async function sweepAround(access: Access, { changes }: JournalEntry): Promise<void> {
  const swept = new Set<string>();
  for (const path of changes.flatMap(touchedPaths)) {
    const { place } = reach(access, path);
    if (place && !swept.has(place.dir.identity)) await sweepAllLitter(place.dir);
    if (place) swept.add(place.dir.identity);
    place?.close();
  }
}
