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
/** Names that need no escapes. */
const PLAIN_NAME = /^\w*$/;

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

/** Where JSON goes: a text, or bytes. */
export interface JsonOutput {
  add(text: string): void;
  /** A part of a memory that holds UTF-8. */
  addBytes(memory: Buffer, from: number, end: number): void;
}

class JsonText implements JsonOutput {
  text = '';

  add(text: string): void {
    this.text += text;
  }

  addBytes(memory: Buffer, from: number, end: number): void {
    this.text += memory.toString('utf8', from, end);
  }
}

/** A plain value, as it came from JSON or can become JSON. */
export function writeJson(value: unknown): string {
  const output = new JsonText();
  writeJsonTo(output, value);
  return output.text;
}

export function writeJsonTo(output: JsonOutput, value: unknown, level = 0): void {
  if (typeof value === 'string') writeTextTo(output, value);
  else if (typeof value !== 'object' || value === null || level > LEVELS)
    output.add(JSON.stringify(value) ?? 'null');
  else if (Array.isArray(value)) writeList(output, value, level);
  else writeMembers(output, value, level);
}

function writeList(output: JsonOutput, items: readonly unknown[], level: number): void {
  let before = '[';
  for (const item of items) {
    output.add(before);
    writeJsonTo(output, item, level + 1);
    before = ',';
  }
  output.add(items.length === 0 ? '[]' : ']');
}

function writeMembers(output: JsonOutput, value: object, level: number): void {
  let before = '{';
  for (const name of Object.keys(value)) {
    const member: unknown = (value as Record<string, unknown>)[name];
    if (member === undefined) continue;
    output.add(`${before}${PLAIN_NAME.test(name) ? `"${name}"` : JSON.stringify(name)}:`);
    writeJsonTo(output, member, level + 1);
    before = ',';
  }
  output.add(before === '{' ? '{}' : '}');
}

/** A text with its quotes. */
export function writeText(text: string): string {
  const output = new JsonText();
  writeTextTo(output, text);
  return output.text;
}

function writeTextTo(output: JsonOutput, text: string): void {
  const escaper = text.length < SHORT || !isWellFormed(text) ? undefined : escaperFor(text);
  if (escaper === undefined) {
    output.add(JSON.stringify(text));
    return;
  }
  const { memory, addEscapes } = escaper;
  output.add('"');
  for (let at = 0; at < text.length; ) {
    const end = pieceEnd(text, at, PIECE);
    const piece = text.length <= PIECE ? text : text.slice(at, end);
    const escapedEnd = addEscapes(TEXT, TEXT + memory.write(piece, TEXT, 'utf8'), ESCAPED);
    output.addBytes(memory, ESCAPED, escapedEnd);
    at = end;
  }
  output.add('"');
}

/** Undefined while too little was written for it to pay. */
function escaperFor(text: string): Escaper | undefined {
  if (loaded) return loaded;
  written += text.length;
  if (written >= START_AFTER) loaded = load();
  return loaded;
}
