/** The directory or file where a search starts; the search holds it open while its threads walk below. */
import type { Dir } from '../../confine/directory/dir.ts';
import { Place } from '../../confine/place.ts';
import { scanRootOf } from '../../confine/scan/cursor.ts';
import { rawOf } from '../../confine/scan/raw-names.ts';
import type { WithheldScope } from '../../confine/withheld/withheld-below.ts';
import { fail } from '../../failures.ts';
import type { IgnoreBase } from '../../glob/gitignore.ts';
import type { Selection } from '../query.ts';
import { ignoreBaseOf } from './ignore-base.ts';
import { ignoreFileNames } from './ignore-files.ts';

export interface SearchRoot {
  dir: Dir;
  /** The path as the caller sent it, for failures. */
  shown: string;
  /** The raw name of the file, if the search is for a single file. */
  file: string | undefined;
  ignoreBase: IgnoreBase | undefined;
  /** What the owner of the server denies or hides. */
  withheld: WithheldScope | undefined;
}

export function openSearchRoot(where: Place | Dir, selection: Selection): SearchRoot {
  if (!(where instanceof Place)) {
    return { dir: where, shown: '.', file: undefined, ignoreBase: undefined, withheld: undefined };
  }
  const { type } = where.mustExist('entry');
  const names = where.path.slice(where.root.real.length).split('/').filter(Boolean).map(rawOf);
  const fileNames = ignoreFileNames(selection);
  const ignoreBase =
    fileNames.length > 0 ? ignoreBaseOf(scanRootOf(where.root.dir), names, fileNames) : undefined;
  const { shown, path } = where;
  const withheld = where.withheld && { rules: where.withheld.rules, path: rawOf(path) };
  if (type === 'file') return { dir: where.dir, shown, file: rawOf(where.name), ignoreBase, withheld };
  if (type === 'special') fail({ kind: 'not-a-file', path: shown, found: 'special' });
  return { dir: where.enter(), shown, file: undefined, ignoreBase, withheld };
}

/** A search skips and counts unreadable entries below its root; the root itself must be readable. */
export function requireRootReadable(
  root: SearchRoot,
  threadResults: readonly { unreadable: readonly string[] }[],
): void {
  const where = root.file ?? '';
  if (!threadResults.some(({ unreadable }) => unreadable.includes(where))) return;
  fail({ kind: 'permission', path: root.shown, action: root.file === undefined ? 'list' : 'read' });
}

/** Only the selection of a query: other parts of it may not be something that can be sent to a thread. */
export function selectionOf(query: Selection): Selection {
  const { include, exclude, hidden, gitignore, ignoreFiles, excludedDirectories, excludedNames, maxDepth } =
    query;
  return { include, exclude, hidden, gitignore, ignoreFiles, excludedDirectories, excludedNames, maxDepth };
}
