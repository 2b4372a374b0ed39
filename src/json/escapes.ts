/** Escapes long texts for JSON, and measures the escapes, in WebAssembly: see assembly/escape.ts. */
import { escapeBase64 } from './escape.generated.ts';

/** How many characters of a text are escaped or measured at once. */
export const ESCAPE_PIECE = 16 * 1024;
/**
 * How many characters are written and measured before WebAssembly starts: starting it takes about as long as it saves
 * on this many. So a server that has just started answers without it.
 */
const START_AFTER = 2 * 1024 * 1024;

// The memory of assembly/escape.ts holds its own constants, then the text, then the escaped text.
const TEXT = 1024;
const SLACK = 64;
const ESCAPED = TEXT + 3 * ESCAPE_PIECE + SLACK;
/** The longest escape, that of a control character, has six bytes. */
const MEMORY = ESCAPED + 6 * ESCAPE_PIECE + SLACK;
const PAGE = 64 * 1024;

/** The part of the global `WebAssembly` that is used here: neither ES2023 nor Node's types declare it. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Memory: new (size: { initial: number }) => { readonly buffer: ArrayBuffer };
  Instance: new (module: object, imports: object) => { exports: object };
};

interface Exports {
  /** Writes [from, end) of the memory at `to`, with escapes, and returns the end of what it wrote. */
  addEscapes(from: number, end: number, to: number): number;
  /** How many bytes the escapes of [from, end) take beyond the text itself. */
  escapeBytes(from: number, end: number): number;
}

export class Escapes {
  readonly #memory: Buffer;
  readonly #exports: Exports;

  constructor() {
    const memory = new WebAssembly.Memory({ initial: Math.ceil(MEMORY / PAGE) });
    const module = new WebAssembly.Module(Buffer.from(escapeBase64, 'base64'));
    const { exports } = new WebAssembly.Instance(module, { env: { memory } });
    this.#memory = Buffer.from(memory.buffer);
    this.#exports = exports as Exports;
  }

  /** Writes a well-formed text of at most `ESCAPE_PIECE` characters, without quotes around it. */
  write(piece: string, output: { addBytes(memory: Buffer, from: number, end: number): void }): void {
    const end = TEXT + this.#memory.write(piece, TEXT, 'utf8');
    output.addBytes(this.#memory, ESCAPED, this.#exports.addEscapes(TEXT, end, ESCAPED));
  }

  /** How many bytes `write` would write. */
  measure(piece: string): number {
    const bytes = this.#memory.write(piece, TEXT, 'utf8');
    return bytes + this.#exports.escapeBytes(TEXT, TEXT + bytes);
  }
}

let loaded: Escapes | undefined;
/** How many characters were written and measured without WebAssembly. */
let characters = 0;

/** Undefined while there were so few characters that starting WebAssembly does not pay off. */
export function escapesFor(text: string): Escapes | undefined {
  if (loaded) return loaded;
  characters += text.length;
  if (characters >= START_AFTER) loaded = new Escapes();
  return loaded;
}
