/** How long one tool result may be: clients built on the official library end the session at 10 MiB. */
import { truncate } from '../../display/truncate.ts';
import { fail, ITEMS_PER_CHECK, inTurns, joinedInTurns, Yielder } from '../../engine/index.ts';
import { jsonTextBytes, measuringJson } from '../../json/json-size.ts';
import { type Content, type ToolOutcome, type ToolResult, text } from '../dialect.ts';

/** The longest message that the server sends, line end included. Each transport enforces it, whatever a tool does. */
export const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;
/** Room for the message around a result: the envelope and the id. */
const ENVELOPE_BYTES = 16 * 1024;
const MAX_RESULT_BYTES = MAX_MESSAGE_BYTES - ENVELOPE_BYTES;
/** Tools keep their own text within this limit, which leaves room for notes. */
export const MAX_TEXT_BYTES = MAX_RESULT_BYTES - 64 * 1024;

/** A character takes at most six bytes in JSON, and seven in JSON that is itself a string in JSON. */
const MOST_BYTES_A_CHARACTER = 7;
const MAX_ERROR_CHARACTERS = 4000;
/** How many bytes are measured between two checks of the clock. */
const BYTES_PER_CHECK = 256 * 1024;

/** Whether a text is short enough for a result. It measures only those that might be too long. */
export async function textFits(value: string, most = MAX_TEXT_BYTES): Promise<boolean> {
  if (value.length > most) return false;
  return value.length * MOST_BYTES_A_CHARACTER <= most || (await bytesAsJson(value)) <= most;
}

/** Whether a text is so short that it fits whatever its characters are. */
export function surelyFits(value: string): boolean {
  return value.length * MOST_BYTES_A_CHARACTER <= MAX_TEXT_BYTES;
}

/** How many bytes a value takes as JSON. Other calls run while a long value is measured. */
export function bytesAsJson(value: unknown): number | Promise<number> {
  return inTurns(measuringJson(value), new Yielder(undefined));
}

/** The same for a text. It is faster for a short one, as nearly all texts are. */
export function bytesOfText(value: string): number | Promise<number> {
  return value.length <= BYTES_PER_CHECK ? jsonTextBytes(value) : bytesAsJson(value);
}

/** How many items, from the first on, fit into one result together. */
export async function countThatFits<T>(
  items: readonly T[],
  bytesOf: (item: T) => number | Promise<number>,
): Promise<number> {
  const yielder = new Yielder(undefined);
  let left = MAX_TEXT_BYTES;
  let pauseAt = left;
  for (const [index, item] of items.entries()) {
    const bytes = bytesOf(item);
    left -= typeof bytes === 'number' ? bytes : await bytes;
    if (left < 0) return index;
    if (index % ITEMS_PER_CHECK > 0 && left > pauseAt) continue;
    await yielder.pause();
    pauseAt = left - BYTES_PER_CHECK;
  }
  return items.length;
}

/**
 * The lines as one text. When not all of them fit, it ends at a whole line and calls `truncated` with how many it
 * shows.
 */
async function linesThatFit(lines: readonly string[], truncated: (shown: number) => void): Promise<string> {
  const yielder = new Yielder(undefined);
  const characters = lines.reduce((sum, line) => sum + line.length + 1, 0);
  if (characters <= MAX_TEXT_BYTES) {
    const whole = await joinedInTurns(lines, '\n', yielder);
    if (await textFits(whole)) return whole;
  }
  const shown = await countThatFits(lines, bytesOfText);
  truncated(shown);
  return joinedInTurns(lines.slice(0, shown), '\n', yielder);
}

/** The same for lines that are already joined into one text. */
export async function leadingLinesThatFit(
  whole: string,
  truncated: (shown: number) => void,
): Promise<string> {
  if (await textFits(whole)) return whole;
  const yielder = new Yielder(undefined);
  let left = MAX_TEXT_BYTES;
  let shown = 0;
  let end = 0;
  for (let from = 0; from <= whole.length; shown++) {
    if (shown % ITEMS_PER_CHECK === 0) await yielder.pause();
    const newline = whole.indexOf('\n', from);
    const next = newline < 0 ? whole.length : newline;
    const bytes = next - from > left ? Number.POSITIVE_INFINITY : bytesOfText(whole.slice(from, next));
    left -= typeof bytes === 'number' ? bytes : await bytes;
    if (left < 0) break;
    end = next;
    from = next + 1;
  }
  truncated(shown);
  return whole.slice(0, end);
}

/** Lists one entry per line. A note says how to reach the entries that did not fit. */
export function listThatFits(
  lines: readonly string[],
  { entries, instead, note }: { entries: string; instead: string; note: (note: string) => void },
): Promise<string> {
  return linesThatFit(lines, (shown) => {
    const part = `the first ${shown} of ${lines.length} ${entries}`;
    note(`[cut: ${part}, more do not fit into one answer; ${instead}]`);
  });
}

/** Fails if a text that only makes sense whole does not fit. `instead` says how to get a part of it. */
export async function requireFits(
  value: string,
  instead: () => string | Promise<string>,
  path?: string,
): Promise<string> {
  if (await textFits(value)) return value;
  const at = path === undefined ? {} : { path };
  return fail({
    kind: 'answer-too-large',
    bytes: await bytesAsJson(value),
    limit: MAX_MESSAGE_BYTES,
    instead: await instead(),
    ...at,
  });
}

/** The size of an outcome that is too long to send; undefined for every other outcome. */
export async function excessBytes(outcome: ToolOutcome): Promise<number | undefined> {
  const value = 'result' in outcome ? outcome.result : outcome.error;
  const bytes = await bytesAsJson(value);
  return bytes > MAX_RESULT_BYTES ? bytes : undefined;
}

/** The same failure with its long texts truncated: it must reach the client, however long the names in it are. */
export function truncateTexts<T>(failure: T): T {
  if (typeof failure === 'string') return truncate(failure, MAX_ERROR_CHARACTERS) as T;
  if (Array.isArray(failure)) return failure.slice(0, 100).map(truncateTexts) as T;
  if (typeof failure !== 'object' || failure === null) return failure;
  return Object.fromEntries(
    Object.entries(failure).map(([name, value]) => [name, truncateTexts(value)]),
  ) as T;
}

/** The result of a call that changed something, and so must not look as if it had failed. */
export function unsendableResult(bytes: number): ToolResult {
  const size = `${bytes} bytes, and one answer may have ${MAX_MESSAGE_BYTES}`;
  return { content: [text(`The call was done, but its answer is too long to be sent: ${size}`)] };
}

function charactersOf(item: Content): number {
  if (item.type === 'text') return item.text.length;
  return item.type === 'resource' ? item.resource.blob.length + item.resource.uri.length : item.data.length;
}

/** Whether an outcome is so short that it can be sent whatever its characters are. */
export function isShort(outcome: ToolOutcome): boolean {
  if ('error' in outcome)
    return outcome.error.data === undefined && outcome.error.message.length < MAX_ERROR_CHARACTERS;
  const { content, structuredContent } = outcome.result;
  let characters = 0;
  for (const item of content) characters += charactersOf(item);
  // structuredContent repeats the text, and takes no more bytes than it.
  const copies = structuredContent === undefined ? 1 : 2;
  return (characters + 100 * content.length) * MOST_BYTES_A_CHARACTER * copies <= MAX_RESULT_BYTES;
}
