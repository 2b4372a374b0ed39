/** Writes values as JSON: the same text as `JSON.stringify`, in a fifth of the time if a value contains long texts. */
import { escapeBase64 } from './escape.generated.ts';
import { isWellFormed, pieceEnd } from './text-pieces.ts';

/** For texts with fewer characters, `JSON.stringify` is as fast. */
const SHORT = 200;
/** How many characters are escaped at once. */
const PIECE = 16 * 1024;
/**
 * How many characters of long texts are written before WebAssembly starts: starting it takes about as long as it saves
 * on this many. So a server that has just started answers without it.
 */
const START_AFTER = 2 * 1024 * 1024;
/** How deep to look for long texts: message, result, content, item, text. */
const LEVELS = 4;
/** Member names that need no escapes. */
const PLAIN_NAME = /^\w*$/;

// The memory of assembly/escape.ts holds its own constants, then the text, then the escaped text.
const TEXT = 1024;
const SLACK = 64;
const ESCAPED = TEXT + 3 * PIECE + SLACK;
/** The longest escape, that of a control character, has six bytes. */
const MEMORY = ESCAPED + 6 * PIECE + SLACK;
const PAGE = 64 * 1024;

/** The part of the global `WebAssembly` that is used here: neither ES2023 nor Node's types declare it. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Memory: new (size: { initial: number }) => { readonly buffer: ArrayBuffer };
  Instance: new (module: object, imports: object) => { exports: object };
};

interface Escaper {
  memory: Buffer;
  /** Writes [from, end) of the memory with escapes at `to`, and returns the end of what it wrote. */
  addEscapes(from: number, end: number, to: number): number;
}

let loaded: Escaper | undefined;
/** How many characters of long texts were written before WebAssembly started. */
let written = 0;

function load(): Escaper {
  const memory = new WebAssembly.Memory({ initial: Math.ceil(MEMORY / PAGE) });
  const module = new WebAssembly.Module(Buffer.from(escapeBase64, 'base64'));
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  return { memory: Buffer.from(memory.buffer), addEscapes: (exports as Escaper).addEscapes };
}

/** Where JSON is written to: a string, or bytes. */
export interface JsonOutput {
  add(text: string): void;
  /** Adds [from, end) of a memory that contains UTF-8. */
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

/** Writes a plain value: one that came from JSON or can become JSON. */
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

/** Writes a text with its quotes. */
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

/** Undefined while so little was written that starting WebAssembly does not pay off. */
function escaperFor(text: string): Escaper | undefined {
  if (loaded) return loaded;
  written += text.length;
  if (written >= START_AFTER) loaded = load();
  return loaded;
}
