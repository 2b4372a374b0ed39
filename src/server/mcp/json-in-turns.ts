/** Writes a long message as JSON in as many turns of the event loop as it takes: others are answered meanwhile. */
import { Breathing } from '../../engine/index.ts';

/** Shorter messages are written at once. */
const LONG = 128 * 1024;
/** So many characters are written between two looks at the clock. */
const PIECE = 64 * 1024;
/** A message, its result, the content or what programs get, an item, its text: what is deeper is written at once. */
const LEVELS = 4;

/** Whether the texts in a message make it a long one. */
export function isLong(message: object): boolean {
  const content = (message as { result?: { content?: unknown } }).result?.content;
  if (!Array.isArray(content)) return false;
  let characters = 0;
  for (const item of content) {
    const { text, resource } = item as { text?: string; resource?: { blob?: string } };
    characters += text?.length ?? resource?.blob?.length ?? 0;
  }
  return characters > LONG;
}

/** The same bytes that `JSON.stringify` would give. */
export async function jsonInTurns(message: object): Promise<Buffer[]> {
  // An answer is written to its end, though the call is over.
  const breathing = new Breathing(undefined);
  const written: Buffer[] = [];
  let next = '';
  for (const part of partsOf(message, 0)) {
    next += part;
    if (next.length < PIECE) continue;
    written.push(Buffer.from(next));
    next = '';
    await breathing.pause();
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

/** No character is cut in two: each half would be written as an escape. */
function* textParts(text: string): Generator<string> {
  yield '"';
  for (let at = 0; at < text.length; ) {
    const end = at + PIECE;
    const last = text.charCodeAt(end - 1);
    const until = last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
    yield JSON.stringify(text.slice(at, until)).slice(1, -1);
    at = until;
  }
  yield '"';
}
