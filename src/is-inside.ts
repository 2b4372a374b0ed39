/**
 * Whether a path is a directory or lies inside it, as the system compares names: on Windows `\` separates them, letter
 * case does not count, and each drive has a tree of its own. Links must be resolved already. The engine's `isWithin` is
 * for the many paths of its loops, which it separates by `/`.
 */
import { isAbsolute, relative, sep } from 'node:path';

export function isInside(path: string, directory: string): boolean {
  const steps = relative(directory, path);
  return steps !== '..' && !steps.startsWith(`..${sep}`) && !isAbsolute(steps);
}
