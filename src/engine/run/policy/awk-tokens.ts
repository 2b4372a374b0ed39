/** Splits an awk program into tokens, in each of the ways in which the versions of awk split it. */

export interface AwkToken {
  kind: 'name' | 'number' | 'string' | 'regex' | 'newline' | 'sign';
  text: string;
  at: number;
  /** How many round brackets are open around this token. */
  round: number;
  /** How many brackets of any kind are open around this token. */
  depth: number;
}

/**
 * Where versions of awk read the same text differently.
 *
 * A slash divides what stands before it, or starts a regular expression. What stands before it decides, but
 * after these the versions disagree. And in some a slash in [] ends the regular expression.
 */
const DOUBTS = [
  'after a condition',
  'after length',
  'after an increment',
  'after case',
  'before =',
  'in brackets',
] as const;
type Doubt = (typeof DOUBTS)[number];

/** The doubts that are settled for a regular expression (and, for `in brackets`, for its end). */
type Reading = ReadonlySet<Doubt>;

export interface AwkText {
  tokens: AwkToken[];
  /** Why this reading is a syntax error, so that an awk which reads in this way runs nothing at all. */
  unreadable: { at: number; reason: string } | undefined;
}

/** All readings of a program that differ. Most programs have only one. */
export function* awkReadings(program: string): Generator<AwkText> {
  const done: { reading: Reading; met: ReadonlySet<Doubt> }[] = [];
  for (let bits = 0; bits < 2 ** DOUBTS.length; bits++) {
    const reading = new Set(DOUBTS.filter((_, bit) => bits & (1 << bit)));
    const same = done.some((one) =>
      [...one.met].every((doubt) => one.reading.has(doubt) === reading.has(doubt)),
    );
    if (same) continue;
    const scanner = new AwkScanner(program, reading);
    yield scanner.scan();
    done.push({ reading, met: scanner.met });
  }
}

class Unreadable extends Error {
  readonly at: number;
  constructor(at: number, reason: string) {
    super(reason);
    this.at = at;
  }
}

const SIGNS = /\|&|\|\||&&|>>|>=|<=|==|!=|\+\+|--|\*\*=|\*\*|[-+*%/^]=|[\s\S]/y;
const NAME = /[A-Za-z_]\w*/y;
const NUMBER = /0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/y;
const STRING = /"(?:\\[\s\S]|[^"\\\n])*"/y;
const COMMENT = /#[^\n]*/y;
const CONTINUATION = /\\\r?\n/y;
/** Brackets on whose end all agree that let a slash stand in them. */
const BRACKETS = /\[\^?\]?(?:\\.|\[:\w+:\]|\[(?![:.=])|[^[\]\\\n])*\]/y;

const CLOSES: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };
const ENDS_OPERAND = new Set([')', ']', '++', '--']);
const WORDS_BEFORE_REGEX = new Set('print printf return in delete do else exit getline BEGIN END'.split(' '));
const STATEMENTS_WITH_CONDITION = new Set(['if', 'while', 'for', 'switch']);

class AwkScanner {
  /** The doubts that this program raises. */
  readonly met = new Set<Doubt>();
  readonly #program: string;
  readonly #reading: Reading;
  readonly #tokens: AwkToken[] = [];
  readonly #open: { sign: string; condition: boolean }[] = [];
  #round = 0;
  /** The last token closed the condition of an `if` and its like. */
  #afterCondition = false;
  #at = 0;

  constructor(program: string, reading: Reading) {
    this.#program = program;
    this.#reading = reading;
  }

