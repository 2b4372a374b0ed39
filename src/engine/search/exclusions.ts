/** Globs that exclude files: they are relative to one directory, and a search applies them below another. */
import { resolve } from 'node:path';
import { isWithin } from '../confine/roots.ts';
import { GlobAllowance, requireFewGlobs, requireReadableGlob, splitGlob } from '../glob/glob.ts';
import { escapeGlob, residualExclusions } from '../glob/residual-glob.ts';

export interface Exclusion {
  /** The absolute directory where the glob starts. */
  from: string;
  /** The glob relative to that directory. */
  rest: string;
  /** Whether the caller gave a name without a directory, which excludes entries at any depth. */
  anyDepth: boolean;
}

/** Parses the globs of a call. A bad one fails, and the failure shows it as the caller sent it. */
export function readableExclusions(directory: string, globs: readonly string[]): Exclusion[] {
  requireFewGlobs(globs);
  const allowance = new GlobAllowance();
  return globs.map((glob) => {
    const anyDepth = !glob.slice(0, -1).includes('/') && glob !== '/';
    const { base, rest } = splitGlob(anyDepth ? `**/${glob}` : glob);
    requireReadableGlob(anyDepth || glob === '' ? glob : rest, glob, allowance);
    return { from: resolve(directory, base), rest, anyDepth };
  });
}

/** The exclusions as globs relative to a directory. `names` are all the paths that lead to that directory. */
export function exclusionsBelow(names: readonly string[], exclusions: readonly Exclusion[]): string[] {
  const found = new Set<string>();
  for (const { from, rest, anyDepth } of exclusions) {
    if (anyDepth) found.add(rest);
    for (const name of names) for (const left of leftBelow(name, from, rest)) found.add(left);
  }
  return [...found];
}

/** What an exclusion that starts at `from` excludes below `directory`, as globs relative to it. */
function leftBelow(directory: string, from: string, rest: string): string[] {
  if (isWithin(directory, from)) return residualExclusions(rest, directory.slice(from.length));
  if (!isWithin(from, directory)) return [];
  const below = from.slice(directory === '/' ? 1 : directory.length + 1);
  return [`${escapeGlob(below)}/${rest}`];
}
