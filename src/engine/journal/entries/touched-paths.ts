/** Which paths a change touches. */
import type { Change } from './entry.ts';

export function touchedPaths(change: Change): string[] {
  return change.kind === 'moved' ? [change.path, change.to] : [change.path];
}

export function concernsDirectory(change: Change): boolean {
  return change.kind !== 'changed' && change.type === 'directory';
}

/** Whether everything below the paths of a change changed with them. A new directory is empty, unless it came whole. */
export function touchesAllBelow(change: Change): boolean {
  return concernsDirectory(change) && (change.kind !== 'created' || change.whole === true);
}
