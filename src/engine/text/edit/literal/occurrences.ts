/** Finds where a literal text occurs in another, exactly or ignoring case. */
import { linearSearch } from './linear-search.ts';

/** A growing list that takes four bytes for each position. */
class Positions {
  #kept = new Uint32Array(1024);
  #length = 0;

  push(at: number): void {
    if (this.#length === this.#kept.length) {
      const more = new Uint32Array(2 * this.#length);
      more.set(this.#kept);
      this.#kept = more;
    }
    this.#kept[this.#length++] = at;
  }

  get length(): number {
    return this.#length;
  }

  get all(): Uint32Array {
    return this.#kept.subarray(0, this.#length);
  }
}

/** Half of a character beyond U+FFFF without the other half. No UTF-8 text contains one. */
const LONE_SURROGATE = /[\uD800-\uDFFF]/u;

export function hasLoneSurrogate(text: string): boolean {
  return LONE_SURROGATE.test(text);
}

/** The positions where the needle occurs, in ascending order and not overlapping. Stops at `most`, or later. */
export function occurrences(
  text: string,
  needle: string,
  ignoreCase: boolean,
  from = 0,
  most = Number.POSITIVE_INFINITY,
): Uint32Array {
  // Half a character would be found inside a whole one, and a change there would tear that apart.
  if (needle === '' || hasLoneSurrogate(needle)) return new Uint32Array();
  return ignoreCase ? search(foldCase(text), foldCase(needle), from, most) : search(text, needle, from, most);
}

/**
 * The built-in search is by far the quickest, but in repetitive text its time grows with the product of both lengths.
 * Up to this product it stays below a second.
 */
export const QUICK_PRODUCT = 2 ** 31;

function search(text: string, needle: string, from: number, most: number): Uint32Array {
  if (text.length * needle.length > QUICK_PRODUCT) {
    return Uint32Array.from(linearSearch(unitsOf(text, from), unitsOf(needle, 0), false), (at) => at + from);
  }
  const found = new Positions();
  const step = needle.length;
  let at = text.indexOf(needle, from);
  for (; at >= 0 && found.length < most; at = text.indexOf(needle, at + step)) found.push(at);
  return found.all;
}

function unitsOf(text: string, from: number): Uint16Array {
  const units = new Uint16Array(text.length - from);
  for (let at = 0; at < units.length; at++) units[at] = text.charCodeAt(at + from);
  return units;
}

let folding: Uint16Array | undefined;

/** Folds code units one by one, as a regular expression with the flag `i` does: positions stay the same. */
function foldCase(text: string): string {
  folding ??= Uint16Array.from({ length: 0x10000 }, (_, unit) => foldUnit(unit));
  const units = unitsOf(text, 0);
  for (let at = 0; at < units.length; at++) units[at] = folding[units[at]!]!;
  return fromUnits(units);
}

function foldUnit(unit: number): number {
  const upper = String.fromCharCode(unit).toUpperCase();
  if (upper.length !== 1) return unit;
  const folded = upper.charCodeAt(0);
  return unit >= 128 && folded < 128 ? unit : folded;
}

const UNITS_AT_ONCE = 8192;

function fromUnits(units: Uint16Array): string {
  const parts: string[] = [];
  for (let at = 0; at < units.length; at += UNITS_AT_ONCE) {
    parts.push(String.fromCharCode(...units.subarray(at, at + UNITS_AT_ONCE)));
  }
  return parts.join('');
}
