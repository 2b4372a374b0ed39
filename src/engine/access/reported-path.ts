/** Makes a path that led nowhere fit for reports: absolute, below the real path of its root. */
import { isAbsolute, resolve, sep } from 'node:path';
import { shortPath } from '../confine/long-path.ts';
import { isWithin, type Root } from '../confine/roots.ts';

/** A relative path starts at `base`, which in turn starts at the first root. */
export function reportedPath(roots: readonly Root[], path: string, base = '.'): string {
  const absolute = asWritten(resolve(roots[0]?.real ?? sep, shortPath(base)), shortPath(path));
  for (const { real, knownAs } of roots) {
    const name = knownAs.find((each) => isWithin(absolute, each));
    if (name !== undefined && name !== real) return `${real}${absolute.slice(name.length)}`;
  }
  return absolute;
}

/** Keeps `..` after a name: that name may be a link, and then `..` leads elsewhere than the text suggests. */
function asWritten(base: string, path: string): string {
  const names = path.split(sep);
  const first = names.findIndex((name) => name !== '' && name !== '.' && name !== '..');
  if (first < 0 || !names.slice(first).includes('..')) return resolve(base, path);
  const start = resolve(base, names.slice(0, first).join(sep) || (isAbsolute(path) ? sep : '.'));
  return `${start === sep ? '' : start}${sep}${names.slice(first).join(sep)}`;
}
