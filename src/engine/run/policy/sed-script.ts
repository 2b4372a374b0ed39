/** Reads a sed script far enough to know whether it would read, write or run something by itself. */

import type { ScriptProblem } from './script-problem.ts';
import { excerptAt, tooLong } from './script-problem.ts';

/** Where versions of sed read the same text differently. A script must be harmless in every reading. */
interface Reading {
  /** What a `[` in a regular expression does to the delimiter and to a backslash up to its `]`. */
  brackets: 'plain' | 'literal-backslash' | 'escaping-backslash';
  /** Labels go on to the end of the line, through spaces and semicolons. */
  longLabels: boolean;
}

const READINGS: readonly Reading[] = (['plain', 'literal-backslash', 'escaping-backslash'] as const).flatMap(
  (brackets) => [false, true].map((longLabels) => ({ brackets, longLabels })),
);

const DANGERS: Readonly<Record<string, string>> = {
  e: 'the command e runs a program',
  r: 'the command r reads a file',
  R: 'the command R reads a file',
  w: 'the command w writes a file',
  W: 'the command W writes a file',
};

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
  let unreadable: ScriptProblem | undefined;
  let readable = false;
  for (const reading of READINGS) {
    const problem = problemInReading(script, reading);
    if (!problem) readable = true;
    else if (problem instanceof Unreadable) unreadable ??= problem.problem;
    else return problem.problem;
  }
  return readable ? undefined : unreadable;
}

function problemInReading(script: string, reading: Reading): Danger | undefined {
  try {
    new SedReader(script, reading).readAll();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof Danger) return thrown;
    throw thrown;
  }
}

class SedReader {
  readonly #script: string;
  readonly #reading: Reading;
  #at = 0;

  constructor(script: string, reading: Reading) {
    this.#script = script;
    this.#reading = reading;
  }

  readAll(): void {
    for (;;) {
      this.#skip(/[\s;]/);
      if (this.#at >= this.#script.length) return;
      this.#readCommand();
    }
  }

  #readCommand(): void {
    this.#readAddresses();
    this.#skip(/[ \t!]/);
    const start = this.#at;
    const letter = this.#take();
    const danger = Object.hasOwn(DANGERS, letter) ? DANGERS[letter] : undefined;
    if (danger) throw this.#danger(start, danger);
    if (letter === '') throw this.#unreadable(start, 'a command is missing');
    if (letter === '#') this.#skip(/[^\n]/);
    else if (letter === 's') this.#readSubstitution(start);
    else if (letter === 'y') this.#readTransliteration();
    else if ('aic'.includes(letter)) this.#readText();
    else if (':btTv'.includes(letter)) this.#readLabel();
    else if (letter !== '{') this.#readSimpleCommand(start, letter);
  }

  #readSimpleCommand(start: number, letter: string): void {
    if ('qQlL'.includes(letter)) this.#skip(/[ \t\d]/);
    else if (!'}=dDFgGhHnNpPxz'.includes(letter)) throw this.#unreadable(start, 'no such command');
    this.#readEnd();
  }

  #readAddresses(): void {
    if (!this.#readAddress()) return;
    this.#skip(/[ \t]/);
    if (this.#peek() !== ',') return;
    this.#at++;
    this.#skip(/[ \t+~]/);
    if (!this.#readAddress()) throw this.#unreadable(this.#at, 'an address is missing after the comma');
  }

  #readAddress(): boolean {
    const next = this.#peek();
    if (next === '$') this.#at++;
    // GNU's takes + and ~ without a number before them for an address as well.
    else if (/[\d+~]/.test(next)) this.#skip(/[\d+~]/);
    else if (next === '/' || next === '\\') {
      this.#at++;
      const delimiter = next === '/' ? '/' : this.#takeDelimiter();
      this.#readDelimited(delimiter, this.#reading.brackets);
      this.#skip(/[IM]/);
    } else return false;
    return true;
  }

  #readSubstitution(start: number): void {
    const delimiter = this.#takeDelimiter();
    this.#readDelimited(delimiter, this.#reading.brackets);
    this.#readDelimited(delimiter, 'plain');
    this.#skip(/[gpiImM\d \t]/);
    const flag = this.#peek();
    if (flag === 'e') throw this.#danger(start, 'the flag e of s runs a program');
    if (flag === 'w') throw this.#danger(start, 'the flag w of s writes a file');
    this.#readEnd();
  }

  #readTransliteration(): void {
    const delimiter = this.#takeDelimiter();
    this.#readDelimited(delimiter, 'plain');
    this.#readDelimited(delimiter, 'plain');
    this.#readEnd();
  }

  /** The text of a, i and c goes on to the first line end without a backslash before it. */
  #readText(): void {
    const start = this.#at;
    this.#skip(/[ \t]/);
    if (this.#peek() === '\\') {
      // For some versions the text ends at the first of these line ends, for others it begins behind it.
      if (/^\\(?:[ \t]+\n|[ \t]*\\\n)/.test(this.#script.slice(this.#at))) {
        throw this.#danger(start, 'versions of sed disagree on where this text ends');
      }
      this.#at++;
      this.#skip(/[ \t]/);
      if (this.#peek() === '\n') this.#at++;
    }
    while (this.#at < this.#script.length) {
      const next = this.#take();
      if (next === '\n') return;
      if (next !== '\\') continue;
      const escaped = this.#take();
      if (escaped === '\\' && this.#peek() === '\n') {
        throw this.#danger(start, 'versions of sed disagree on a text line that ends in two backslashes');
      }
    }
  }

  #readLabel(): void {
    this.#skip(/[ \t]/);
    this.#skip(this.#reading.longLabels ? /[^\n]/ : /[^\s;}]/);
  }

  #readDelimited(delimiter: string, brackets: Reading['brackets']): void {
    const start = this.#at;
    while (this.#at < this.#script.length) {
      const next = this.#take();
      if (next === delimiter) return;
      if (next === '\\') this.#at++;
      else if (next === '\n' && brackets !== 'plain') break;
      else if (next === '[' && brackets !== 'plain') this.#readBrackets(brackets);
    }
    throw this.#unreadable(start, `the closing ${delimiter} is missing`);
  }

  #readBrackets(brackets: Reading['brackets']): void {
    if (this.#peek() === '^') this.#at++;
    if (this.#peek() === ']') this.#at++;
    while (this.#at < this.#script.length && this.#peek() !== '\n') {
      const next = this.#take();
      if (next === ']') return;
      if (next === '\\' && brackets === 'escaping-backslash') this.#at++;
      const kind = next === '[' ? this.#peek() : '';
      if (kind !== '' && ':.='.includes(kind)) {
        const close = this.#script.indexOf(`${kind}]`, this.#at + 1);
        if (close >= 0) this.#at = close + 2;
      }
    }
  }

  #readEnd(): void {
    this.#skip(/[ \t\r]/);
    const next = this.#peek();
    if (next === '\n' || next === ';') this.#at++;
    else if (next !== '' && next !== '}' && next !== '#') {
      throw this.#unreadable(this.#at, 'something stands after the end of the command');
    }
  }

  #takeDelimiter(): string {
    const start = this.#at;
    const delimiter = this.#take();
    if (/^[!-[\]-~ ]$/.test(delimiter)) return delimiter;
    throw this.#unreadable(start, 'this cannot be a delimiter');
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
