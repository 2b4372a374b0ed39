/** Where a literal text stands in another, exactly or whatever the case. */
import { linearSearch } from './linear-search.ts';

/** Half of a character beyond U+FFFF, alone: no UTF-8 text contains one. */
const LONE_SURROGATE = /[\uD800-\uDFFF]/u;

/** The positions where the needle stands, from the left, none overlapping the one before. */
export function occurrences(text: string, needle: string, ignoreCase: boolean, from = 0): number[] {
  // It would be found inside a whole character, and a change there would tear that apart.
  if (needle === '' || LONE_SURROGATE.test(needle)) return [];
  return ignoreCase ? search(foldCase(text), foldCase(needle), from) : search(text, needle, from);
}

/**
 * The built-in search is by far the quickest, but where much repeats its time grows with the product of both
 * lengths. Up to this product that stays below a second.
 */
const QUICK_PRODUCT = 2 ** 31;

function search(text: string, needle: string, from: number): number[] {
  if (text.length * needle.length > QUICK_PRODUCT) {
    return linearSearch(unitsOf(text, from), unitsOf(needle, 0), false).map((at) => at + from);
  }
  const found: number[] = [];
  const step = needle.length;
  for (let at = text.indexOf(needle, from); at >= 0; at = text.indexOf(needle, at + step)) found.push(at);
  return found;
}

function unitsOf(text: string, from: number): Uint16Array {
  const units = new Uint16Array(text.length - from);
  for (let at = 0; at < units.length; at++) units[at] = text.charCodeAt(at + from);
  return units;
}

let folding: Uint16Array | undefined;

/** One unit for one unit, as a regular expression with the flag `i` compares them: positions stay the same. */
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
