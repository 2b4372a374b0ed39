/** Which lines of a journal can be copied: those of entries whose directories the other state has names for. */
import type { SharedPaths } from '../../../state/state.ts';
import type { JournalEntry } from '../entries/entry.ts';
import { EntryIndex, type ForgottenNames } from '../entries/entry-index.ts';
import type { Line } from '../entries/line.ts';

export interface ChosenLines {
  lines: Line[];
  /** How many entries the lines make. */
  entries: number;
  /** The directories of the entries that are left out, and how many those are. */
  unnamed: ReadonlyMap<string, number>;
  leftOut: number;
  forgotten: ForgottenNames;
}

/** Lines of entries that were given up are left out, too. */
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
 * Whether a path of one state means something in the other: in a directory, a path of this machine; in a fleet, one in
 * a directory with a name.
 */
export function namedIn(to: SharedPaths | undefined): (path: string) => boolean {
  return to
    ? (path) => path.startsWith('=') || to.toShared(path).startsWith('=')
    : (path) => !path.startsWith('=');
}

/** Of a path that all machines understand, only the name of its directory says where it is. */
function rootsOf({ roots }: JournalEntry): string[] {
  return [...new Set(roots.map((root) => (root.startsWith('=') ? root.split('/')[0]! : root)))];
}
