/** Chooses the lines that can be copied: those of entries whose directories have a name in the other state. */
import type { SharedPaths } from '../../../state/state.ts';
import type { JournalEntry } from '../entries/entry.ts';
import { EntryIndex, type ForgottenNames } from '../entries/entry-index.ts';
import type { Line } from '../entries/line.ts';

export interface ChosenLines {
  lines: Line[];
  /** The number of entries that the lines describe. */
  entries: number;
  /** The directories without a name, each with the number of entries that are left out because of it. */
  unnamed: ReadonlyMap<string, number>;
  leftOut: number;
  forgotten: ForgottenNames;
}

/** Also leaves out the lines of entries that were dropped. */
export function chosenLines(all: readonly Line[], isNamed: (path: string) => boolean): ChosenLines {
  const index = new EntryIndex();
  for (const line of all) index.take(line);
  const unnamed = new Map<string, number>();
  const parts = new Set<string>();
  let entries = 0;
  for (const each of index.withParts) {
    const without = rootsOf(each.entry).filter((root) => !isNamed(root));
    for (const root of without) unnamed.set(root, (unnamed.get(root) ?? 0) + 1);
    if (without.length > 0) continue;
    entries++;
    for (const part of each.parts) parts.add(part);
  }
  const lines = all.filter(({ e, forgot }) => (e === undefined ? forgot !== undefined : parts.has(e)));
  const leftOut = index.withParts.length - entries;
  return { lines, entries, unnamed, leftOut, forgotten: index.forgotten };
}

/**
 * Whether a path has a meaning in the other state. A state directory understands the paths of this machine, a fleet
 * only those in directories that have a name.
 */
export function namedIn(to: SharedPaths | undefined): (path: string) => boolean {
  return to
    ? (path) => path.startsWith('=') || to.toShared(path).startsWith('=')
    : (path) => !path.startsWith('=');
}

/** The directories of an entry. Of a path that all machines understand (`=name/…`), only `=name` is a directory. */
function rootsOf({ roots }: JournalEntry): string[] {
  return [...new Set(roots.map((root) => (root.startsWith('=') ? root.split('/')[0]! : root)))];
}
