/** Shortens absolute paths for display: relative to the served directory that contains them. */
import type { PageEvent } from '../wire.ts';

/** The separator of a path. Only Windows has `\`; elsewhere a name may contain it. */
export function separatorOf(path: string): '/' | '\\' {
  return /^(?:[A-Za-z]:[\\/]|\\\\)/.test(path) ? '\\' : '/';
}

/** The innermost of these directories that contains a path. */
export function rootOf(roots: readonly string[], path: string): string | undefined {
  let found: string | undefined;
  for (const root of roots) {
    if (contains(root, path) && (found === undefined || root.length > found.length)) found = root;
  }
  return found;
}

/** The prefix of all paths inside a directory. */
export function belowPath(path: string): string {
  const separator = separatorOf(path);
  return path.endsWith(separator) ? path : `${path}${separator}`;
}

/** The names of a path after its directory. */
export function namesBelow(root: string, path: string): string[] {
  return namesOf(path.slice(root.length), separatorOf(root));
}

/** The last name of a directory, or its whole path when another directory has the same name. */
export function rootName(roots: readonly string[], root: string): string {
  const name = baseName(root);
  return roots.some((other) => other !== root && baseName(other) === name) ? root : name;
}

/** A path relative to its directory; if there are several directories, with the directory's name in front. */
export function shortPath(roots: readonly string[], path: string): string {
  const root = rootOf(roots, path);
  if (root === undefined) return path;
  const names = namesBelow(root, path);
  if (roots.length > 1) names.unshift(rootName(roots, root));
  return names.length === 0 ? '.' : names.join('/');
}

/** The most informative path of a call: if it created directories and then a file in them, the file. */
export function leadingPath(paths: PageEvent['paths']): string | undefined {
  let lead = paths[0];
  for (const next of paths.slice(1)) {
    if (lead!.how !== 'created' || next.how !== 'created' || !contains(lead!.path, next.path)) break;
    lead = next;
  }
  return lead?.path;
}

function baseName(path: string): string {
  return namesOf(path, separatorOf(path)).at(-1) ?? path;
}

function namesOf(path: string, separator: '/' | '\\'): string[] {
  return path.split(separator === '/' ? '/' : /[\\/]/).filter((name) => name !== '');
}

function contains(directory: string, path: string): boolean {
  if (path === directory) return true;
  if (!path.startsWith(directory)) return false;
  const separators = separatorOf(directory) === '/' ? '/' : '\\/';
  return separators.includes(path.charAt(directory.length)) || separators.includes(directory.at(-1)!);
}
