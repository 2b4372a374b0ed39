/** Parses a long JSON message in several turns of the event loop, so that other calls are not held up. */
import { isUtf8 } from 'node:buffer';
import { Yielder } from '../../../engine/index.ts';

/** Shorter messages are read at once. */
const LONG_MESSAGE = 128 * 1024;
/** How many bytes to read between two checks of the clock. */
const PIECE = 64 * 1024;
/** How deep values longer than a piece may be nested: the reader scans them again on each level. */
const MOST_LEVELS = 64;
/** A message up to this length may be nested deeper: reading it at once takes only a few milliseconds. */
const LONGEST_DEEP = 512 * 1024;
/**
 * How many members of an object the reader keeps. V8 takes seconds to build or walk an object with many more, and no
 * valid call has that many: those that are kept include enough unknown names for the call to be refused.
 */
const MOST_MEMBERS = 10_000;

const [QUOTE, BACKSLASH, COMMA, COLON] = ['"', '\\', ',', ':'].map((mark) => mark.charCodeAt(0));
const [OPENS_LIST, ENDS_LIST] = ['[', ']'].map((mark) => mark.charCodeAt(0));
const [OPENS_OBJECT, ENDS_OBJECT] = ['{', '}'].map((mark) => mark.charCodeAt(0));
const LETTER_U = 'u'.charCodeAt(0);
const MARK = Buffer.from('\ufeff');

export class NotUtf8 extends Error {}

class TooDeep extends SyntaxError {}

/** Whether a message is read in turns. */
export function isLongMessage(bytes: number): boolean {
  return bytes > LONG_MESSAGE;
}

/** The value of a message; throws `NotUtf8` or a `SyntaxError`. */
export function readJsonAtOnce(parts: readonly Buffer[]): unknown {
  const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  // Decoding would replace invalid bytes by replacement characters, which could end up in files.
  if (!isUtf8(bytes)) throw new NotUtf8();
  // A byte-order mark, as some clients send at the start, goes with the blanks.
  return JSON.parse(bytes.toString('utf8').trim());
}

/** The same value that `JSON.parse` would give; throws `NotUtf8` or a `SyntaxError`. */
export async function readJsonInTurns(parts: readonly Buffer[], length: number): Promise<unknown> {
  const yielder = new Yielder(undefined);
  const bytes = await joined(parts, length, yielder);
  await requireUtf8(bytes, yielder);
  try {
    return await new Reader(bytes, yielder).whole();
  } catch (error) {
    if (error instanceof TooDeep && length <= LONGEST_DEEP) return readJsonAtOnce([bytes]);
    throw error;
  }
}

async function joined(parts: readonly Buffer[], length: number, yielder: Yielder): Promise<Buffer> {
  const [first] = parts;
  if (first && parts.length === 1) return first;
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  for (const part of parts) {
    at += part.copy(bytes, at);
    await yielder.pause();
  }
  return bytes;
}

async function requireUtf8(bytes: Buffer, yielder: Yielder): Promise<void> {
  for (let from = 0; from < bytes.length; ) {
    const until = afterCharacter(bytes, Math.min(from + 16 * PIECE, bytes.length));
    if (!isUtf8(bytes.subarray(from, until))) throw new NotUtf8();
    from = until;
    await yielder.pause();
  }
}

/** The given position, or the next one that is not inside a character. */
function afterCharacter(bytes: Buffer, at: number): number {
  let end = at;
  while ((bytes[end]! & 0xc0) === 0x80) end++;
  return end;
}

class Reader {
  readonly #bytes: Buffer;
  readonly #yielder: Yielder;
  #at: number;

  constructor(bytes: Buffer, yielder: Yielder) {
    this.#bytes = bytes;
    this.#yielder = yielder;
    // A byte-order mark, as some clients send at the start, goes with the blanks.
    this.#at = bytes.subarray(0, MARK.length).equals(MARK) ? MARK.length : 0;
  }

  async whole(): Promise<unknown> {
    const value = await this.#value(0);
    if (!this.#skipBlanks()) await this.#skipManyBlanks();
    if (this.#at < this.#bytes.length) this.#wrong();
    return value;
  }

  async #value(level: number): Promise<unknown> {
    if (!this.#skipBlanks()) await this.#skipManyBlanks();
    const end = this.#endOfSmall();
    if (end !== undefined) return this.#parsed(end);
    if (level > MOST_LEVELS) throw new TooDeep();
    await this.#yielder.pause();
    switch (this.#bytes[this.#at]) {
      case QUOTE:
        return this.#text();
      case OPENS_LIST:
        return this.#list(level);
      case OPENS_OBJECT:
        return this.#object(level);
      default:
        return this.#wrong();
    }
  }

  /** A text that is longer than a piece. */
  async #text(): Promise<string> {
    const bytes = this.#bytes;
    const parts: string[] = [];
    this.#at++;
    for (let isOpen = true; isOpen; ) {
      const from = this.#at;
      const end = this.#insideText(from, from + PIECE);
      isOpen = bytes[end] !== QUOTE;
      // Do not cut a character in two.
      this.#at = isOpen ? afterCharacter(bytes, end) : end + 1;
      if (isOpen && this.#at >= bytes.length) this.#wrong();
      parts.push(JSON.parse(`"${bytes.toString('utf8', from, isOpen ? this.#at : end)}"`) as string);
      await this.#yielder.pause();
    }
    return parts.join('');
  }

  async #list(level: number): Promise<unknown[]> {
    const items: unknown[] = [];
    await this.#members(ENDS_LIST!, {
      small: (text) => void items.push(...(JSON.parse(`[${text}]`) as unknown[])),
      skip: () => true,
      large: async () => void items.push(await this.#value(level + 1)),
    });
    return items;
  }

