/** How long an answer may be where a dialect keeps to a number of tokens, and the words for what did not fit. */

/** Clients cut answers at 25,000 tokens. */
const USUAL_TOKENS = 20_000;
const BYTES_PER_TOKEN = 4;
/** What the last line may need, which says what is missing. */
const NOTE_BYTES = 400;

/** In bytes, without the last line. */
export function budgetOf({ maxTokens = USUAL_TOKENS }: { maxTokens?: number | undefined }): number {
  const bytes = maxTokens * BYTES_PER_TOKEN;
  return Math.max(bytes - NOTE_BYTES, bytes >> 1);
}

/** The call that goes on where an answer ended. Arguments that the client did not send are left out. */
export function nextCall(tool: string, args: Record<string, unknown>): string {
  const sent = Object.entries(args).filter(
    ([, value]) => value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0),
  );
  return `next: ${tool} ${JSON.stringify(Object.fromEntries(sent))}`;
}

/** `20,013` */
export function grouped(count: number): string {
  return count.toLocaleString('en-US');
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

/** The lines behind the first `offset` ones that fit, each with its newline; at least one. */
export function pageOf(lines: readonly string[], offset: number, bytes: number): Page {
  let room = bytes;
  let end = offset;
  while (end < lines.length) {
    room -= Buffer.byteLength(lines[end]!) + 1;
    if (room < 0 && end > offset) break;
    end++;
  }
  return { lines: lines.slice(offset, end), offset, end, isCut: end < lines.length };
}
