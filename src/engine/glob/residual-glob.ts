/** Makes a glob relative to a directory further down: below `home/me`, `home/me/src/**` becomes `src/**`. */

import { expandBraces } from './braces.ts';
import { compileGlobs, MOST_ALTERNATIVES } from './glob.ts';
import { GLOBSTAR } from './path-glob.ts';

/** Globs relative to `directory` that together match there what the glob matches; none when nothing there can match. */
export function residualGlobs(glob: string, directory: string): string[] {
  if (namesOf(directory).length === 0) return [relativeGlob(glob)];
  return [...new Set(alternatives(glob).flatMap((segments) => follow(segments, namesOf(directory)).left))];
}

/** The same for an exclusion. If it matches the directory, or one above it, everything below is excluded. */
export function residualExclusions(glob: string, directory: string): string[] {
  if (namesOf(directory).length === 0) return [relativeGlob(glob)];
  const left = new Set<string>();
  for (const segments of alternatives(glob)) {
    const followed = follow(segments, namesOf(directory));
    if (followed.coversDirectory) return [GLOBSTAR];
    for (const residual of followed.left) left.add(residual);
  }
  return [...left];
}

/** A text as a glob that matches only that text. */
export function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]{}]/g, '\\$&');
}

function namesOf(directory: string): string[] {
  return directory.split('/').filter((name) => name !== '' && name !== '.');
}

/** The glob without the leading `/` of an absolute one. Fails with `bad-glob` when it cannot be parsed. */
function relativeGlob(glob: string): string {
  const relative = glob.replace(/^\/+/, '') || GLOBSTAR;
  compileGlobs([relative]);
  return relative;
}

/** The plain patterns that a glob stands for, each split into segments. */
function alternatives(glob: string): string[][] {
  return [...new Set(expandBraces(relativeGlob(glob), MOST_ALTERNATIVES))].map(segmentsOf);
}

function segmentsOf(plain: string): string[] {
  const parts = plain.replace(/\\(.)/gs, (pair, char) => (char === '/' ? '/' : pair)).split('/');
  const segments = parts.filter((part) => part !== '' && part !== '.');
  if (parts.at(-1) === '') segments.push(GLOBSTAR);
  return segments.filter((segment, i) => segment !== GLOBSTAR || segments[i - 1] !== GLOBSTAR);
}

/**
 * Follows the names down and keeps every position in the pattern that a match may have reached. There are no more
 * positions than segments, so many `**` cost no more than one.
 */
function follow(
  segments: readonly string[],
  names: readonly string[],
): { left: string[]; coversDirectory: boolean } {
  const matchers = segments.map((segment) => (segment === GLOBSTAR ? undefined : compileGlobs([segment])));
  let positions = new Set([0]);
  let coversDirectory = false;
  for (const name of names) {
    const next = new Set<number>();
    for (const position of withGlobstarsSkipped(positions, segments)) {
      if (segments[position] === GLOBSTAR) next.add(position);
      else if (matchers[position]?.matches(name)) next.add(position + 1);
    }
    positions = next;
    if (positions.has(segments.length)) coversDirectory = true;
  }
  const left = [...positions].filter((position) => position < segments.length);
  return { left: left.map((position) => segments.slice(position).join('/')), coversDirectory };
}

/** Adds the positions after each `**`: it may match no directory at all. */
function withGlobstarsSkipped(positions: ReadonlySet<number>, segments: readonly string[]): Set<number> {
  const all = new Set(positions);
  for (const position of positions) if (segments[position] === GLOBSTAR) all.add(position + 1);
  return all;
}
