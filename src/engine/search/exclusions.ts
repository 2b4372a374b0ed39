/** Globs that leave out, read from one directory and meant below another. */
import { resolve } from 'node:path';
import { isWithin } from '../confine/roots.ts';
import { GlobAllowance, requireFewGlobs, requireReadableGlob, splitGlob } from '../glob/glob.ts';
import { escapeGlob, residualExclusions } from '../glob/residual-glob.ts';

/** A glob that leaves out, from the directory where it starts. */
export interface Exclusion {
  from: string;
  rest: string;
  anyDepth: boolean;
}

/** A glob that cannot be read fails as it was sent. */
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

/** The exclusions as globs below a directory, which is given under every name that it is known by. */
export function exclusionsBelow(names: readonly string[], exclusions: readonly Exclusion[]): string[] {
  const found = new Set<string>();
  for (const { from, rest, anyDepth } of exclusions) {
    if (anyDepth) found.add(rest);
    for (const name of names) for (const left of leftBelow(name, from, rest)) found.add(left);
  }
  return [...found];
}

/** What an exclusion that starts at `from` leaves out below `directory`. */
function leftBelow(directory: string, from: string, rest: string): string[] {
  if (isWithin(directory, from)) return residualExclusions(rest, directory.slice(from.length));
  if (!isWithin(from, directory)) return [];
  const below = from.slice(directory === '/' ? 1 : directory.length + 1);
  return [`${escapeGlob(below)}/${rest}`];
}
