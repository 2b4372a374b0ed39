/** Why a change could never be undone: the journal did not keep what was there before. */
import { type Change, removedBy } from './entry.ts';

export function whyLost(change: Change): string | undefined {
  if (change.kind === 'created') return change.lost;
  const removed = removedBy(change);
  if (removed?.type === 'lost') return removed.why;
  return removed?.type === 'file' && removed.file.kept.in === 'nowhere' ? removed.file.kept.why : undefined;
}
