/** The ignore rules that come from above the directory that is searched: git's rules reach down from the top. */
import { openCursor, readSmallFile, type ScanRoot } from '../../confine/scan/cursor.ts';
import type { IgnoreBase } from '../../glob/gitignore.ts';

const LONGEST_IGNORE_FILE = 1 << 20;

/**
 * Looks from a root down to the directory, given as raw names. The innermost directory with a `.git` is the
 * top of the repository: nothing above it counts, and its `.git/info/exclude` comes first.
 */
export function ignoreBaseOf(root: ScanRoot, names: readonly string[]): IgnoreBase {
  const cursor = openCursor(root);
  try {
    let top = 0;
    const read = (directory: string, file: string) =>
      cursor.goTo(directory)
        ? undefined
        : readSmallFile(cursor, file, LONGEST_IGNORE_FILE)?.toString('latin1');
    for (let depth = names.length; depth > 0 && top === 0; depth--) {
      if (!cursor.goTo(names.slice(0, depth).join('/')) && cursor.look('.git')) top = depth;
    }
    const topPath = names.slice(0, top).join('/');
    const files: { directory: string; text: string }[] = [];
    const add = (directory: string, text: string | undefined) => {
      if (text !== undefined) files.push({ directory, text });
    };
    add('', read(topPath === '' ? '.git/info' : `${topPath}/.git/info`, 'exclude'));
    // The directory itself is left to the walk.
    for (let depth = top; depth < names.length; depth++) {
      add(names.slice(top, depth).join('/'), read(names.slice(0, depth).join('/'), '.gitignore'));
    }
    const below = names.slice(top).join('/');
    return { prefix: below === '' ? '' : `${below}/`, files };
  } finally {
    cursor.close();
  }
}
