/**
 * Matches one segment of a glob against one name: `*`, `?`, `[…]` and escapes.
 *
 * The stars split the segment into runs. The first run must match at the start of the name, the last one at its end,
 * and each of the others at the first place where it fits: that leaves the most for the runs after it, so the matcher
 * never backtracks and no pattern takes more than name × pattern steps.
 */
import { endOfClass, GlobProblem } from './braces.ts';
import { membersOfClass } from './posix-classes.ts';

export interface NameGlob {
  matches(name: string): boolean;
  /** The only name that matches, if there is only one. */
  readonly literal: string | undefined;
  /** For `*.ext`: `.ext`. Comparing it with a name's extension is then all that matching takes. */
  readonly extension?: string;
  /** What every matching name begins and ends with, if that is known. */
  readonly begins?: string;
  readonly ends?: string;
  /** How many steps each character of a hostile name could cost; 0 when it costs at most one. */
  readonly weight: number;
}

/** What matches one character: the code point of a literal, any character, or a class. */
export type GlobToken = number | 'any' | CharClass;

export interface CharClass {
  readonly negated: boolean;
  /** Pairs of first and last code point. */
  readonly ranges: readonly (readonly [number, number])[];
}

/** The tokens between two stars, and their text if all of them are literal. */
interface TokenRun {
  readonly tokens: readonly GlobToken[];
  readonly text: string | undefined;
}

export const anyName: NameGlob = { matches: () => true, literal: undefined, weight: 0 };

/** Compiles a segment that has no `/` and no braces. */
export function compileName(segment: string): NameGlob {
  return nameFromRuns(parseRuns(segment));
}

/** Compiles runs of tokens with a star between each two of them. There is always a first run. */
export function nameFromRuns(tokenRuns: readonly (readonly GlobToken[])[]): NameGlob {
  const runs = tokenRuns.map((tokens) => ({ tokens, text: literalText(tokens) }));
  const [head, ...others] = runs as [TokenRun, ...TokenRun[]];
  const tail = others.pop();
  if (tail === undefined) return head.text === undefined ? patternName(head) : literalName(head.text);
  if (others.length === 0 && head.text !== undefined && tail.text !== undefined) {
    return headAndTail(head.text, tail.text);
  }
  return starredName(head, others, tail);
}

function literalName(literal: string): NameGlob {
  return { matches: (name) => name === literal, literal, weight: 0 };
}

function headAndTail(head: string, tail: string): NameGlob {
  if (head === '' && tail === '') return anyName;
  const least = head.length + tail.length;
  return {
    begins: head,
    ends: tail,
    matches: (name) => name.length >= least && name.endsWith(tail) && name.startsWith(head),
    literal: undefined,
    ...(head === '' && /^\.[^.]*$/.test(tail) && { extension: tail }),
    weight: 0,
  };
}

/** A pattern without a star: a matching name has as many characters as the pattern has tokens. */
function patternName(run: TokenRun): NameGlob {
  return { matches: (name) => fitsAt(run, name, 0) === name.length, literal: undefined, weight: 0 };
}

function starredName(head: TokenRun, middle: readonly TokenRun[], tail: TokenRun): NameGlob {
  const matches = (name: string): boolean => {
    let at = fitsAt(head, name, 0);
    if (at < 0) return false;
    const tailAt = startOfLast(name, tail.tokens.length);
    if (tailAt < at || fitsAt(tail, name, tailAt) < 0) return false;
    for (const run of middle) {
      at = firstFit(run, name, at);
      if (at < 0 || at > tailAt) return false;
    }
    return true;
  };
  const weight = [head, ...middle, tail].reduce((sum, run) => sum + run.tokens.length, 0);
  return { matches, literal: undefined, weight, begins: head.text ?? '', ends: tail.text ?? '' };
}

