/** Reads the ignore files above the directory that is searched: git's rules apply from the top of the repository. */
import { openCursor, type ScanRoot } from '../../confine/scan/cursor.ts';
import { type IgnoreBase, IgnoreChain } from '../../glob/gitignore.ts';
import { readIgnoreFiles } from './ignore-files.ts';

/**
 * `names` are the raw names from the root down to the directory. The innermost directory with a `.git` is the top
 * of the repository: rules above it do not count, and its `.git/info/exclude` comes first.
 */
export function ignoreBaseOf(
  root: ScanRoot,
  names: readonly string[],
  fileNames: readonly string[],
): IgnoreBase {
  const cursor = openCursor(root);
  try {
    let top = 0;
    const read = (directory: string, files: readonly string[]) => readIgnoreFiles(cursor, directory, files);
    for (let depth = names.length; depth > 0 && top === 0; depth--) {
      if (!cursor.goTo(names.slice(0, depth).join('/')) && cursor.facts('.git')) top = depth;
    }
    const topPath = names.slice(0, top).join('/');
    const files: { directory: string; text: string }[] = [];
    const add = (directory: string, text: string | undefined) => {
      if (text !== undefined) files.push({ directory, text });
    };
    add('', read(topPath === '' ? '.git/info' : `${topPath}/.git/info`, ['exclude']));
    // The walk reads the rules of the directory itself.
    for (let depth = top; depth < names.length; depth++) {
      add(names.slice(top, depth).join('/'), read(names.slice(0, depth).join('/'), fileNames));
    }
    const below = names.slice(top);
    const prefix = below.length === 0 ? '' : `${below.join('/')}/`;
    return { prefix, files, isIgnored: isIgnored(below, files) };
  } finally {
    cursor.close();
  }
}

/** Whether the files ignore the directory, or one above it in the repository. */
function isIgnored(names: readonly string[], files: IgnoreBase['files']): boolean {
  if (names.includes('.git')) return true;
  const chain = files.reduce((above, { directory, text }) => above.child(directory, text), IgnoreChain.empty);
  return names.some((_, index) => chain.ignores(names.slice(0, index + 1).join('/'), true));
}
