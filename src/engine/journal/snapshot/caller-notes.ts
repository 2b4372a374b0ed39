/** Notes for the caller of a command: what the journal could not keep or does not know. */
import { addNote, type Caller } from '../../caller.ts';
import type { Change } from '../entries/entry.ts';
import { whyLost } from '../entries/why-lost.ts';

/** How many of the changes that cannot be undone the answer names. */
const MOST_NAMED = 3;

export function noteUnknownChanges(caller: Caller, code: string): void {
  addNote(
    caller,
    `what other servers changed meanwhile is not known, and may be among the command's changes (${code})`,
  );
}

/** The answer names these changes at once: a caller who hears of them only from an undo may hear of them too late. */
export function noteLost(caller: Caller, changes: readonly Change[]): void {
  const lost = changes.flatMap((change) => {
    const why = whyLost(change);
    return why === undefined ? [] : `${JSON.stringify(change.path)}: ${why}`;
  });
  if (lost.length === 0) return;
  const more = lost.length > MOST_NAMED ? `; and ${lost.length - MOST_NAMED} more` : '';
  addNote(caller, `undo cannot restore all of this: ${lost.slice(0, MOST_NAMED).join('; ')}${more}`);
}

export function noteSnapshotProblem(caller: Caller, code: string): void {
  addNote(caller, `not everything could be kept before the command (${code})`);
}
