/**
 * Decides whether a sed script would read, write or run something by itself.
 *
 * Versions of sed disagree on where a regular expression, a label or a text ends, and on whether something may follow a
 * command on its line. So this visits every place where some version may begin a command. A script is allowed when some
 * version can read it to its end, and none of those places holds a forbidden command.
 */

import { MAX_REGEX_LENGTH, regexEnds } from './regex-end.ts';
import type { ScriptProblem } from './script-problem.ts';
import { excerptAt, tooLong } from './script-problem.ts';

const DANGERS: Readonly<Record<string, string>> = {
  e: 'the command e runs a program',
  r: 'the command r reads a file',
  R: 'the command R reads a file',
  w: 'the command w writes a file',
  W: 'the command W writes a file',
};
const SIMPLE = '{}=dDFgGhHnNpPxz';
/** The limit on characters of all readings together, since a hostile script could have very many readings. */
const MAX_CHARACTERS = 2_000_000;

class Danger extends Error {
  readonly problem: ScriptProblem;
  constructor(problem: ScriptProblem) {
    super(problem.reason);
    this.problem = problem;
  }
}

class Unreadable extends Danger {}

/** The first thing in `script` that is not allowed, or undefined for a harmless script. */
export function sedScriptProblem(script: string): ScriptProblem | undefined {
  const long = tooLong(script);
  if (long) return long;
  try {
    return new SedReader(script).readAll();
  } catch (thrown) {
    if (thrown instanceof Danger) return thrown.problem;
    throw thrown;
  }
}

class SedReader {
  readonly #script: string;
  #at = 0;
  #charactersRead = 0;

  constructor(script: string) {
    this.#script = script;
  }

