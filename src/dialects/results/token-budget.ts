/** How long an answer may be in a dialect with a token budget, and how it says what did not fit. */
import { grouped } from '../../display/grouped.ts';
import { truncateToBytes } from '../../display/truncate-bytes.ts';
import { jsonBytesUpTo } from '../../json/json-size.ts';

/** The default budget. Clients truncate answers at 25,000 tokens. */
const USUAL_TOKENS = 20_000;
export const BYTES_PER_TOKEN = 4;
/** Room for the words of the last line, which says what is missing. The whole line gets at least `LEAST_NOTE`. */
export const NOTE_WORDS = 300;
const LEAST_NOTE = 400;

export interface Budget {
  maxTokens?: number | undefined;
}

/** The bytes of a whole answer. */
export function answerBytes({ maxTokens = USUAL_TOKENS }: Budget): number {
  return maxTokens * BYTES_PER_TOKEN;
}

/** The bytes of an answer without its last line, which repeats the arguments of the call. */
export function budgetOf(budget: Budget, args: object = {}): number {
  return answerBytes(budget) - noteBytes(budget, args);
}

function noteBytes(budget: Budget, args: object): number {
  const most = answerBytes(budget) >> 1;
  return Math.min(Math.max(jsonBytesUpTo(args, most) + NOTE_WORDS, LEAST_NOTE), most);
}

/** Says which part of a whole the answer shows. `next` is the call that continues, if any. */
export function partNote(what: string, total: number, next: string | undefined): string {
  return `[${what} of ${grouped(total)}${next === undefined ? '' : `; ${next}`}]`;
}

/** The answer for an offset after the last line. An empty answer would look like an empty directory. */
export function offsetTooLarge(total: number, what: string): string {
  return `[there are only ${grouped(total)} ${what}]`;
}

export interface Page {
  lines: readonly string[];
  /** The index of the first line that is shown. */
  offset: number;
  /** The index after the last line that is shown. */
  end: number;
  isCut: boolean;
}

/** The lines that fit after the first `offset`, each with its newline; at least one, truncated if it must be. */
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
