/** What is left of an absolute glob below a directory: of `/home/me/src/**`, below `/home/me`, it is `src/**`. */

import { expandBraces } from './braces.ts';
import { compileGlobs } from './glob.ts';

const MOST_ALTERNATIVES = 1000;

/** Globs relative to `directory` that together mean what the absolute glob means in it; none when nothing can match. */
export function residualGlobs(glob: string, directory: string): string[] {
  // A glob that cannot be read fails here as what it is.
  compileGlobs([glob]);
  const names = directory.split('/').filter((name) => name !== '');
  const left = expandBraces(glob, MOST_ALTERNATIVES).flatMap((plain) =>
    below(
      plain.split('/').filter((segment) => segment !== ''),
      names,
    ),
  );
  return [...new Set(left.filter((segments) => segments.length > 0).map((segments) => segments.join('/')))];
}

function below(segments: readonly string[], names: readonly string[]): string[][] {
  const [name, ...deeper] = names;
  if (name === undefined) return [[...segments]];
  const [segment, ...rest] = segments;
  if (segment === undefined) return [];
  if (segment === '**') return [...below(rest, names), ...below(segments, deeper)];
  return compileGlobs([segment]).matches(name) ? below(rest, deeper) : [];
}