/** Where the run ends when it starts at `at`, or -1 when it does not fit there. */
function fitsAt({ tokens, text }: TokenRun, name: string, at: number): number {
  if (text !== undefined) return name.startsWith(text, at) ? at + text.length : -1;
  let end = at;
  for (const token of tokens) {
    if (end >= name.length) return -1;
    const code = name.codePointAt(end)!;
    if (!accepts(token, code)) return -1;
    end += width(code);
  }
  return end;
}

/** Where the run ends when it starts at the first place, from `from` on, where it fits; or -1. */
function firstFit(run: TokenRun, name: string, from: number): number {
  if (run.text !== undefined) {
    const start = name.indexOf(run.text, from);
    return start < 0 ? -1 : start + run.text.length;
  }
  const last = name.length - run.tokens.length;
  for (let start = from; start <= last; start += width(name.codePointAt(start)!)) {
    const end = fitsAt(run, name, start);
    if (end >= 0) return end;
  }
  return -1;
}

/** The index where the last `count` characters of the name start, or -1 when it has fewer. */
function startOfLast(name: string, count: number): number {
  let at = name.length;
  for (let left = count; left > 0; left--) {
    at--;
    if (at > 0 && name.codePointAt(at - 1)! > 0xffff) at--;
    if (at < 0) return -1;
  }
  return at;
}

function accepts(token: GlobToken, code: number): boolean {
  if (typeof token === 'number') return token === code;
  if (token === 'any') return true;
  return isWithin(token.ranges, code) !== token.negated;
}

function isWithin(ranges: CharClass['ranges'], code: number): boolean {
  for (const [first, last] of ranges) if (first <= code && code <= last) return true;
  return false;
}

function width(code: number): number {
  return code > 0xffff ? 2 : 1;
}

/** Gives one run more than there are stars; adjacent stars count as one. */
function parseRuns(segment: string): GlobToken[][] {
  const runs: GlobToken[][] = [[]];
  for (let at = 0; at < segment.length; ) {
    const char = segment[at]!;
    if (char === '*') {
      if (segment[at - 1] !== '*' || runs.at(-1)!.length > 0) runs.push([]);
      at++;
      continue;
    }
    const [token, end] = takeToken(segment, at);
    runs.at(-1)!.push(token);
    at = end;
  }
  return runs;
}

function takeToken(segment: string, at: number): [token: GlobToken, end: number] {
  const char = segment[at];
  if (char === '?') return ['any', at + 1];
  if (char === '[') {
    const end = endOfClass(segment, at);
    return [parseClass(segment.slice(at + 1, end - 1)), end];
  }
  const start = char === '\\' ? at + 1 : at;
  const code = segment.codePointAt(start)!;
  return [code, start + width(code)];
}

function literalText(tokens: readonly GlobToken[]): string | undefined {
  if (!tokens.every((token) => typeof token === 'number')) return undefined;
  return tokens.map((code) => String.fromCodePoint(code)).join('');
}

function parseClass(inside: string): CharClass {
  const negated = inside[0] === '!' || inside[0] === '^';
  const ranges: [number, number][] = [];
  let at = negated ? 1 : 0;
  const take = (): number => {
    if (inside[at] === '\\') at++;
    const code = inside.codePointAt(at)!;
    at += width(code);
    return code;
  };
  while (at < inside.length) {
    const named = /^\[:([a-z]*):\]/.exec(inside.slice(at));
    if (named !== null) {
      at += named[0].length;
      ranges.push(...namedRanges(named[1]!));
      continue;
    }
    const first = take();
    if (inside[at] !== '-' || at + 1 >= inside.length) {
      ranges.push([first, first]);
      continue;
    }
    at++;
    const last = take();
    if (last < first) throw new GlobProblem('a range in its brackets runs backwards');
    ranges.push([first, last]);
  }
  return { negated, ranges };
}

function namedRanges(name: string): [number, number][] {
  const members = membersOfClass(name);
  if (members === undefined) throw new GlobProblem(`there is no character class [:${name}:]`);
  return members.map((code) => [code, code]);
}
