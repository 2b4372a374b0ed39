/** Measures how many bytes a value takes as JSON, without writing the JSON: values may have many megabytes. */

import { isFirstHalf, isWellFormed, pieceEnd } from '../utf16.ts';
import { ESCAPE_PIECE, escapesFor } from './escapes.ts';

const FIRST_PRINTABLE = 0x20;
const SHORT_ESCAPES = new Set(['\b', '\t', '\n', '\f', '\r', '"', '\\'].map((each) => each.charCodeAt(0)));
/**
 * How many bytes the escape of an ASCII character adds. Quotes, backslashes and a few control characters have an escape
 * of two characters, other control characters one of six.
 */
const EXTRA = Uint8Array.from({ length: 128 }, (_, code) => {
  if (SHORT_ESCAPES.has(code)) return 1;
  return code < FIRST_PRINTABLE ? 5 : 0;
});
/** Half of a surrogate pair takes three bytes as UTF-8 (a replacement character) and six as an escape. */
const HALF_EXTRA = 3;

/** How many characters are measured between two yields. */
const PIECE = ESCAPE_PIECE;
/** Measuring a value takes as long as measuring this many further characters. */
const CHARACTERS_A_VALUE = 16;
/** For texts with fewer characters, measuring without WebAssembly is faster. */
const SHORT = 200;

/** The size of a text as a JSON string, with its quotes. */
export function jsonTextBytes(text: string): number {
  let sum = 2;
  for (let at = 0; at < text.length; ) {
    const end = pieceEnd(text, at, PIECE);
    sum += pieceBytes(text, at, end);
    at = end;
  }
  return sum;
}

/** The size of a value that came from JSON or can become JSON. */
export function jsonBytes(value: unknown): number {
  if (typeof value === 'string') return jsonTextBytes(value);
  const steps = measuringJson(value);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

/** The same, but at most `most`: a longer value is not measured to its end. */
export function jsonBytesUpTo(value: unknown, most: number): number {
  const steps = measuringJson(value);
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done || step.value >= most) return Math.min(step.value, most);
  }
}

/** The same as a generator that yields the size so far again and again, so that others can work in between. */
export function* measuringJson(value: unknown): Generator<number, number> {
  let sum = 0;
  let left = PIECE;
  function* measure(each: unknown): Generator<number, void> {
    left -= CHARACTERS_A_VALUE;
    if (left <= 0) {
      left = PIECE;
      yield sum;
    }
    if (typeof each === 'string') yield* text(each);
    else if (typeof each !== 'object' || each === null) sum += String(JSON.stringify(each)).length;
    else if (Array.isArray(each)) yield* list(each);
    else yield* members(each);
  }
  function* text(each: string): Generator<number, void> {
    if (each.length <= PIECE) {
      left -= each.length;
      sum += jsonTextBytes(each);
      return;
    }
    sum += 2;
    for (let at = 0; at < each.length; ) {
      const end = pieceEnd(each, at, PIECE);
      sum += pieceBytes(each, at, end);
      at = end;
      yield sum;
    }
  }
  function* list(items: readonly unknown[]): Generator<number, void> {
    sum += items.length === 0 ? 2 : 1 + items.length;
    for (const item of items) {
      // Saves a generator for each of many short texts.
      if (typeof item === 'string' && item.length + CHARACTERS_A_VALUE < left) {
        left -= item.length + CHARACTERS_A_VALUE;
        sum += jsonTextBytes(item);
      } else yield* measure(item === undefined ? null : item);
    }
  }
  function* members(object: object): Generator<number, void> {
    let count = 0;
    for (const [name, member] of Object.entries(object)) {
      if (member === undefined) continue;
      count++;
      left -= name.length;
      sum += jsonTextBytes(name) + 2;
      yield* measure(member);
    }
    sum += count === 0 ? 2 : 1;
  }
  yield* measure(value);
  return sum;
}

function pieceBytes(text: string, from: number, end: number): number {
  const piece = from === 0 && end === text.length ? text : text.slice(from, end);
  const escapes = piece.length < SHORT || !isWellFormed(piece) ? undefined : escapesFor(piece);
  return escapes?.measure(piece) ?? bytesByCharacter(piece);
}

function bytesByCharacter(text: string): number {
  let sum = Buffer.byteLength(text);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 128) sum += EXTRA[code]!;
    else if ((code & 0xf800) === 0xd800) {
      if (isPair(code, text.charCodeAt(i + 1))) i++;
      else sum += HALF_EXTRA;
    }
  }
  return sum;
}

function isPair(first: number, second: number): boolean {
  return isFirstHalf(first) && second >= 0xdc00 && second <= 0xdfff;
}
