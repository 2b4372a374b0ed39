/** Globs as the official server reads them: one that can mean nothing finds nothing, and is not an error. */

import { requireFewGlobs } from '../../../engine/index.ts';

/** The engine refuses longer ones. */
const LONGEST = 4096;

/** A glob that the engine can read, or undefined for one that fits no path below a directory. */
export function searchGlob(pattern: string): string | undefined {
  const fitsNothing = /^\/|\/$|^\.?$|(?:^|\/)\.\.(?:\/|$)/.test(pattern);
  return fitsNothing ? undefined : withLoneBrackets(pattern);
}

/** The same for patterns that leave something out; a `/` at the start means the directory itself, as in .gitignore. */
export function excludeGlobs(patterns: readonly string[]): string[] {
  requireFewGlobs(patterns);
  return patterns.flatMap((pattern) => {
    const glob = searchGlob(pattern.replace(/^\/+/, '').replace(/\/+$/, ''));
    if (glob === undefined) return [];
    return pattern.endsWith('/') ? [`${glob}/**`] : [glob];
  });
}

/** Brackets and braces without a counterpart, and a backslash at the end, stand for themselves. */
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

/** Where the `]` is; none where the class would reach over a `/`. */
function endOfClass(pattern: string, open: number): number | undefined {
  const [whole] = /^\[[!^]?\]?(?:\[:[a-z]*:\]|\\.|[^\]\\/])*\]/.exec(pattern.slice(open)) ?? [];
  return whole === undefined ? undefined : open + whole.length - 1;
}
