/** Keeps the history from showing files that the owner denies or hides, even if the owner did so only later. */
import { rawOf } from '../confine/scan/raw-names.ts';
import type { Wall } from '../confine/wall.ts';
import type { Verdict } from '../confine/withheld/withheld.ts';
import type { Change, JournalEntry } from '../journal/entries/entry.ts';
import { concernsDirectory, touchedPaths } from '../journal/entries/touched-paths.ts';
import type { Obstacle } from './compare.ts';

export const DENIED = 'the owner of this server denied it (--deny)';
const HOLDS_HIDDEN = 'it holds entries that this server does not serve';

type Rules = Pick<Wall, 'withheld'>;

/** The stricter verdict on the paths of a change: a move has two. */
export function verdictOn({ withheld }: Rules, change: Change): Verdict | undefined {
  if (withheld === undefined) return undefined;
  const isDirectory = concernsDirectory(change);
  const verdicts = touchedPaths(change).map((path) => withheld.verdictOnPath(rawOf(path), isDirectory));
  return (
    verdicts.find((verdict) => verdict === 'hidden') ?? verdicts.find((verdict) => verdict !== undefined)
  );
}

/** An entry without its changes of hidden files; undefined when it has no others. */
export function servedEntry(rules: Rules, entry: JournalEntry): JournalEntry | undefined {
  if (rules.withheld === undefined) return entry;
  const changes = entry.changes.filter((change) => verdictOn(rules, change) !== 'hidden');
  if (changes.length === entry.changes.length) return entry;
  return changes.length === 0 ? undefined : { ...entry, changes };
}

/** Why entries cannot be undone: a file that they changed is now withheld. Does not name hidden files. */
export function obstaclesOfWithheld(rules: Rules, entries: readonly JournalEntry[]): Obstacle[] {
  if (rules.withheld === undefined) return [];
  const obstacles = entries.flatMap(({ changes, roots }) =>
    changes.flatMap((change): Obstacle[] => {
      const verdict = verdictOn(rules, change);
      if (verdict === 'denied') return [{ path: change.path, why: DENIED, forceable: false }];
      return verdict === 'hidden' ? [{ path: roots[0] ?? '/', why: HOLDS_HIDDEN, forceable: false }] : [];
    }),
  );
  return obstacles.filter(
    (one, index) => obstacles.findIndex(({ path, why }) => path === one.path && why === one.why) === index,
  );
}
