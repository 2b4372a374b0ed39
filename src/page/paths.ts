/** Absolute paths as they are shown: from the served directory they lie in. */
import type { PageEvent } from './wire.ts';

/** What stands between the names of a path. Only Windows has `\`; elsewhere it is a part of a name. */
export function separatorOf(path: string): '/' | '\\' {
  return /^(?:[A-Za-z]:[\\/]|\\\\)/.test(path) ? '\\' : '/';
}

/** The innermost of the directories around a path. */
export function rootOf(roots: readonly string[], path: string): string | undefined {
  let found: string | undefined;
  for (const root of roots) {
    if (isWithin(path, root) && (found === undefined || root.length > found.length)) found = root;
  }
  return found;
}

/** How the paths of what lies in a directory begin. */
export function belowPath(path: string): string {
  const separator = separatorOf(path);
  return path.endsWith(separator) ? path : `${path}${separator}`;
}

/** The names on the way from a directory to a path in it. */
export function namesBelow(root: string, path: string): string[] {
  return namesOf(path.slice(root.length), separatorOf(root));
}

/** A directory by its last name; in full when another one is called the same. */
export function rootName(roots: readonly string[], root: string): string {
  const name = baseName(root);
  return roots.some((other) => other !== root && baseName(other) === name) ? root : name;
}

/** Below the only directory by the way from it; with several, its name goes first. */
export function shortPath(roots: readonly string[], path: string): string {
  const root = rootOf(roots, path);
  if (root === undefined) return path;
  const names = namesBelow(root, path);
  if (roots.length > 1) names.unshift(rootName(roots, root));
  return names.length === 0 ? '.' : names.join('/');
}

/** The path that tells most of a call: of a file that was made with the directories around it, the file. */
export function leadingPath(paths: PageEvent['paths']): string | undefined {
  let lead = paths[0];
  for (const next of paths.slice(1)) {
    if (lead!.how !== 'created' || next.how !== 'created' || !isWithin(next.path, lead!.path)) break;
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

function isWithin(path: string, directory: string): boolean {
  if (path === directory) return true;
  if (!path.startsWith(directory)) return false;
  const separators = separatorOf(directory) === '/' ? '/' : '\\/';
  return separators.includes(path.charAt(directory.length)) || separators.includes(directory.at(-1)!);
}
