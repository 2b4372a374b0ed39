/** How long one tool result may be: clients built on the official library end the session at 10 MiB. */
import { truncate } from '../display/truncate.ts';
import { fail, inTurns, Yielder } from '../engine/index.ts';
import { jsonBytes, measuringJson } from '../json/json-size.ts';
import { type Content, type ToolOutcome, type ToolResult, text } from './dialect.ts';

/** The server sends no longer message, line end included; src/server/mcp/messages.ts enforces it too. */
export const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;
/** What the message around a result takes: the envelope and the id. */
const ENVELOPE_BYTES = 16 * 1024;
const MAX_RESULT_BYTES = MAX_MESSAGE_BYTES - ENVELOPE_BYTES;
/** Tools keep their own text within this, which leaves room for the notes behind it. */
export const MAX_TEXT_BYTES = MAX_RESULT_BYTES - 64 * 1024;

/** A character takes at most six bytes as JSON, in text that is JSON itself seven. */
const MOST_BYTES_A_CHARACTER = 7;
const MAX_ERROR_CHARACTERS = 4000;

/** Whether a text is short enough for a result. It only measures texts that might not be. */
export function textFits(value: string, most = MAX_TEXT_BYTES): boolean {
  if (value.length > most) return false;
  return value.length * MOST_BYTES_A_CHARACTER <= most || jsonBytes(value) <= most;
}

/** How many of the first items take no more than `most` bytes together. */
export function countThatFits<T>(
  items: readonly T[],
  bytesOf: (item: T) => number,
  most = MAX_TEXT_BYTES,
): number {
  let left = most;
  for (const [index, item] of items.entries()) {
    left -= bytesOf(item);
    if (left < 0) return index;
  }
  return items.length;
}

/** The lines as one text. When not all of them fit, it ends at a whole line and `truncated` hears how many it shows. */
export function linesThatFit(lines: readonly string[], truncated: (shown: number) => void): string {
  const whole = lines.join('\n');
  if (textFits(whole)) return whole;
  const shown = countThatFits(lines, jsonBytes);
  truncated(shown);
  return lines.slice(0, shown).join('\n');
}

/** One line an entry; a note says how to get at the entries that did not fit. */
export function listThatFits(
  lines: readonly string[],
  { entries, instead, note }: { entries: string; instead: string; note: (note: string) => void },
): string {
  return linesThatFit(lines, (shown) => {
    const part = `the first ${shown} of ${lines.length} ${entries}`;
    note(`[cut: ${part}, more do not fit into one answer; ${instead}]`);
  });
}

/** For a text that only makes sense whole. `instead` says how to get a part of it. */
export function requireFits(value: string, instead: () => string, path?: string): string {
  if (textFits(value)) return value;
  const at = path === undefined ? {} : { path };
  return fail({
    kind: 'answer-too-large',
    // Measuring a very long text as JSON would keep other calls waiting.
    bytes: value.length > 2 * MAX_TEXT_BYTES ? Buffer.byteLength(value) : jsonBytes(value),
    limit: MAX_MESSAGE_BYTES,
    instead: instead(),
    ...at,
  });
}

/** The bytes of an outcome that is too long to send; undefined for all others. */
export async function excessBytes(outcome: ToolOutcome): Promise<number | undefined> {
  if (isShort(outcome)) return undefined;
  const value = 'result' in outcome ? outcome.result : outcome.error;
  const bytes = await inTurns(measuringJson(value), new Yielder(undefined));
  return bytes > MAX_RESULT_BYTES ? bytes : undefined;
}

/** The same failure with its long texts truncated: the client must hear of it, however long the names in it are. */
export function truncateTexts<T>(failure: T): T {
  if (typeof failure === 'string') return truncate(failure, MAX_ERROR_CHARACTERS) as T;
  if (Array.isArray(failure)) return failure.slice(0, 100).map(truncateTexts) as T;
  if (typeof failure !== 'object' || failure === null) return failure;
  return Object.fromEntries(
    Object.entries(failure).map(([name, value]) => [name, truncateTexts(value)]),
  ) as T;
}

/** For a call that changed something and must not look as if it had failed. */
export function unsendableResult(bytes: number): ToolResult {
  const size = `${bytes} bytes, and one answer may have ${MAX_MESSAGE_BYTES}`;
  return { content: [text(`The call was done, but its answer is too long to be sent: ${size}`)] };
}

function charactersOf(item: Content): number {
  if (item.type === 'text') return item.text.length;
  return item.type === 'resource' ? item.resource.blob.length + item.resource.uri.length : item.data.length;
}

function isShort(outcome: ToolOutcome): boolean {
  if ('error' in outcome)
    return outcome.error.data === undefined && outcome.error.message.length < MAX_ERROR_CHARACTERS;
  const { content, structuredContent } = outcome.result;
  let characters = 0;
  for (const item of content) characters += charactersOf(item);
  // structuredContent repeats the text, and takes no more bytes than it.
  const copies = structuredContent === undefined ? 1 : 2;
  return (characters + 100 * content.length) * MOST_BYTES_A_CHARACTER * copies <= MAX_RESULT_BYTES;
}
