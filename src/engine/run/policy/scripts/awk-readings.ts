/** Follows one reading of an awk program, token by token, and notes the first thing that is not allowed. */

import { type AwkContext, type AwkToken, ENDS_OPERAND } from './awk-tokens.ts';

/** What may follow a `getline` that only takes the next line of the input. */
const AFTER_PLAIN_GETLINE = new Set([';', '}', ')', '&&', '||', '>', '>=', '==', '!=', '<=', '?']);
const CHANGES = new Set(['=', '+=', '-=', '*=', '/=', '%=', '^=', '**=', '++', '--']);
const FILES = { reason: 'this is how awk chooses its files', instead: 'name the files as operands' };
const TRANSLATES = { reason: 'awk would read translations from a file' };
const NAMES: Readonly<Record<string, Why>> = {
  system: { reason: 'system runs a program' },
  ARGV: FILES,
  ARGC: FILES,
  ARGIND: FILES,
  SYMTAB: { reason: 'SYMTAB reaches every variable' },
  FUNCTAB: { reason: 'FUNCTAB reaches every function' },
  TEXTDOMAIN: TRANSLATES,
  bindtextdomain: TRANSLATES,
  dcgettext: TRANSLATES,
  dcngettext: TRANSLATES,
};
const SIGNS: Readonly<Record<string, Why>> = {
  '|': { reason: 'a pipe runs a program' },
  '|&': { reason: 'a pipe runs a program' },
  '>>': { reason: 'print would write a file' },
  '@': { reason: '@ loads another program or calls a function by its name' },
};
const PRINT_WRITES = {
  reason: 'print would write a file',
  instead: 'print without >, or ( ) around a comparison',
};
const GETLINE_READS = {
  reason: 'getline may read a file',
  instead: 'getline alone or getline NAME, for the next line of the input',
};
const ENVIRON_CHANGES = { reason: 'the environment of awk is not changed' };

const CLOSES: Readonly<Record<string, string>> = { ')': '(?s', ']': '[e', '}': '{' };
/** Functions that change their last argument. */
const SUBSTITUTIONS = new Set(['sub', 'gsub']);
const STATEMENTS_WITH_CONDITION = new Set(['if', 'while', 'for', 'switch']);

interface Why {
  reason: string;
  instead?: string;
}

export interface AwkProblem {
  at: number;
  why: Why;
}

export class AwkReading implements AwkContext {
  /** Where the next token begins, or the blanks before it. */
  at = 0;
  /** The open brackets; `?` is the ( of a condition, `s` that of a substitution, `e` the [ of ENVIRON. */
  open = '';
  last: AwkToken | undefined;
  afterCondition = false;
  problem: AwkProblem | undefined;
  /** The last token that is not a line end. */
  #word: AwkToken | undefined;
  /** The print statement around the next token, and how many brackets were open where it began. */
  #print: { at: number; depth: number; round: number } | undefined;
  #getline: 'just read' | 'with a name' | undefined;
  #environ: 'named' | 'indexed' | undefined;

  copy(): AwkReading {
    const copy = new AwkReading();
    copy.at = this.at;
    copy.open = this.open;
    copy.last = this.last;
    copy.afterCondition = this.afterCondition;
    copy.problem = this.problem;
    copy.#word = this.#word;
    copy.#print = this.#print;
    copy.#getline = this.#getline;
    copy.#environ = this.#environ;
    return copy;
  }

  /** Two readings with the same key continue in the same way. */
  key(): string {
    const { depth, round } = this.#print ?? {};
    return JSON.stringify([
      this.at,
      this.open,
      this.last?.kind,
      this.last?.text,
      this.afterCondition,
      this.problem !== undefined,
      this.#word?.kind,
      this.#word?.text,
      depth,
      round,
      this.#getline,
      this.#environ,
    ]);
  }

  note(at: number, why: Why): void {
    this.problem ??= { at, why };
  }

