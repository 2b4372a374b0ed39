/** Writes a long message as JSON in several turns of the event loop, so that other calls are not held up. */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { MAX_MESSAGE_BYTES } from '../../../dialects/results/result-size.ts';
import { Yielder } from '../../../engine/index.ts';
import { writeText } from '../../../json/write-json.ts';
import { pieceEnd } from '../../../utf16.ts';
import { idOf } from './json-rpc.ts';
import { tooLarge } from './messages.ts';

/** Shorter messages are written in one turn. */
const LONG = 128 * 1024;
/** How many characters to write between two checks of the clock. */
const PIECE = 64 * 1024;
/** How deep to look for long texts: message, result, content, item, text. Deeper values are written in one turn. */
const LEVELS = 4;

/** Whether the texts in a message are so long that it should be written in turns. */
export function isLong(message: object): boolean {
  const { result } = message as { result?: { content?: unknown; contents?: unknown } };
  const content = result?.content ?? result?.contents;
  if (!Array.isArray(content)) return false;
  let characters = 0;
  for (const item of content) {
    characters += charactersIn(item) + charactersIn((item as { resource?: object }).resource);
  }
  return characters > LONG;
}

/** The length of the members that can be long: text, images, sound and other binary data. */
function charactersIn(item: { text?: string; data?: string; blob?: string } = {}): number {
  return (item.text?.length ?? 0) + (item.data?.length ?? 0) + (item.blob?.length ?? 0);
}

/** A message as JSON: a string, or for a long message the byte pieces in which it was written. */
export type Json = string | readonly Buffer[];

/** Does the same as `asJson`, but in turns, for a long answer. */
export async function longAnswer(message: JSONRPCMessage): Promise<Json> {
  const pieces = await jsonInTurns(message);
  return bytesIn(pieces) > MAX_MESSAGE_BYTES ? tooLarge(idOf(message)) : pieces;
}

export function bytesIn(json: Json): number {
  return typeof json === 'string'
    ? Buffer.byteLength(json)
    : json.reduce((sum, { length }) => sum + length, 0);
}

/** Gives the same bytes as `JSON.stringify`. */
export async function jsonInTurns(message: object): Promise<Buffer[]> {
  // No signal: the call is over, and its answer must be written to the end.
  const yielder = new Yielder(undefined);
  const written: Buffer[] = [];
  let next = '';
  for (const part of partsOf(message, 0)) {
    next += part;
    if (next.length < PIECE) continue;
    written.push(Buffer.from(next));
    next = '';
    await yielder.pause();
  }
  written.push(Buffer.from(next));
  return written;
}

function* partsOf(value: unknown, level: number): Generator<string> {
  if (typeof value === 'string' && value.length > PIECE) yield* textParts(value);
  else if (typeof value !== 'object' || value === null || level > LEVELS) yield JSON.stringify(value);
  else if (Array.isArray(value)) yield* listParts(value, level);
  else yield* memberParts(value, level);
}

function* listParts(items: readonly unknown[], level: number): Generator<string> {
  let before = '[';
  for (const item of items) {
    yield before;
    yield* partsOf(item === undefined ? null : item, level + 1);
    before = ',';
  }
  yield items.length === 0 ? '[]' : ']';
}

function* memberParts(value: object, level: number): Generator<string> {
  let before = '{';
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    yield* partsOf(member, level + 1);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

function* textParts(text: string): Generator<string> {
  yield '"';
  for (let at = 0; at < text.length; ) {
    const until = pieceEnd(text, at, PIECE);
    yield writeText(text.slice(at, until)).slice(1, -1);
    at = until;
  }
  yield '"';
}
