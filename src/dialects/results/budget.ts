/** How long an answer may be where a dialect keeps to a number of tokens, and the words for what did not fit. */
import { grouped } from '../../display/grouped.ts';
import { truncateToBytes } from '../../display/truncate-bytes.ts';
import { jsonBytesUpTo } from '../../json/json-size.ts';

/** Clients cut answers at 25,000 tokens. */
const USUAL_TOKENS = 20_000;
const BYTES_PER_TOKEN = 4;
/** The last line says what is missing: its words take this much, and with the arguments at least `LEAST_NOTE`. */
export const NOTE_WORDS = 300;
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
  const most = answerBytes(budget) >> 1;
  return Math.min(Math.max(jsonBytesUpTo(args, most) + NOTE_WORDS, LEAST_NOTE), most);
}

/** Which part of a whole an answer shows; `next` is the call that continues, where there is one. */
export function partNote(what: string, total: number, next: string | undefined): string {
  return `[${what} of ${grouped(total)}${next === undefined ? '' : `; ${next}`}]`;
}

/** For an offset behind the last of all lines: an empty answer would look like an empty directory. */
export function nothingBehind(total: number, what: string): string {
  return `[there are only ${grouped(total)} ${what}]`;
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