  /** Takes one more token. Returns why it is a syntax error in every version of awk, if it is one. */
  take(token: AwkToken): string | undefined {
    const closes = token.kind === 'sign' && Object.hasOwn(CLOSES, token.text);
    const opened = closes ? this.open.at(-1) : undefined;
    if (closes) {
      if (!opened || !CLOSES[token.text]!.includes(opened)) return `${token.text} closes nothing`;
      this.open = this.open.slice(0, -1);
    }
    const opening = token.kind === 'sign' && '([{'.includes(token.text) ? this.#openingOf(token.text) : '';
    this.#judge(token);
    this.open += opening;
    this.afterCondition = opened === '?';
    if (opened === 'e') this.#environ = 'indexed';
    this.last = token;
    if (token.kind !== 'newline') this.#word = token;
    this.at = token.at + token.text.length;
    return undefined;
  }

  #openingOf(sign: string): string {
    const before = this.#word?.kind === 'name' ? this.#word.text : '';
    if (sign === '(' && STATEMENTS_WITH_CONDITION.has(before)) return '?';
    if (sign === '(' && SUBSTITUTIONS.has(before)) return 's';
    return sign === '[' && this.#environ === 'named' ? 'e' : sign;
  }

  #judge(token: AwkToken): void {
    const { kind, text, at } = token;
    this.#judgeGetline(token);
    this.#judgeEnviron(token);
    if (this.#print && this.#endsPrint(token, this.#print)) this.#print = undefined;
    if (kind === 'name') this.#judgeName(token);
    if (kind !== 'sign') return;
    if (Object.hasOwn(SIGNS, text)) this.note(at, SIGNS[text]!);
    if (text !== '>') return;
    // Only round brackets make `>` a comparison: print ($1 > 2). And no comparison begins a line.
    if (this.#print && this.#round() <= this.#print.round) this.note(this.#print.at, PRINT_WRITES);
    if (this.last?.kind === 'newline') this.note(at, PRINT_WRITES);
  }

  #judgeName({ text, at }: AwkToken): void {
    if (Object.hasOwn(NAMES, text)) this.note(at, NAMES[text]!);
    const before = this.#word?.text ?? '';
    const changed = before === '++' || before === '--' || this.open.endsWith('s');
    if (text === 'ENVIRON' && changed) this.note(at, ENVIRON_CHANGES);
    if (text === 'ENVIRON' && before !== 'in') this.#environ = 'named';
    if (text === 'getline') this.#getline = 'just read';
    if (text === 'print' || text === 'printf') {
      this.#print ??= { at, depth: this.open.length, round: this.#round() };
    }
  }

  #judgeGetline({ kind, text, at }: AwkToken): void {
    if (!this.#getline) return;
    if (kind === 'newline') return;
    if (kind === 'name' && this.#getline === 'just read' && this.last?.kind !== 'newline') {
      this.#getline = 'with a name';
      return;
    }
    this.#getline = undefined;
    // A new line may begin a statement, but no statement begins with < or another binary operator.
    const plain = kind === 'sign' ? AFTER_PLAIN_GETLINE.has(text) : false;
    const begins = this.last?.kind === 'newline' && (kind !== 'sign' || '{($!-+'.includes(text[0]!));
    if (!plain && !begins) this.note(at, GETLINE_READS);
  }

  /** A program may read an element of ENVIRON or ask whether it exists, and nothing else. */
  #judgeEnviron({ kind, text, at }: AwkToken): void {
    if (!this.#environ) return;
    const indexed = kind === 'sign' && text === '[';
    const changed = kind === 'sign' && CHANGES.has(text);
    if (this.#environ === 'named' ? !indexed : changed) this.note(at, ENVIRON_CHANGES);
    this.#environ = undefined;
  }

  /** Whether the token ends a print. A statement continues over a line end after an operator or inside brackets. */
  #endsPrint({ kind, text }: AwkToken, print: { depth: number }): boolean {
    const depth = this.open.length;
    if (depth < print.depth) return true;
    if (depth > print.depth) return false;
    if (kind === 'sign') return text === ';';
    if (kind !== 'newline') return false;
    const before = this.#word;
    // busybox also continues after `in`.
    if (before?.kind === 'name') return before.text !== 'in';
    return before?.kind !== 'sign' || ENDS_OPERAND.has(before.text);
  }

  #round(): number {
    return this.open.replace(/[^(?s]/g, '').length;
  }
}
