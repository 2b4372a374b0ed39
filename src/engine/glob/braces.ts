/**
 * Expands braces: `{a,b}` and `{1..9}` become the plain patterns that they stand for. The expansion is counted before
 * it is built, so that a hostile pattern takes no memory.
 */

/** No one nests deeper by hand, and every level costs a stack frame. */
const DEEPEST = 64;
const LONGEST_NUMBER = 15;

/** Text without braces, or a choice between sequences. */
type Piece = string | BraceGroup;
type Pieces = Piece[];
interface BraceGroup {
  readonly options: readonly Pieces[];
  /** A range is kept as its bounds until it has been counted. */
  readonly range?: Range;
}
interface Range {
  readonly first: number;
  readonly last: number;
  readonly step: number;
  readonly show: (value: number) => string;
}

/** Its message says what is wrong with a pattern; `glob.ts` adds the pattern itself. */
export class GlobProblem extends Error {}

/**
 * All alternatives of a pattern. Some may occur more than once, and escapes and brackets are still in place.
 * Braces without a comma or a range stand for themselves, as in a shell.
 */
export function expandBraces(pattern: string, most: number): string[] {
  const sequence = new BraceParser(pattern).parse();
  if (count(sequence) > most) throw new GlobProblem(`its braces stand for more than ${most} alternatives`);
  return expand(sequence);
}

/**
 * The index after the `]` that closes the class opened at `open`. A `]` right at the start is a member of the class,
 * and a class never extends across a `/`.
 */
export function endOfClass(pattern: string, open: number): number {
  let at = open + 1;
  if (pattern[at] === '!' || pattern[at] === '^') at++;
  const first = at;
  for (; at < pattern.length && pattern[at] !== '/'; at++) {
    if (pattern[at] === '\\') at++;
    else if (pattern.startsWith('[:', at)) at = endOfNamedClass(pattern, at) - 1;
    else if (pattern[at] === ']' && at > first) return at + 1;
  }
  throw new GlobProblem('a [ is never closed: write \\[ for the character itself');
}

function endOfNamedClass(pattern: string, at: number): number {
  const named = /^\[:[a-z]*:\]/.exec(pattern.slice(at, at + 24));
  return named === null ? at + 1 : at + named[0].length;
}

class BraceParser {
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  parse(): Pieces {
    return this.#sequence(0);
  }

  #sequence(depth: number): Pieces {
    const sequence: Pieces = [];
    let textFrom = this.#at;
    const takeText = () => {
      if (this.#at > textFrom) sequence.push(this.#pattern.slice(textFrom, this.#at));
    };
    while (this.#at < this.#pattern.length) {
      const char = this.#pattern[this.#at];
      if (char === '\\') this.#at += 2;
      else if (char === '[') this.#at = endOfClass(this.#pattern, this.#at);
      else if (char === '{') {
        takeText();
        sequence.push(...this.#group(depth + 1));
        textFrom = this.#at;
      } else if (char === '}' && depth === 0) {
        throw new GlobProblem('a } was never opened: write \\} for the character itself');
      } else if ((char === ',' || char === '}') && depth > 0) break;
      else this.#at++;
    }
    if (this.#at > this.#pattern.length) throw new GlobProblem('it ends in a lone backslash');
    takeText();
    return sequence;
  }

  #group(depth: number): Pieces {
    if (depth > DEEPEST) throw new GlobProblem(`its braces are nested more than ${DEEPEST} deep`);
    const options: Pieces[] = [];
    do {
      this.#at++;
      options.push(this.#sequence(depth));
    } while (this.#pattern[this.#at] === ',');
    if (this.#at >= this.#pattern.length) {
      throw new GlobProblem('a { is never closed: write \\{ for the character itself');
    }
    this.#at++;
    if (options.length > 1) return [{ options }];
    const [only] = options;
    const range = only!.length === 1 && typeof only![0] === 'string' ? parseRange(only![0]) : undefined;
    return range === undefined ? ['\\{', ...only!, '\\}'] : [{ options: [], range }];
  }
}

function parseRange(text: string): Range | undefined {
  const numbers = /^(-?\d+)\.\.(-?\d+)(?:\.\.(-?\d+))?$/.exec(text);
  const letters = /^([A-Za-z])\.\.([A-Za-z])(?:\.\.(-?\d+))?$/.exec(text);
  const [, from, to, by] = numbers ?? letters ?? [];
  if (from === undefined || to === undefined) return undefined;
  if ([from, to, by ?? ''].some((bound) => bound.length > LONGEST_NUMBER)) {
    throw new GlobProblem('a range in its braces is too large');
  }
  const step = Math.max(1, Math.abs(Number(by ?? 1)));
  if (numbers === null) {
    return { first: from.charCodeAt(0), last: to.charCodeAt(0), step, show: showLetter };
  }
  const width = /^-?0\d/.test(from) || /^-?0\d/.test(to) ? Math.max(from.length, to.length) : 0;
  return { first: Number(from), last: Number(to), step, show: (value) => padded(value, width) };
}

/** A range such as `{A..z}` includes characters between `Z` and `a` that have a meaning in a glob: they are escaped. */
function showLetter(code: number): string {
  const letter = String.fromCharCode(code);
  return /\w/.test(letter) ? letter : `\\${letter}`;
}

function padded(value: number, width: number): string {
  const digits = String(Math.abs(value));
  return value < 0 ? `-${digits.padStart(width - 1, '0')}` : digits.padStart(width, '0');
}

function count(sequence: Pieces): number {
  let product = 1;
  for (const piece of sequence) if (typeof piece !== 'string') product *= countChoice(piece);
  return product;
}

function countChoice({ options, range }: BraceGroup): number {
  if (range !== undefined) return Math.floor(Math.abs(range.last - range.first) / range.step) + 1;
  return options.reduce((sum, option) => sum + count(option), 0);
}

function expand(sequence: Pieces): string[] {
  let made = [''];
  for (const piece of sequence) {
    const endings = typeof piece === 'string' ? [piece] : expandChoice(piece);
    made = made.flatMap((start) => endings.map((end) => start + end));
  }
  return made;
}

function expandChoice({ options, range }: BraceGroup): string[] {
  if (range === undefined) return options.flatMap(expand);
  const { first, last, step, show } = range;
  const length = Math.floor(Math.abs(last - first) / step) + 1;
  const direction = last < first ? -step : step;
  return Array.from({ length }, (_, i) => show(first + i * direction));
}
