/** What the caller of a command is told besides its answer: what the journal could not keep or does not know. */
import { type Caller, reportChange } from '../../caller.ts';
import type { Change } from '../entries/entry.ts';
import { whyLost } from '../entries/why-lost.ts';

/** Of many changes that cannot be undone, the answer names the first. */
const MOST_TOLD = 3;

export function tellNotKnown(caller: Caller, code: string): void {
  tell(
    caller,
    `what other servers changed meanwhile is not known, and may be among the command's changes (${code})`,
  );
}

/** Undo says it too, but then it is too late to do the command another way. */
export function tellLost(caller: Caller, changes: readonly Change[]): void {
  const lost = changes.flatMap((change) => {
    const why = whyLost(change);
    return why === undefined ? [] : `${JSON.stringify(change.path)}: ${why}`;
  });
  if (lost.length === 0) return;
  const more = lost.length > MOST_TOLD ? `; and ${lost.length - MOST_TOLD} more` : '';
  tell(caller, `undo cannot restore all of this: ${lost.slice(0, MOST_TOLD).join('; ')}${more}`);
}

export function tellNotKept(caller: Caller, code: string): void {
  tell(caller, `not everything could be kept before the command (${code})`);
}

/** In the trace, and behind the answer. */
export function tell(caller: Caller, note: string): void {
  caller.noted(note);
  caller.told?.(`[${note}]`);
}

export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}

export function tellAll(caller: Caller, changes: readonly Change[]): void {
  for (const change of changes) reportChange(caller, change);
}
