/** Writes values as JSON: the same text as `JSON.stringify`, in a fifth of the time where a value holds long texts. */
import { escapeBase64 } from './escape.generated.ts';
import { isWellFormed, pieceEnd } from './text-pieces.ts';

/** Escapes of shorter texts take no less time here. */
const SHORT = 200;
/** Characters that are escaped at once. */
const PIECE = 16 * 1024;
/**
 * WebAssembly takes about as long to start as the escapes of this many characters save. A server that has just started
 * answers without it.
 */
const START_AFTER = 2 * 1024 * 1024;
/** How deep to look for long texts: message, result, content, item, text. */
const LEVELS = 4;

// The memory of assembly/escape.ts: its own constants, the text, and the text with escapes.
const TEXT = 1024;
const SLACK = 64;
const ESCAPED = TEXT + 3 * PIECE + SLACK;
/** A control character takes six bytes as an escape. */
const MEMORY = ESCAPED + 6 * PIECE + SLACK;
const PAGE = 64 * 1024;

/** The part of the global that is used here: neither ES2023 nor Node's types declare it. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Memory: new (size: { initial: number }) => { readonly buffer: ArrayBuffer };
  Instance: new (module: object, imports: object) => { exports: object };
};

interface Escaper {
  memory: Buffer;
  /** Writes [from, end) of the memory at `to`, and gives the end of that. */
  addEscapes(from: number, end: number, to: number): number;
}

let loaded: Escaper | undefined;
/** Characters of long texts that were written before. */
let written = 0;

function load(): Escaper {
  const memory = new WebAssembly.Memory({ initial: Math.ceil(MEMORY / PAGE) });
  const module = new WebAssembly.Module(Buffer.from(escapeBase64, 'base64'));
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  return { memory: Buffer.from(memory.buffer), addEscapes: (exports as Escaper).addEscapes };
}

/** A plain value, as it came from JSON or can become JSON. */
export function writeJson(value: unknown, level = 0): string {
  if (typeof value === 'string') return writeText(value);
  if (typeof value !== 'object' || value === null || level > LEVELS) return JSON.stringify(value) ?? 'null';
  return Array.isArray(value) ? writeList(value, level) : writeMembers(value, level);
}

function writeList(items: readonly unknown[], level: number): string {
  let list = '';
  for (const item of items) list += `${list === '' ? '' : ','}${writeJson(item, level + 1)}`;
  return `[${list}]`;
}

function writeMembers(value: object, level: number): string {
  let members = '';
  for (const name of Object.keys(value)) {
    const member: unknown = (value as Record<string, unknown>)[name];
    if (member === undefined) continue;
    members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${writeJson(member, level + 1)}`;
  }
  return `{${members}}`;
}

/** A text with its quotes. */
export function writeText(text: string): string {
  if (text.length < SHORT || !isWellFormed(text)) return JSON.stringify(text);
  if (!loaded) {
    written += text.length;
    if (written < START_AFTER) return JSON.stringify(text);
    loaded = load();
  }
  let quoted = '"';
  for (let at = 0; at < text.length; ) {
    const end = pieceEnd(text, at, PIECE);
    quoted += escaped(text.length <= PIECE ? text : text.slice(at, end), loaded);
    at = end;
  }
  return `${quoted}"`;
}

function escaped(piece: string, { memory, addEscapes }: Escaper): string {
  const end = addEscapes(TEXT, TEXT + memory.write(piece, TEXT, 'utf8'), ESCAPED);
  return memory.toString('utf8', ESCAPED, end);
}