  scan(): AwkText {
    try {
      while (this.#at < this.#program.length) this.#scanNext();
      const left = this.#open.at(-1);
      if (left) throw new Unreadable(this.#at, `${left.sign} is never closed`);
      return { tokens: this.#tokens, unreadable: undefined };
    } catch (thrown) {
      if (!(thrown instanceof Unreadable)) throw thrown;
      return { tokens: this.#tokens, unreadable: { at: thrown.at, reason: thrown.message } };
    }
  }

  #scanNext(): void {
    const next = this.#program[this.#at]!;
    const after = this.#program[this.#at + 1] ?? '';
    if (/[ \t\r\f\v]/.test(next)) this.#at++;
    else if (next === '#') this.#at += this.#match(COMMENT)!.length;
    else if (next === '\n') this.#add('newline', next);
    else if (next === '\\') this.#skipContinuation();
    else if (next === '"')
      this.#add('string', this.#match(STRING) ?? this.#fail('a string has no end on its line'));
    else if (/[A-Za-z_]/.test(next)) this.#add('name', this.#match(NAME)!);
    else if (/\d/.test(next) || (next === '.' && /\d/.test(after))) this.#scanNumber();
    else if (next === '@' && after === '/') this.#scanRegex(2);
    else if (next === '/' && this.#regexExpected()) this.#scanRegex(1);
    else this.#scanSign();
  }

  #skipContinuation(): void {
    const end = this.#match(CONTINUATION) ?? this.#fail('a backslash stands outside of strings');
    this.#at += end.length;
  }

  #scanNumber(): void {
    const text = this.#match(NUMBER)!;
    // Versions of awk disagree on where 1e or 0x ends, and a name could hide behind it.
    if (/\w/.test(this.#program[this.#at + text.length] ?? '')) this.#fail('a number runs into a name');
    this.#add('number', text);
  }

  #scanSign(): void {
    const sign = this.#match(SIGNS)!;
    const closes = CLOSES[sign];
    if (closes) {
      const opened = this.#open.pop();
      if (opened?.sign !== closes) this.#fail(`${sign} closes nothing`);
      if (sign === ')') this.#round--;
      this.#add('sign', sign);
      this.#afterCondition = opened.condition;
      return;
    }
    const last = this.#tokens.at(-1);
    const condition = last?.kind === 'name' && STATEMENTS_WITH_CONDITION.has(last.text);
    this.#add('sign', sign);
    if (sign === '(') this.#round++;
    if (sign === '(' || sign === '[' || sign === '{') this.#open.push({ sign, condition });
  }

  /** Whether a slash here starts a regular expression, because nothing stands before it to be divided. */
  #regexExpected(): boolean {
    const last = this.#tokens.at(-1);
    if (!last || last.kind === 'newline') return true;
    if (last.kind === 'sign' && !ENDS_OPERAND.has(last.text)) return true;
    if (last.kind === 'name' && WORDS_BEFORE_REGEX.has(last.text)) return true;
    const doubt = this.#doubtAfter(last);
    if (doubt && this.#settles(doubt)) return true;
    return this.#program[this.#at + 1] === '=' && this.#settles('before =');
  }

  #doubtAfter({ kind, text }: AwkToken): Doubt | undefined {
    if (kind === 'name') return text === 'length' || text === 'case' ? `after ${text}` : undefined;
    if (kind !== 'sign') return undefined;
    if (text === '++' || text === '--') return 'after an increment';
    return text === ')' && this.#afterCondition ? 'after a condition' : undefined;
  }

  #settles(doubt: Doubt): boolean {
    this.met.add(doubt);
    return this.#reading.has(doubt);
  }

  /** `start` is how many characters the opening has. */
  #scanRegex(start: number): void {
    let at = this.#at + start;
    for (let next = this.#program[at]; next !== '/'; next = this.#program[at]) {
      if (next === undefined || next === '\n') this.#fail('a regular expression has no end on its line');
      if (next === '\\') at += 2;
      else if (next === '[') at = this.#bracketEnd(at);
      else at++;
    }
    this.#add('regex', this.#program.slice(this.#at, at + 1));
  }

  #bracketEnd(start: number): number {
    if (this.#settles('in brackets')) return start + 1;
    const plain = this.#match(BRACKETS, start);
    if (plain === undefined)
      this.#fail('versions of awk disagree on these brackets; write \\[ for a plain one');
    return start + plain.length;
  }

  #match(what: RegExp, at = this.#at): string | undefined {
    what.lastIndex = at;
    return what.exec(this.#program)?.[0];
  }

  #fail(reason: string): never {
    throw new Unreadable(this.#at, reason);
  }

  #add(kind: AwkToken['kind'], text: string): void {
    this.#tokens.push({ kind, text, at: this.#at, round: this.#round, depth: this.#open.length });
    this.#afterCondition = false;
    this.#at += text.length;
  }
}
