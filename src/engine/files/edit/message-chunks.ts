/**
 * Sends long values between threads.
 *
 * A message is copied in one turn of the event loop, however long it is. So long texts, bytes and lists are sent ahead
 * of it in chunks, and the message itself only says where each belongs.
 */

/** Longer texts and bytes are sent in chunks of this length. */
const CHUNK_LENGTH = 256 * 1024;
/** Longer lists are sent in chunks of this many items. */
const CHUNK_ITEMS = 1024;

/** A part of the value with this number; the parts of a value are sent in order. */
export interface MessageChunk {
  value: number;
  part: string | Uint8Array | unknown[];
}

/** Marks where a long value belongs in a message; no other object in a message has a member of this name. */
interface Placeholder {
  '\0chunks': number;
}

/** Yields the chunks, and returns the message to send after them. Bytes that are `kept` stay in the message. */
export function* packed(message: unknown, kept?: unknown): Generator<MessageChunk, unknown> {
  let values = 0;
  function* pack(value: unknown): Generator<MessageChunk, unknown> {
    if (typeof value === 'string' && value.length > CHUNK_LENGTH) return yield* slices(value, CHUNK_LENGTH);
    if (typeof value !== 'object' || value === null || value === kept) return value;
    if (value instanceof Uint8Array)
      return value.length > CHUNK_LENGTH ? yield* slices(value, CHUNK_LENGTH) : withOwnBuffer(value);
    if (Array.isArray(value)) {
      if (value.length > CHUNK_ITEMS) return yield* slices(value, CHUNK_ITEMS);
      const items: unknown[] = [];
      for (const item of value) items.push(yield* pack(item));
      return items;
    }
    const packing: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(value)) packing[name] = yield* pack(member);
    return packing;
  }
  function* slices(
    value: string | Uint8Array | unknown[],
    size: number,
  ): Generator<MessageChunk, Placeholder> {
    const number = values++;
    for (let at = 0; at < value.length; at += size) {
      const part = value.slice(at, at + size);
      yield { value: number, part: part instanceof Uint8Array ? withOwnBuffer(part) : part };
    }
    return { '\0chunks': number };
  }
  return yield* pack(message);
}

/** Copies a view of a larger buffer: sending the view would copy the whole buffer. */
function withOwnBuffer(bytes: Uint8Array): Uint8Array {
  return bytes.length < bytes.buffer.byteLength ? new Uint8Array(bytes) : bytes;
}

/** Collects chunks until the message after them arrives. */
export class Unpacking {
  #parts: MessageChunk['part'][][] = [];

  add({ value, part }: MessageChunk): void {
    this.#parts[value] ??= [];
    this.#parts[value].push(part);
  }

  /** Returns the whole message; after that, the next one may arrive. */
  unpacked(message: unknown): unknown {
    const values = this.#parts.map(joined);
    this.#parts = [];
    return values.length === 0 ? message : filled(message, values);
  }
}

function joined(parts: readonly MessageChunk['part'][]): unknown {
  const [first] = parts;
  if (typeof first === 'string') return parts.join('');
  if (Array.isArray(first)) return parts.flat(1);
  return Buffer.concat(parts as Uint8Array[]);
}

function filled(value: unknown, values: readonly unknown[]): unknown {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) return value.map((item) => filled(item, values));
  if ('\0chunks' in value) return values[(value as Placeholder)['\0chunks']];
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, filled(member, values)]));
}