  async #object(level: number): Promise<object> {
    const members: object = {};
    let left = MOST_MEMBERS;
    const add = (name: string, value: unknown) => {
      if (--left < 0) return;
      // An assignment to `__proto__` would not create a member.
      Object.defineProperty(members, name, { value, writable: true, enumerable: true, configurable: true });
    };
    await this.#members(ENDS_OBJECT!, {
      small: (text) => {
        for (const [name, value] of Object.entries(JSON.parse(`{${text}}`) as object)) add(name, value);
      },
      skip: () => this.#skipName(),
      large: async () => {
        const name = (await this.#value(level + 1)) as string;
        if (typeof name !== 'string') this.#wrong();
        if (!this.#skipBlanks()) await this.#skipManyBlanks();
        this.#require(COLON!);
        add(name, await this.#value(level + 1));
      },
    });
    return members;
  }

  /** Goes through a list or an object: many small members are parsed together, and a large one by itself. */
  async #members(
    closing: number,
    take: { small(text: string): void; skip(): boolean; large(): Promise<void> },
  ): Promise<void> {
    const bytes = this.#bytes;
    this.#at++;
    if (!this.#skipBlanks()) await this.#skipManyBlanks();
    if (bytes[this.#at] === closing) {
      this.#at++;
      return;
    }
    let from = this.#at;
    /** The end of the members that are not parsed yet. */
    let until: number | undefined;
    const flush = () => {
      if (until !== undefined) take.small(bytes.toString('utf8', from, until));
      until = undefined;
    };
    /** Members are parsed together only if there are no long runs of blanks between them. */
    const skipManyBlanks = () => {
      flush();
      return this.#skipManyBlanks();
    };
    for (;;) {
      if (!this.#skipBlanks()) await skipManyBlanks();
      if (until === undefined) from = this.#at;
      const start = this.#at;
      const end = take.skip() && this.#skipBlanks() ? this.#endOfSmall() : undefined;
      if (end === undefined) {
        this.#at = start;
        flush();
        await take.large();
      } else {
        this.#at = end;
        until = end;
        if (end - from > PIECE) flush();
      }
      if (!this.#skipBlanks()) await skipManyBlanks();
      const isLast = bytes[this.#at] === closing;
      if (!isLast) this.#require(COMMA!);
      if (isLast) break;
      if (this.#yielder.isDue) await this.#yielder.pause();
    }
    flush();
    this.#at++;
  }

  /**
   * Skips the name and the colon of a member; the parser reports later what is wrong with them. False if very many
   * blanks precede the colon.
   */
  #skipName(): boolean {
    const end = this.#endOfText(this.#at, this.#at + PIECE);
    if (this.#bytes[this.#at] !== QUOTE || end === undefined) return true;
    this.#at = end;
    if (!this.#skipBlanks()) return false;
    this.#require(COLON!);
    return true;
  }

  #parsed(end: number): unknown {
    const value: unknown = JSON.parse(this.#bytes.toString('utf8', this.#at, end));
    this.#at = end;
    return value;
  }

  /** The end of the value that begins here, if it is at most a piece away. */
  #endOfSmall(): number | undefined {
    const bytes = this.#bytes;
    const most = Math.min(this.#at + PIECE, bytes.length);
    let open = 0;
    for (let at = this.#at; at < most; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        const end = this.#endOfText(at, most);
        if (end === undefined) return undefined;
        if (open === 0) return end;
        at = end - 1;
      } else if (byte === OPENS_LIST || byte === OPENS_OBJECT) open++;
      else if (byte === ENDS_LIST || byte === ENDS_OBJECT) {
        if (open === 0) return at === this.#at ? this.#wrong() : at;
        if (--open === 0) return at + 1;
      } else if (open === 0 && (byte === COMMA || isBlank(byte))) {
        return at === this.#at ? this.#wrong() : at;
      }
    }
    return open === 0 && most === bytes.length && most > this.#at ? most : undefined;
  }

  /** The position after the closing quote of the text that begins at `start`, if it is before `most`. */
  #endOfText(start: number, most: number): number | undefined {
    const end = this.#insideText(start + 1, most);
    return end < most && this.#bytes[end] === QUOTE ? end + 1 : undefined;
  }

  /** From inside a text: the position of its closing quote, or the first one from `most` on that cuts no escape. */
  #insideText(from: number, most: number): number {
    const bytes = this.#bytes;
    const last = Math.min(most, bytes.length);
    let at = from;
    while (at < last && bytes[at] !== QUOTE) {
      if (bytes[at] !== BACKSLASH) at++;
      else at += bytes[at + 1] === LETTER_U ? 6 : 2;
    }
    return at;
  }

  /** False if there are so many blanks that more may follow. */
  #skipBlanks(): boolean {
    const most = this.#at + PIECE;
    while (this.#at < most && isBlank(this.#bytes[this.#at])) this.#at++;
    return this.#at < most;
  }

  async #skipManyBlanks(): Promise<void> {
    do await this.#yielder.pause();
    while (!this.#skipBlanks());
  }

  #require(byte: number): void {
    if (this.#bytes[this.#at] !== byte) this.#wrong();
    this.#at++;
  }

  #wrong(): never {
    throw new SyntaxError(`unexpected byte at ${this.#at}`);
  }
}

function isBlank(byte: number | undefined): boolean {
  return byte === 32 || byte === 10 || byte === 13 || byte === 9;
}
