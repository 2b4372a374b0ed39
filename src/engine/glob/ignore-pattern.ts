/**
 * Parses one line of a .gitignore file exactly as git does.
 *
 * All texts here are bytes, one character for each, because git counts bytes: its `?` matches one byte of `é`. A
 * pattern that git cannot make sense of matches nothing, and is not an error.
 */
import { anyName, type CharClass, type GlobToken, type NameGlob, nameFromRuns } from './name-glob.ts';
import { GLOBSTAR, type PathGlob, type Segment } from './path-glob.ts';
import { membersOfClass } from './posix-classes.ts';

export interface IgnoreRule {
  /** For a line that begins with `!`: it includes again what an earlier rule ignored. */
  readonly negated: boolean;
  readonly directoryOnly: boolean;
  /** A pattern without a `/` is about the name, at any depth; any other is about the path below its directory. */
  readonly about: { readonly name: NameGlob } | { readonly path: PathGlob };
}

/** The rule of a raw line without its newline; undefined when it can never match. */
export function parseIgnoreLine(line: string): IgnoreRule | undefined {
  if (line.startsWith('#')) return undefined;
  let pattern = trimSpaces(line.replace(/\r$/, '').split('\0', 1)[0]!);
  const negated = pattern.startsWith('!');
  if (negated) pattern = pattern.slice(1);
  const directoryOnly = pattern.endsWith('/');
  if (directoryOnly) pattern = pattern.slice(0, -1);
  if (pattern === '') return undefined;
  const hasSlash = pattern.includes('/');
  const segments = parseSegments(pattern.startsWith('/') ? pattern.slice(1) : pattern);
  if (segments === undefined) return undefined;
  if (hasSlash) return { negated, directoryOnly, about: { path: segments } };
  const [name] = segments;
  return { negated, directoryOnly, about: { name: name === GLOBSTAR ? anyName : name! } };
}

/** Removes spaces at the end, unless a backslash precedes the first of them. */
function trimSpaces(line: string): string {
  let spacesFrom = -1;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === ' ') {
      if (spacesFrom < 0) spacesFrom = at;
      continue;
    }
    spacesFrom = -1;
    if (line[at] === '\\') at++;
  }
  return spacesFrom < 0 ? line : line.slice(0, spacesFrom);
}

function parseSegments(pattern: string): PathGlob | undefined {
  const segments: Segment[] = [];
  let runs: GlobToken[][] = [[]];
  let from = 0;
  const endSegment = (end: number, slashEscaped: boolean) => {
    if (!/^\*{2,}$/.test(pattern.slice(from, end))) segments.push(nameFromRuns(runs));
    else {
      // Before an escaped slash, `**` must match at least one name.
      if (slashEscaped) segments.push(anyName);
      if (segments.at(-1) !== GLOBSTAR) segments.push(GLOBSTAR);
    }
    runs = [[]];
  };
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at]!;
    const escaped = char === '\\';
    const literal = escaped ? pattern[at + 1] : char;
    if (literal === undefined) return undefined;
    if (literal === '/') {
      endSegment(at, escaped);
      if (escaped) at++;
      from = at + 1;
    } else if (char === '*') {
      if (runs.at(-1)!.length > 0 || runs.length === 1) runs.push([]);
    } else if (char === '?') runs.at(-1)!.push('any');
    else if (char === '[') {
      const parsed = parseClass(pattern, at + 1);
      if (parsed === undefined) return undefined;
      runs.at(-1)!.push(parsed.charClass);
      at = parsed.end;
    } else {
      runs.at(-1)!.push(literal.charCodeAt(0));
      if (escaped) at++;
    }
  }
  endSegment(pattern.length, false);
  return segments;
}

/** The class whose `[` is before `start`, and the index of its `]`; undefined when there is no valid class. */
function parseClass(pattern: string, start: number): { charClass: CharClass; end: number } | undefined {
  const negated = pattern[start] === '!' || pattern[start] === '^';
  const first = negated ? start + 1 : start;
  const ranges: [number, number][] = [];
  // The previous member: a `-` now would make it the start of a range.
  let before: number | undefined;
  let close = 0;
  for (let at = first; at < pattern.length; at++) {
    if (pattern[at] === ']' && at > first) {
      return { charClass: { negated, ranges }, end: at };
    }
    if (pattern[at] === '-' && before !== undefined && at + 1 < pattern.length && pattern[at + 1] !== ']') {
      at++;
      if (pattern[at] === '\\') at++;
      if (at >= pattern.length) return undefined;
      ranges.push([before, pattern.charCodeAt(at)]);
      before = undefined;
      continue;
    }
    if (pattern.startsWith('[:', at)) {
      // Search for the `]` once, not again for every `[:`: a hostile line may have a million of them.
      if (close < at + 2) close = pattern.indexOf(']', at + 2);
      if (close < 0) return undefined;
      if (close > at + 2 && pattern[close - 1] === ':') {
        const members = membersOfClass(pattern.slice(at + 2, close - 1));
        if (members === undefined) return undefined;
        for (const code of members) ranges.push([code, code]);
        before = undefined;
        at = close;
        continue;
      }
    }
    if (pattern[at] === '\\') at++;
    if (at >= pattern.length) return undefined;
    before = pattern.charCodeAt(at);
    ranges.push([before, before]);
  }
  return undefined;
}
