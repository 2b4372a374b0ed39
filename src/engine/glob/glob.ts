/**
 * Decides which relative paths a list of globs matches, and which directories a walk need not enter because of them.
 *
 * The language: `*` and `?` within a name, `**` as a whole segment for any number of directories, `[abc]`, `[!a]`,
 * `[^a]`, `[[:alpha:]]`, `{a,b}` and `{1..9}` (which may be nested), and `\` before a character that is meant
 * literally. Names that start with a dot are names like any other. `!`, `(`, `)`, `|`, `+`, `@` and quotes have no
 * special meaning: there are no extended globs and no negated patterns, so that a glob can name every file. A pattern
 * is anchored at the top: `*.ts` matches files in the directory itself, `**` followed by `/*.ts` files at any depth.
 * `dir/**` and `dir/` match everything below `dir`, not `dir` itself.
 *
 * Matching takes no more than path × pattern steps per alternative. A regular expression cannot promise that
 * (`*a*a*a*b` against a long name runs for seconds), so none is used.
 */
import { fail } from '../failures.ts';
import { expandBraces, GlobProblem } from './braces.ts';
import { anyName, compileName, type NameGlob } from './name-glob.ts';
import { GLOBSTAR, matchPath, type PathGlob, type Segment } from './path-glob.ts';

const LONGEST = 4096;
/** The most characters of a glob together with the directory before it: a longer text is refused before parsing. */
const LONGEST_WITH_BASE = 64 * 1024;
export const MOST_ALTERNATIVES = 1000;
/** The most characters that all alternatives of a glob may have together. */
const MOST_EXPANDED = 131_072;
/**
 * The most segments and characters that the starred names of all alternatives may have together: with a hostile path,
 * matching takes this many steps for each character of the path.
 */
const MOST_WEIGHT = 16_384;
/** All globs of a list together may expand to this many times as much as a single glob. */
const TOGETHER = 4;
/** A call parses each of its globs several times without yielding to other calls. */
const MOST_IN_LIST = 1000;

export interface GlobMatcher {
  /** Whether one of the globs matches the path, which is relative and uses `/`. */
  matches(relativePath: string): boolean;
  /** The same for an entry of a directory. Most globs need only its name, so its path is built only when needed. */
  matchesIn(relativeDir: string, name: string): boolean;
  /** False only when nothing below the directory can match. `''` is the directory that all paths are relative to. */
  mayContain(relativeDir: string): boolean;
  /** True only when everything below the directory matches: a walk that excludes matches need not enter it. */
  covers(relativeDir: string): boolean;
}

/** Checks every glob now: a bad one fails with `bad-glob`. An empty list matches nothing. */
export function compileGlobs(patterns: readonly string[]): GlobMatcher {
  const allowance = new GlobAllowance();
  return new Globs(patterns.flatMap((pattern) => compile(pattern, allowance)));
}

/** Call this before anything else is done with a glob: some functions go through it character by character. */
export function requireShortGlob(pattern: string): void {
  if (pattern.length <= LONGEST_WITH_BASE) return;
  const shown = `${pattern.slice(0, LONGEST)}…`;
  fail({ kind: 'bad-glob', pattern: shown, reason: `it is longer than ${LONGEST} characters` });
}

/** Call this before the globs of a call are checked one by one. */
export function requireFewGlobs(patterns: readonly string[] | undefined): void {
  const beyond = patterns?.[MOST_IN_LIST];
  if (beyond === undefined) return;
  const pattern = beyond.length > LONGEST ? `${beyond.slice(0, LONGEST)}…` : beyond;
  const reason = `it is one of ${patterns!.length} globs, a list may have ${MOST_IN_LIST}; put some together with * or {a,b}`;
  fail({ kind: 'bad-glob', pattern, reason });
}

/** Fails with `bad-glob`, as `compileGlobs` does. The failure shows the glob as the caller `sent` it. */
export function requireReadableGlob(pattern: string, sent: string, allowance: GlobAllowance): void {
  compile(pattern, allowance, sent);
}

/** How much the remaining globs of one list may still expand to: many small brace bombs make a big one. */
export class GlobAllowance {
  #alternatives = TOGETHER * MOST_ALTERNATIVES;
  #characters = TOGETHER * MOST_EXPANDED;
  #weight = TOGETHER * MOST_WEIGHT;

  /** A glob without braces is its own only alternative: only its length counts. */
  take(alternatives: number, characters: number): void {
    this.#alternatives -= alternatives - 1;
    this.#characters -= characters;
    if (this.#alternatives < 0 || this.#characters < 0) {
      throw new GlobProblem('together with the globs before it, it stands for too many alternatives');
    }
  }

  takeWeight(weight: number): void {
    this.#weight -= weight;
    if (this.#weight < 0) {
      throw new GlobProblem(
        'together with the globs before it, it has too many stars in too many alternatives',
      );
    }
  }
}

