/** Reads an awk program far enough to know whether it would read, write or run something by itself. */

import type { AwkToken } from './awk-tokens.ts';
import { awkReadings } from './awk-tokens.ts';
import type { ScriptProblem } from './script-problem.ts';
import { excerptAt, tooLong } from './script-problem.ts';

/** What may follow `getline` when it only takes the next line of the input. */
const AFTER_PLAIN_GETLINE = new Set(['', '\n', ';', '}', ')', '&&', '||', '>', '>=', '==', '!=', '<=', '?']);
const CHANGES = new Set(['=', '+=', '-=', '*=', '/=', '%=', '^=', '**=', '++', '--']);
const FILES = { reason: 'this is how awk chooses its files', instead: 'name the files as operands' };
const NAMES: Readonly<Record<string, { reason: string; instead?: string }>> = {
  system: { reason: 'system runs a program' },
  ARGV: FILES,
  ARGC: FILES,
  ARGIND: FILES,
  SYMTAB: { reason: 'SYMTAB reaches every variable' },
  FUNCTAB: { reason: 'FUNCTAB reaches every function' },
};

/**
 * The first thing in `program` that is not allowed, or undefined for a harmless program: one that some awk
 * can read, and that is harmless for each that can.
 */
export function awkScriptProblem(program: string): ScriptProblem | undefined {
  const long = tooLong(program);
  if (long) return long;
  let unreadable: ScriptProblem | undefined;
  let readable = false;
  for (const text of awkReadings(program)) {
    if (text.unreadable) {
      const { at, reason } = text.unreadable;
      unreadable ??= { at: excerptAt(program, at), reason: `the program cannot be read: ${reason}` };
      continue;
    }
    readable = true;
    const problem = problemInTokens(text.tokens);
    if (problem) return { at: excerptAt(program, problem.at), ...problem.why };
  }
  return readable ? undefined : unreadable;
}

interface Found {
  at: number;
  why: { reason: string; instead?: string };
}

function problemInTokens(tokens: readonly AwkToken[]): Found | undefined {
  let print: AwkToken | undefined;
  for (const [index, token] of tokens.entries()) {
    const why = problemOfToken(tokens, index);
    if (why) return { at: token.at, why };
    if (print && endsStatement(tokens, index, print)) print = undefined;
    if (token.kind === 'name' && (token.text === 'print' || token.text === 'printf')) print = token;
    // Only round brackets make it a comparison: print ($1 > 2).
    if (print && token.kind === 'sign' && token.text === '>' && token.round <= print.round) {
      const instead = 'print without >, or ( ) around a comparison';
      return { at: print.at, why: { reason: 'print would write a file', instead } };
    }
  }
  return undefined;
}

/** A statement goes on over a line end that follows an operator or stands inside brackets. */
function endsStatement(tokens: readonly AwkToken[], index: number, print: AwkToken): boolean {
  const token = tokens[index]!;
  if (token.depth < print.depth) return true;
  if (token.depth > print.depth) return false;
  if (token.kind === 'sign') return token.text === ';';
  if (token.kind !== 'newline') return false;
  let before = index - 1;
  while (tokens[before]!.kind === 'newline') before--;
  const last = tokens[before]!;
  return last.kind !== 'sign' || [')', ']', '++', '--'].includes(last.text);
}

function problemOfToken(tokens: readonly AwkToken[], index: number): Found['why'] | undefined {
  const { kind, text } = tokens[index]!;
  if (kind === 'name') {
    if (Object.hasOwn(NAMES, text)) return NAMES[text];
    if (text === 'getline') return problemOfGetline(tokens, index);
    if (text === 'ENVIRON') return problemOfEnviron(tokens, index);
  }
  if (kind !== 'sign') return undefined;
  if (text === '|' || text === '|&') return { reason: 'a pipe runs a program' };
  if (text === '>>') return { reason: 'print would write a file' };
  if (text === '@') return { reason: '@ loads another program or calls a function by its name' };
  return undefined;
}

function problemOfGetline(tokens: readonly AwkToken[], index: number): Found['why'] | undefined {
  const follows = tokens[index + 1]?.kind === 'name' ? index + 2 : index + 1;
  if (AFTER_PLAIN_GETLINE.has(tokens[follows]?.text ?? '')) return undefined;
  const reason = 'getline may read a file';
  return { reason, instead: 'getline alone or getline NAME, for the next line of the input' };
}

function problemOfEnviron(tokens: readonly AwkToken[], index: number): Found['why'] | undefined {
  const why = { reason: 'the environment of awk is not changed' };
  const before = tokens[index - 1];
  if (before?.text === 'in') return undefined;
  if (tokens[index + 1]?.text !== '[' || before?.text === '++' || before?.text === '--') return why;
  const depth = tokens[index]!.depth;
  const close = tokens.findIndex(
    (token, at) => at > index + 1 && token.text === ']' && token.depth === depth,
  );
  return CHANGES.has(tokens[close + 1]?.text ?? '') ? why : undefined;
}
