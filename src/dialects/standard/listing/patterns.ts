/** Reads globs as the official server does: one that cannot match anything is no error, and finds nothing. */

import { requireFewGlobs } from '../../../engine/index.ts';

/** The engine refuses longer globs. */
const LONGEST = 4096;

/** The glob in a form that the engine can read; undefined for one that matches no path below a directory. */
export function searchGlob(pattern: string): string | undefined {
  const fitsNothing = /^\/|\/$|^\.?$|(?:^|\/)\.\.(?:\/|$)/.test(pattern);
  return fitsNothing ? undefined : withLoneBrackets(pattern);
}

/** The same for exclude patterns, where a `/` at the start means the directory itself, as in .gitignore. */
export function excludeGlobs(patterns: readonly string[]): string[] {
  requireFewGlobs(patterns);
  return patterns.flatMap((pattern) => {
    const glob = searchGlob(pattern.replace(/^\/+/, '').replace(/\/+$/, ''));
    if (glob === undefined) return [];
    return pattern.endsWith('/') ? [`${glob}/**`] : [glob];
  });
}

/** Escapes unmatched brackets and braces, and a backslash at the end, so that they stand for themselves. */
export function withLoneBrackets(pattern: string): string {
  if (pattern.length > LONGEST) return pattern;
  const lone = new Set<number>();
  const open: number[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === '\\') {
      if (at === pattern.length - 1) lone.add(at);
      at++;
    } else if (character === '[') {
      const end = endOfClass(pattern, at);
      if (end === undefined) lone.add(at);
      else at = end;
    } else if (character === '{') open.push(at);
    else if (character === '}' && open.pop() === undefined) lone.add(at);
  }
  for (const at of open) lone.add(at);
  return lone.size === 0 ? pattern : escapedAt(pattern, lone);
}

function escapedAt(pattern: string, places: ReadonlySet<number>): string {
  return pattern
    .split('')
    .map((character, at) => (places.has(at) ? `\\${character}` : character))
    .join('');
}

/** The index of the closing `]`; undefined if a `/` comes first. */
function endOfClass(pattern: string, open: number): number | undefined {
  const [whole] = /^\[[!^]?\]?(?:\[:[a-z]*:\]|\\.|[^\]\\/])*\]/.exec(pattern.slice(open)) ?? [];
  return whole === undefined ? undefined : open + whole.length - 1;
}