  /** Throws a danger at once. When no reading comes to the end of the script, returns why. */
  readAll(): ScriptProblem | undefined {
    this.#refuseDoubleBackslashes();
    const visited = new Set<number>();
    const open = [0];
    let unreadable: ScriptProblem | undefined;
    let readable = false;
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      this.#at = at;
      this.#skip(/[\s;]/);
      if (this.#at >= this.#script.length) readable = true;
      else if (!visited.has(this.#at)) {
        visited.add(this.#at);
        try {
          open.push(...this.#commandEnds());
        } catch (thrown) {
          if (!(thrown instanceof Unreadable)) throw thrown;
          unreadable ??= thrown.problem;
        }
      }
    }
    return readable ? undefined : unreadable;
  }

  /** For some versions the second backslash hides the line end. */
  #refuseDoubleBackslashes(): void {
    const at = this.#script.indexOf('\\\\\n');
    if (at >= 0) throw this.#danger(at, 'versions of sed disagree on a line that ends in two backslashes');
  }

  /** Reads the command here, and returns each position after it where the next command may begin. */
  #commandEnds(): number[] {
    return this.#fromEach(this.#addressesEnds(), () => {
      this.#skip(/[\s!]/);
      return this.#bareCommandEnds();
    });
  }

  #bareCommandEnds(): number[] {
    const start = this.#at;
    const letter = this.#take();
    const danger = Object.hasOwn(DANGERS, letter) ? DANGERS[letter] : undefined;
    if (danger) throw this.#danger(start, danger);
    if (letter === '') throw this.#unreadable(start, 'a command is missing');
    if (letter === 's') return this.#substitutionEnds(start);
    if (letter === 'y') return this.#replacementEnds(this.#takeDelimiter());
    if (':btTv'.includes(letter)) return this.#labelEnds();
    if (letter === '#') return this.#commentEnds();
    if ('aic'.includes(letter)) this.#readText();
    else if ('qQlL'.includes(letter)) this.#skip(/[ \t\d]/);
    else if (!SIMPLE.includes(letter)) throw this.#unreadable(start, 'no such command');
    // Some versions let the next command follow at once.
    return [this.#at];
  }

  /** Where the command itself may begin: after zero, one or two addresses. */
  #addressesEnds(): number[] {
    return this.#fromEach(this.#addressEnds(), () => {
      const end = this.#at;
      this.#skip(/\s/);
      if (this.#peek() !== ',') return [end];
      this.#at++;
      this.#skip(/[\s+~]/);
      return this.#addressEnds();
    });
  }

  #addressEnds(): number[] {
    const next = this.#peek();
    if (next !== '/' && next !== '\\') {
      // GNU sed also takes + and ~ without a number before them for an address.
      this.#skip(/[\d+~$]/);
      return [this.#at];
    }
    this.#at++;
    const ends = this.#regexEnds(next === '/' ? '/' : this.#takeDelimiter());
    return this.#fromEach(ends, () => {
      this.#skip(/[IM]/);
      return [this.#at];
    });
  }

  #substitutionEnds(start: number): number[] {
    return this.#fromEach(this.#replacementEnds(this.#takeDelimiter()), () => {
      this.#skip(/[gpiImM\d \t\r\f\v]/);
      const flag = this.#peek();
      if (flag === 'e') throw this.#danger(start, 'the flag e of s runs a program');
      if (flag === 'w') throw this.#danger(start, 'the flag w of s writes a file');
      if (/^[\n;}#]?$/.test(flag)) return [this.#at];
      throw this.#unreadable(this.#at, 's has no such flag');
    });
  }

  /** The ends of the second of two parts. Some versions read the first part as a regular expression. */
  #replacementEnds(delimiter: string): number[] {
    return this.#fromEach(this.#regexEnds(delimiter), () => {
      const start = this.#at;
      for (let next = this.#take(); next !== ''; next = this.#take()) {
        if (next === delimiter) return [this.#at];
        if (next === '\n') break;
        if (next === '\\') this.#take();
      }
      throw this.#unreadable(start, `the closing ${delimiter} is missing`);
    });
  }

  #regexEnds(delimiter: string): number[] {
    const start = this.#at;
    const ends = regexEnds(this.#script, start, delimiter);
    if (!ends)
      throw this.#danger(start, `a regular expression is longer than ${MAX_REGEX_LENGTH} characters`);
    this.#countCharacters(Math.min(MAX_REGEX_LENGTH, this.#script.length - start));
    if (ends.length === 0) throw this.#unreadable(start, `the closing ${delimiter} is missing`);
    return ends;
  }

  /** A comment ends with its line, and in some versions at a carriage return. */
  #commentEnds(): number[] {
    const start = this.#at;
    this.#skip(/[^\n]/);
    const carriage = this.#script.indexOf('\r', start);
    return carriage >= 0 && carriage < this.#at ? [this.#at, carriage] : [this.#at];
  }

  /** A label ends with its line, and in some versions at a space, a semicolon or a bracket. */
  #labelEnds(): number[] {
    this.#skip(/[ \t]/);
    const rest = this.#script.slice(this.#at).split('\n', 1)[0]!;
    this.#countCharacters(rest.length);
    // busybox joins the two lines, and takes the beginning of the second one for the label.
    if (rest.endsWith('\\') && this.#at + rest.length < this.#script.length) {
      throw this.#danger(this.#at, 'versions of sed disagree on a label that ends in a backslash');
    }
    const ends = [rest.length, rest.search(/\s/), rest.indexOf(';')];
    // Versions that end it at a bracket insist that the command ends after the bracket.
    const bracket = rest.indexOf('}');
    if (/^\}\s*(?:[;}#]|$)/.test(rest.slice(bracket))) ends.push(bracket);
    return ends.filter((end) => end >= 0).map((end) => this.#at + end);
  }

  /** The text of a, i and c continues to the first line end without a backslash before it. */
  #readText(): void {
    const start = this.#at;
    this.#skip(/[ \t]/);
    if (this.#peek() === '\\') {
      // For some versions the text ends at the first of these line ends, for others it begins after it.
      if (/^\\(?:\s+\n|[ \t]*\\\n)/.test(this.#script.slice(this.#at))) {
        throw this.#danger(start, 'versions of sed disagree on where this text ends');
      }
      this.#at++;
      this.#skip(/[ \t]/);
      if (this.#peek() === '\n') this.#at++;
    }
    for (let next = this.#take(); next !== '' && next !== '\n'; next = this.#take()) {
      if (next === '\\') this.#take();
    }
  }

  /** Reads on from each of these positions. Throws Unreadable only when none of them can be read from. */
  #fromEach(positions: readonly number[], read: () => number[]): number[] {
    const ends: number[] = [];
    let unreadable: Unreadable | undefined;
    for (const position of positions) {
      this.#at = position;
      try {
        ends.push(...read());
      } catch (thrown) {
        if (!(thrown instanceof Unreadable)) throw thrown;
        unreadable ??= thrown;
      }
      this.#countCharacters(this.#at - position);
    }
    if (ends.length === 0 && unreadable) throw unreadable;
    return ends;
  }

  #countCharacters(characters: number): void {
    this.#charactersRead += characters + 1;
    if (this.#charactersRead > MAX_CHARACTERS)
      throw this.#danger(0, 'the script is too intricate to be checked');
  }

  #takeDelimiter(): string {
    const start = this.#at;
    const delimiter = this.#take();
    if (/^[!-[\]-~ ]$/.test(delimiter)) return delimiter;
    throw this.#danger(start, 'this cannot be a delimiter in every version of sed');
  }

  #skip(what: RegExp): void {
    while (this.#at < this.#script.length && what.test(this.#script[this.#at]!)) this.#at++;
  }

  #take(): string {
    return this.#script[this.#at++] ?? '';
  }

  #peek(): string {
    return this.#script[this.#at] ?? '';
  }

  #danger(start: number, reason: string): Danger {
    return new Danger({
      at: excerptAt(this.#script, start),
      reason,
      instead: 'the tools that read and write files',
    });
  }

  #unreadable(start: number, reason: string): Unreadable {
    return new Unreadable({
      at: excerptAt(this.#script, start),
      reason: `the script cannot be read: ${reason}`,
    });
  }
}
