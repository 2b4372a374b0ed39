/** What is left of a glob below a directory: of `home/me/src/**`, below `home/me`, it is `src/**`. */

import { expandBraces } from './braces.ts';
import { compileGlobs } from './glob.ts';

const MOST_ALTERNATIVES = 1000;
const GLOBSTAR = '**';

/** Globs relative to `directory` that together mean what the glob means in it; none when nothing can match. */
export function residualGlobs(glob: string, directory: string): string[] {
  if (namesOf(directory).length === 0) return [readable(glob)];
  return [...new Set(alternatives(glob).flatMap((segments) => follow(segments, namesOf(directory)).left))];
}

/** The same for a glob that leaves out: when it means the directory, or one above it, all below is left out. */
export function residualExclusions(glob: string, directory: string): string[] {
  if (namesOf(directory).length === 0) return [readable(glob)];
  const left = new Set<string>();
  for (const segments of alternatives(glob)) {
    const followed = follow(segments, namesOf(directory));
    if (followed.meantOneAbove) return [GLOBSTAR];
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

/** The glob itself, when it can be read; the leading `/` of an absolute one says nothing here. */
function readable(glob: string): string {
  const relative = glob.replace(/^\/+/, '') || GLOBSTAR;
  compileGlobs([relative]);
  return relative;
}

/** The plain patterns that a glob stands for, in segments. */
function alternatives(glob: string): string[][] {
  return [...new Set(expandBraces(readable(glob), MOST_ALTERNATIVES))].map(segmentsOf);
}

function segmentsOf(plain: string): string[] {
  const parts = plain.replace(/\\(.)/gs, (pair, char) => (char === '/' ? '/' : pair)).split('/');
  const segments = parts.filter((part) => part !== '' && part !== '.');
  if (parts.at(-1) === '') segments.push(GLOBSTAR);
  return segments.filter((segment, i) => segment !== GLOBSTAR || segments[i - 1] !== GLOBSTAR);
}

/**
 * Walks down the names and keeps every place in the pattern where a match may be. There are no more places than
 * segments, so that many `**` cost no more than one.
 */
function follow(
  segments: readonly string[],
  names: readonly string[],
): { left: string[]; meantOneAbove: boolean } {
  const meets = segments.map((segment) => (segment === GLOBSTAR ? undefined : compileGlobs([segment])));
  let places = new Set([0]);
  let meantOneAbove = false;
  for (const name of names) {
    const next = new Set<number>();
    for (const place of withSkipped(places, segments)) {
      if (segments[place] === GLOBSTAR) next.add(place);
      else if (meets[place]?.matches(name)) next.add(place + 1);
    }
    places = next;
    if (places.has(segments.length)) meantOneAbove = true;
  }
  const left = [...places].filter((place) => place < segments.length);
  return { left: left.map((place) => segments.slice(place).join('/')), meantOneAbove };
}

/** A `**` may also match no directory at all. */
function withSkipped(places: ReadonlySet<number>, segments: readonly string[]): Set<number> {
  const all = new Set(places);
  for (const place of places) if (segments[place] === GLOBSTAR) all.add(place + 1);
  return all;
}