/** Whether a text is a glob rather than a path: it has one of `*`, `?`, `[`, `{`, `}`. */
export function isGlob(text: string): boolean {
  return /[*?[{}]/.test(text);
}

/** Splits a glob into the directory where it starts and the glob below it. The base may be absolute or contain `..`. */
export function splitGlob(pattern: string): { base: string; rest: string } {
  requireShortGlob(pattern);
  let base = '';
  let text = '';
  let restFrom = 0;
  for (let at = 0; at < pattern.length && !'*?[{'.includes(pattern[at]!); at++) {
    if (pattern[at] === '\\') at++;
    text += pattern[at] ?? '';
    if (pattern[at] !== '/') continue;
    base = text;
    restFrom = at + 1;
  }
  let end = base.length;
  while (end > 1 && base[end - 1] === '/') end--;
  base = base.slice(0, end).replace(/^(?:\.\/+)+/, '');
  return { base: base === '.' ? '' : base, rest: pattern.slice(restFrom) || GLOBSTAR };
}

class Globs implements GlobMatcher {
  readonly #literals = new Set<string>();
  // For `**/name`, only the name needs checking.
  readonly #names: NameGlob[] = [];
  readonly #others: PathGlob[] = [];
  readonly #all: readonly PathGlob[];
  readonly #covering: readonly PathGlob[];

  constructor(alternatives: readonly PathGlob[]) {
    this.#all = alternatives;
    this.#covering = alternatives.filter((segments) => segments.at(-1) === GLOBSTAR);
    for (const segments of alternatives) {
      const literal = literalPath(segments);
      const [first, name, ...more] = segments;
      if (literal !== undefined) this.#literals.add(literal);
      else if (first === GLOBSTAR && name !== undefined && name !== GLOBSTAR && more.length === 0) {
        this.#names.push(name);
      } else this.#others.push(segments);
    }
  }

  matches(path: string): boolean {
    if (this.#literals.has(path)) return true;
    const name = path.slice(path.lastIndexOf('/') + 1);
    for (const glob of this.#names) if (glob.matches(name)) return true;
    let names: string[] | undefined;
    for (const segments of this.#others) {
      const last = segments.at(-1)!;
      if (last !== GLOBSTAR && !last.matches(name)) continue;
      names ??= path.split('/');
      if (matchPath(segments, segments.length, names)) return true;
    }
    return false;
  }

  matchesIn(relativeDir: string, name: string): boolean {
    for (const glob of this.#names) if (glob.matches(name)) return true;
    if (this.#literals.size === 0 && this.#others.length === 0) return false;
    return this.matches(relativeDir === '' ? name : `${relativeDir}/${name}`);
  }

  mayContain(relativeDir: string): boolean {
    const names = namesIn(relativeDir);
    return this.#all.some((segments) => mayReachBelow(segments, names));
  }

  covers(relativeDir: string): boolean {
    if (this.#covering.length === 0) return false;
    const names = namesIn(relativeDir);
    return this.#covering.some(
      (segments) =>
        matchPath(segments, segments.length - 1, names) || matchPath(segments, segments.length, names),
    );
  }
}

function namesIn(relativeDir: string): string[] {
  return relativeDir === '' ? [] : relativeDir.split('/');
}

function mayReachBelow(segments: PathGlob, names: readonly string[]): boolean {
  for (const [i, name] of names.entries()) {
    const segment = segments[i];
    if (segment === GLOBSTAR) return true;
    if (segment === undefined || !segment.matches(name)) return false;
  }
  return segments.length > names.length;
}

function literalPath(segments: PathGlob): string | undefined {
  const names: string[] = [];
  for (const segment of segments) {
    if (segment === GLOBSTAR || segment.literal === undefined) return undefined;
    names.push(segment.literal);
  }
  return names.join('/');
}

function compile(pattern: string, allowance: GlobAllowance, sent: string = pattern): PathGlob[] {
  try {
    const alternatives = alternativesOf(pattern, allowance).map((text) => parsePath(text));
    const weight = alternatives.reduce((sum, segments) => sum + weigh(segments), 0);
    if (weight > MOST_WEIGHT) throw new GlobProblem('it has too many stars in too many alternatives');
    allowance.takeWeight(weight);
    return alternatives;
  } catch (error) {
    if (error instanceof GlobProblem) fail({ kind: 'bad-glob', pattern: sent, reason: error.message });
    throw error;
  }
}

function alternativesOf(pattern: string, allowance: GlobAllowance): string[] {
  if (pattern.includes('\0')) throw new GlobProblem('it holds a NUL character');
  if (pattern.length > LONGEST) throw new GlobProblem(`it is longer than ${LONGEST} characters`);
  const texts = expandBraces(pattern, MOST_ALTERNATIVES);
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  if (characters > MOST_EXPANDED) throw new GlobProblem('its braces stand for too many long alternatives');
  allowance.take(texts.length, characters);
  return [...new Set(texts)];
}

/** A path without `**` or stars can match in one way only, so it weighs nothing. */
function weigh(segments: PathGlob): number {
  let weight = segments.includes(GLOBSTAR) ? segments.length : 0;
  for (const segment of segments) if (segment !== GLOBSTAR) weight += segment.weight;
  return weight;
}

function parsePath(text: string): PathGlob {
  const parts = splitSegments(text);
  if (parts[0] === '' && parts.length > 1) throw new GlobProblem('it starts with a /: globs are relative');
  if (parts.includes('..')) throw new GlobProblem('it goes up with ..');
  const endsInSlash = parts.at(-1) === '';
  const names = parts.filter((part) => part !== '' && part !== '.');
  if (endsInSlash && parts.length > 1) names.push(GLOBSTAR);
  const segments: Segment[] = [];
  for (const name of names) {
    const segment = name === GLOBSTAR ? GLOBSTAR : compileName(name);
    if (segment !== GLOBSTAR || segments.at(-1) !== GLOBSTAR) segments.push(segment);
  }
  if (segments.length === 0) throw new GlobProblem('it names nothing');
  // At the end `**/*` means the same as `**`: with only one spelling, `covers` recognizes both.
  if (segments.at(-1) === anyName && segments.at(-2) === GLOBSTAR) segments.pop();
  return segments;
}

/** An escaped `/` separates segments too. No `/` is part of a class: `expandBraces` has refused such patterns. */
function splitSegments(text: string): string[] {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const escaped = text[at] === '\\';
    if (escaped) at++;
    if (text[at] !== '/') continue;
    parts.push(text.slice(from, escaped ? at - 1 : at));
    from = at + 1;
  }
  return [...parts, text.slice(from)];
}
