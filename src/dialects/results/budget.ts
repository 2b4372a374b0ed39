/** How long an answer may be where a dialect keeps to a number of tokens, and the words for what did not fit. */
import { grouped } from '../../display/grouped.ts';
import { truncateToBytes } from '../../display/truncate-bytes.ts';

/** Clients cut answers at 25,000 tokens. */
const USUAL_TOKENS = 20_000;
const BYTES_PER_TOKEN = 4;
/** What the last line needs, which says what is missing: the words, and at least so much with the arguments. */
const NOTE_WORDS = 300;
const LEAST_NOTE = 400;

export interface Budget {
  maxTokens?: number | undefined;
}

/** In bytes, all in all. */
export function answerBytes({ maxTokens = USUAL_TOKENS }: Budget): number {
  return maxTokens * BYTES_PER_TOKEN;
}

/** In bytes, without the last line, which repeats the arguments of the call. */
export function budgetOf(budget: Budget, args: object = {}): number {
  return answerBytes(budget) - noteBytes(budget, args);
}

function noteBytes(budget: Budget, args: object): number {
  const wanted = Buffer.byteLength(JSON.stringify(args)) + NOTE_WORDS;
  return Math.min(Math.max(wanted, LEAST_NOTE), answerBytes(budget) >> 1);
}

/**
 * The call that goes on where an answer ended: that of `args`, with `more` as well. Arguments that the client did not
 * send are left out, and all that it sent where they would take half of the answer.
 */
export function nextCall(tool: string, args: object, more: object, budget: Budget): string {
  const whole = `next: ${tool} ${sentJson({ ...args, ...more })}`;
  if (noteFits(whole, budget)) return whole;
  return `next: ${tool} with the same arguments and ${sentJson(more)}`;
}

/** Whether there is room for the words around such a call. */
export function noteFits(next: string, budget: Budget): boolean {
  const most = (answerBytes(budget) >> 1) - NOTE_WORDS / 2;
  return Buffer.byteLength(next) <= most;
}

function sentJson(args: object): string {
  const sent = Object.entries(args).filter(
    ([, value]) => value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0),
  );
  return JSON.stringify(Object.fromEntries(sent));
}

/** Which part of a whole an answer shows; `next` is the call that goes on, where there is one. */
export function partNote(what: string, total: number, next: string | undefined): string {
  return `[${what} of ${grouped(total)}${next === undefined ? '' : `; ${next}`}]`;
}

export interface Page {
  lines: readonly string[];
  /** How many lines, from the first on, were left out and are shown. */
  offset: number;
  end: number;
  isCut: boolean;
}

/** The lines behind the first `offset` ones that fit, each with its newline; at least one, if need be not all of it. */
export function pageOf(lines: readonly string[], offset: number, bytes: number): Page {
  let room = bytes;
  let end = offset;
  while (end < lines.length) {
    room -= Buffer.byteLength(lines[end]!) + 1;
    if (room < 0 && end > offset) break;
    end++;
    if (room < 0) break;
  }
  const shown = lines.slice(offset, end);
  if (room < 0 && shown.length === 1) shown[0] = truncateToBytes(shown[0]!, bytes - 1);
  return { lines: shown, offset, end, isCut: end < lines.length };
}
