/** Reads the next token of an awk program, in each of the ways in which the versions of awk read it. */

import { MAX_REGEX_LENGTH, regexEnds } from './regex-end.ts';

export interface AwkToken {
  kind: 'name' | 'number' | 'string' | 'regex' | 'newline' | 'sign';
  text: string;
  at: number;
}

/** What comes before a token, which decides how to read it. */
export interface AwkContext {
  /** The token before it. */
  last: AwkToken | undefined;
  /** Whether that token closed the condition of an `if` or the like. */
  afterCondition: boolean;
  /** The brackets that are open. */
  open: string;
}

export interface AwkStep {
  /** Each token that some version of awk reads here. */
  tokens: AwkToken[];
  /** Why no version can read on, if there is no token here although the program has not ended. */
  unreadable?: string;
  /** Something before the token that only some versions accept. */
  disputed?: { at: number; reason: string };
  /** Set when the check cannot follow the program any further. */
  lost?: true;
}

const SIGNS = /\|&|\|\||&&|>>|>=|<=|==|!=|\+\+|--|\*\*=|\*\*|[-+*%/^]=|[-+*/%^!<>=~?:,;$(){}[\]|@]/y;
const NAME = /[A-Za-z_]\w*/y;
const NUMBER = /0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/y;
const STRING = /"(?:\\[\s\S]|[^"\\\n])*"/y;
const SKIPPED = /(?:[ \t]|\r(?=\n)|\\\n|#[^\n]*)*/y;
/** Characters that some versions take for a blank and others for an error. */
const ODD = /[^\n -~]|\\/;

/** Signs after which an operand may have ended. */
export const ENDS_OPERAND: ReadonlySet<string> = new Set([')', ']', '++', '--']);
/** Names that are more than a variable in at least one version: a slash after one may divide or start a regex. */
const WORDS = new Set(
  `BEGIN END BEGINFILE ENDFILE function func if else while for do switch case default break continue next
  nextfile exit return delete in getline print printf length substr index split sub gsub match sprintf sin
  cos atan2 exp log sqrt int rand srand tolower toupper close fflush system gensub strftime systime mktime
  asort asorti patsplit strtonum and or xor lshift rshift compl isarray typeof mkbool intdiv`.split(/\s+/),
);

/** The tokens that may follow `from`, after blanks, comments and line ends that a backslash hides. */
export function awkStep(program: string, from: number, context: AwkContext): AwkStep {
  let disputed: AwkStep['disputed'];
  let at = from + match(SKIPPED, program, from)!.length;
  while (at < program.length && ODD.test(program[at]!)) {
    disputed ??= { at, reason: 'versions of awk disagree on this character outside of strings' };
    at++;
    at += match(SKIPPED, program, at)!.length;
  }
  if (at >= program.length) return { tokens: [], ...(disputed && { disputed }) };
  const step = tokensAt(program, at, context);
  return disputed ? { ...step, disputed } : step;
}

function tokensAt(program: string, at: number, context: AwkContext): AwkStep {
  const next = program[at]!;
  const only = (kind: AwkToken['kind'], text: string): AwkStep => ({ tokens: [{ kind, text, at }] });
  if (next === '\n') return only('newline', next);
  if (next === '/') return slashAt(program, at, context);
  if (next === '"') {
    const text = match(STRING, program, at);
    return text ? only('string', text) : { tokens: [], unreadable: 'a string has no end on its line' };
  }
  const name = match(NAME, program, at);
  if (name) return only('name', name);
  const number = match(NUMBER, program, at);
  if (number) {
    const step = only('number', number);
    // Versions of awk disagree on where 1e or 0x ends, and a name could hide in the rest.
    if (!/\w/.test(program[at + number.length] ?? '')) return step;
    return { ...step, disputed: { at, reason: 'a number runs into a name; put a space between them' } };
  }
  const sign = match(SIGNS, program, at);
  return sign ? only('sign', sign) : { tokens: [], unreadable: `${next} means nothing to awk` };
}

/** A slash divides, or starts a regular expression; sometimes it may be either. */
function slashAt(program: string, at: number, context: AwkContext): AwkStep {
  const meaning = program[at + 1] === '=' && dividesOnly(context) ? 'either' : meaningOfSlash(context);
  const tokens: AwkToken[] = [];
  if (meaning !== 'regex') tokens.push({ kind: 'sign', text: match(SIGNS, program, at)!, at });
  if (meaning === 'division') return { tokens };
  // Where a slash could divide as well, mawk lets an expression continue over a line end.
  const ends = regexEnds(program, at + 1, '/', { overLines: meaning === 'either' });
  if (!ends) {
    const reason = `a regular expression may be longer than ${MAX_REGEX_LENGTH} characters here`;
    return { tokens: [], disputed: { at, reason }, lost: true };
  }
  for (const end of ends) tokens.push({ kind: 'regex', text: program.slice(at, end), at });
  return tokens.length > 0
    ? { tokens }
    : { tokens, unreadable: 'a regular expression has no end on its line' };
}

function dividesOnly(context: AwkContext): boolean {
  return meaningOfSlash(context) === 'division';
}

function meaningOfSlash({ last, afterCondition, open }: AwkContext): 'division' | 'regex' | 'either' {
  if (!last) return 'regex';
  if (last.kind === 'newline') return /[^{]$/.test(open) ? 'either' : 'regex';
  if (last.kind === 'regex') return 'either';
  if (last.kind === 'name') return WORDS.has(last.text) ? 'either' : 'division';
  if (last.kind !== 'sign') return 'division';
  if (!ENDS_OPERAND.has(last.text)) return 'regex';
  return last.text === '++' || last.text === '--' || afterCondition ? 'either' : 'division';
}

function match(what: RegExp, program: string, at: number): string | undefined {
  what.lastIndex = at;
  return what.exec(program)?.[0];
}
