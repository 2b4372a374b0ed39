/** Absolute paths as they are shown: from the served directory they lie in. */

/** The innermost of the directories around a path. */
export function rootOf(roots: readonly string[], path: string): string | undefined {
  let found: string | undefined;
  for (const root of roots) {
    if (isWithin(path, root) && (found === undefined || root.length > found.length)) found = root;
  }
  return found;
}

/** The names on the way from a directory to a path in it. */
export function namesBelow(root: string, path: string): string[] {
  return path
    .slice(root.length)
    .split(/[\\/]/)
    .filter((name) => name !== '');
}

export function baseName(path: string): string {
  return path.split(/[\\/]/).findLast((name) => name !== '') ?? path;
}

/** Below the only directory by the way from it; with several, its name goes first. */
export function shortPath(roots: readonly string[], path: string): string {
  const root = rootOf(roots, path);
  if (root === undefined) return path;
  const names = namesBelow(root, path);
  if (roots.length > 1) names.unshift(baseName(root));
  return names.length === 0 ? '.' : names.join('/');
}

function isWithin(path: string, directory: string): boolean {
  if (path === directory) return true;
  if (!path.startsWith(directory)) return false;
  return isSeparator(path.charAt(directory.length)) || isSeparator(directory.at(-1));
}

function isSeparator(character: string | undefined): boolean {
  return character === '/' || character === '\\';
}
