/** Which paths the changes of an entry touch. */
import type { Change, JournalEntry } from './entry.ts';

export function pathsOf({ changes }: Pick<JournalEntry, 'changes'>): string[] {
  return changes.flatMap(touchedPaths);
}

export function touchedPaths(change: Change): string[] {
  return change.kind === 'moved' ? [change.path, change.to] : [change.path];
}
