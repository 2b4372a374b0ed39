/**
 * The SIMD scan behind content search, in AssemblyScript: built by scripts/build-kernel.mjs.
 *
 * The scan only proposes candidates: a place that it reports may or may not be a match, but it skips no line that has a
 * match. It reads and ignores up to SLACK bytes beyond `end`, so the memory must extend that far.
 */

import { countByte, lower, memchr, memrchr, nonAscii } from './bytes';
import {
  ALLOWED,
  ALSO_BUCKETS,
  ALSO_PAIRS,
  BUCKETS,
  FOUND,
  NIBBLES,
  PAIRS,
  SCRATCH,
} from './memory';
import { forgetWord, isRepeatedAt, setRepeat } from './repeat';
import { addToSignature, beginSignature, endSignature, markOf } from './signature';

export { addToSignature, beginSignature, countByte, endSignature, markOf, memchr, memrchr, nonAscii };

const PAIR_BYTES: usize = 80;

const ONE = 0;
const FEW = 1;
const SET = 2;
const WINDOW = 3;
const RUN = 4;
const REPEAT = 5;

let mode: i32 = ONE;
let fold: bool = false;
let buckets: u32 = 0;
let also: u32 = 0;
let windowLength: u32 = 0;
let windowAt0: usize = 0;
let windowAt1: usize = 0;
let windowAt2: usize = 0;
let runLength: usize = 0;

/** From now on, find one to four literals, each by its two rarest bytes. */
export function usePairs(count: i32, ignoreCase: i32): void {
  mode = count == 1 ? ONE : FEW;
  buckets = count;
  fold = ignoreCase != 0;
}

/** From now on, a line must contain these literals besides the candidate. Each is found by its two rarest bytes. */
export function useAlso(count: i32): void {
  also = count;
}

/** From now on, find up to eight literals, each by three of its bytes. */
export function useSet(count: i32, ignoreCase: i32): void {
  mode = SET;
  buckets = count;
  fold = ignoreCase != 0;
}

/** From now on, find a window of byte classes, by three of its positions. */
export function useWindow(length: i32, at0: i32, at1: i32, at2: i32): void {
  mode = WINDOW;
  windowLength = length;
  windowAt0 = at0;
  windowAt1 = at1;
  windowAt2 = at2;
}

/** From now on, find a window as in `useWindow` in which a text occurs for the second time: see repeat.ts. */
export function useRepeat(lead: i32, least: i32, gap: i32, fromWord: i32, toWord: i32, ignoreCase: i32): void {
  mode = REPEAT;
  setRepeat(lead, least, gap, fromWord != 0, toWord != 0, ignoreCase != 0);
}

/** From now on, find this many adjacent bytes of one class. */
export function useRun(length: i32): void {
  mode = RUN;
  runLength = length;
}

/** Where the next candidate starts in [from, end), or 0. */
export function find(from: usize, end: usize): usize {
  if (mode == ONE) return findOne(from, end, BUCKETS, PAIRS);
  if (mode == FEW) return buckets == 2 ? findTwo(from, end) : findFour(from, end);
  if (mode == SET) return findSet(from, end);
  if (mode == RUN) return findRun(from, end);
  return findWindow(from, end);
}

/**
 * Finds the next line with a candidate; `from` must be the start of a line. False when there is none. Otherwise FOUND
 * has the start of the line, its end (its newline, or `end`), the number of newlines before it, whether it is ASCII,
 * and where the candidate is.
 */
export function nextLine(from: usize, end: usize): bool {
  let at = from;
  while (at < end) {
    const hit = find(at, end);
    if (hit == 0) return false;
    const start = memrchr(at, hit, 10) + 1;
    const stop = memchr(hit, end, 10);
    if (holdsAlso(start, stop)) {
      store<u32>(FOUND, <u32>start);
      store<u32>(FOUND + 4, <u32>stop);
      store<u32>(FOUND + 8, countByte(from, start, 10));
      store<u32>(FOUND + 12, nonAscii(start, stop) ? 0 : 1);
      store<u32>(FOUND + 16, <u32>hit);
      return true;
    }
    at = stop + 1;
  }
  return false;
}

function holdsAlso(start: usize, stop: usize): bool {
  for (let k: u32 = 0; k < also; k++) {
    if (findOne(start, stop, ALSO_BUCKETS + k * 12, ALSO_PAIRS + k * PAIR_BYTES) == 0) return false;
  }
  return true;
}

/** How many lines of [from, end) have a candidate. */
export function countLines(from: usize, end: usize): u32 {
  let count: u32 = 0;
  let at = from;
  while (at < end) {
    const hit = find(at, end);
    if (hit == 0) break;
    count++;
    at = memchr(hit, end, 10) + 1;
  }
  return count;
}

function findOne(from: usize, end: usize, bucket: usize, marks: usize): usize {
  const literal: usize = load<u32>(bucket);
  const length: usize = load<u32>(bucket + 4);
  if (end < from + length) return 0;
  const last = end - length;
  const one = v128.load(marks), two = v128.load(marks + 16);
  const oneCase = v128.load(marks + 32), twoCase = v128.load(marks + 48);
  const at1: usize = load<u32>(marks + 64), at2: usize = load<u32>(marks + 68);
  for (let p = from; p <= last; p += 32) {
    const a = pair(p, at1, at2, one, two, oneCase, twoCase);
    const b = pair(p + 16, at1, at2, one, two, oneCase, twoCase);
    if (!v128.any_true(v128.or(a, b))) continue;
    let mask = <u32>i8x16.bitmask(a) | (<u32>i8x16.bitmask(b) << 16);
    while (mask) {
      const s = p + ctz(mask);
      mask &= mask - 1;
      if (s > last) return 0;
      if (isLiteralAt(literal, length, s)) return s;
    }
  }
  return 0;
}

function findTwo(from: usize, end: usize): usize {
  const one0 = v128.load(PAIRS), two0 = v128.load(PAIRS + 16);
  const oneCase0 = v128.load(PAIRS + 32), twoCase0 = v128.load(PAIRS + 48);
  const at10: usize = load<u32>(PAIRS + 64), at20: usize = load<u32>(PAIRS + 68);
  const q = PAIRS + PAIR_BYTES;
  const one1 = v128.load(q), two1 = v128.load(q + 16);
  const oneCase1 = v128.load(q + 32), twoCase1 = v128.load(q + 48);
  const at11: usize = load<u32>(q + 64), at21: usize = load<u32>(q + 68);
  for (let p = from; p < end; p += 16) {
    const a = pair(p, at10, at20, one0, two0, oneCase0, twoCase0);
    const b = pair(p, at11, at21, one1, two1, oneCase1, twoCase1);
    if (!v128.any_true(v128.or(a, b))) continue;
    const s = firstOf(p, end, <u32>i8x16.bitmask(a), <u32>i8x16.bitmask(b), 0, 0);
    if (s) return s;
  }
  return 0;
}

/** Three or four literals whose case matters. */
function findFour(from: usize, end: usize): usize {
  const one0 = v128.load(PAIRS), two0 = v128.load(PAIRS + 16);
  const at10: usize = load<u32>(PAIRS + 64), at20: usize = load<u32>(PAIRS + 68);
  const q = PAIRS + PAIR_BYTES;
  const one1 = v128.load(q), two1 = v128.load(q + 16);
  const at11: usize = load<u32>(q + 64), at21: usize = load<u32>(q + 68);
  const r = q + PAIR_BYTES;
  const one2 = v128.load(r), two2 = v128.load(r + 16);
  const at12: usize = load<u32>(r + 64), at22: usize = load<u32>(r + 68);
  const t = r + PAIR_BYTES;
  const one3 = v128.load(t), two3 = v128.load(t + 16);
  const at13: usize = load<u32>(t + 64), at23: usize = load<u32>(t + 68);
  if (buckets == 3) {
    for (let p = from; p < end; p += 16) {
      const a = exactPair(p, at10, at20, one0, two0);
      const b = exactPair(p, at11, at21, one1, two1);
      const c = exactPair(p, at12, at22, one2, two2);
      if (!v128.any_true(v128.or(v128.or(a, b), c))) continue;
      const s = firstOf(p, end, <u32>i8x16.bitmask(a), <u32>i8x16.bitmask(b), <u32>i8x16.bitmask(c), 0);
      if (s) return s;
    }
    return 0;
  }
  for (let p = from; p < end; p += 16) {
    const a = exactPair(p, at10, at20, one0, two0);
    const b = exactPair(p, at11, at21, one1, two1);
    const c = exactPair(p, at12, at22, one2, two2);
    const d = exactPair(p, at13, at23, one3, two3);
    if (!v128.any_true(v128.or(v128.or(a, b), v128.or(c, d)))) continue;
    const s = firstOf(
      p,
      end,
      <u32>i8x16.bitmask(a),
      <u32>i8x16.bitmask(b),
      <u32>i8x16.bitmask(c),
      <u32>i8x16.bitmask(d),
    );
    if (s) return s;
  }
  return 0;
}

@inline
function exactPair(p: usize, at1: usize, at2: usize, one: v128, two: v128): v128 {
  return v128.and(i8x16.eq(v128.load(p + at1), one), i8x16.eq(v128.load(p + at2), two));
}

@inline
function pair(p: usize, at1: usize, at2: usize, one: v128, two: v128, oneCase: v128, twoCase: v128): v128 {
  return v128.and(
    i8x16.eq(v128.or(v128.load(p + at1), oneCase), one),
    i8x16.eq(v128.or(v128.load(p + at2), twoCase), two),
  );
}

/** The first of sixteen places where a literal is, or 0. The masks have the places where its two bytes were found. */
function firstOf(p: usize, end: usize, a: u32, b: u32, c: u32, d: u32): usize {
  let mask = a | b | c | d;
  while (mask) {
    const i = ctz(mask);
    mask &= mask - 1;
    const s = p + i;
    if (((a >> i) & 1) && isBucketAt(0, s, end)) return s;
    if (((b >> i) & 1) && isBucketAt(1, s, end)) return s;
    if (((c >> i) & 1) && isBucketAt(2, s, end)) return s;
    if (((d >> i) & 1) && isBucketAt(3, s, end)) return s;
  }
  return 0;
}

function isBucketAt(bucket: u32, at: usize, end: usize): bool {
  const literal: usize = load<u32>(BUCKETS + bucket * 12);
  const length: usize = load<u32>(BUCKETS + bucket * 12 + 4);
  return at + length <= end && isLiteralAt(literal, length, at);
}

function findSet(from: usize, end: usize): usize {
  const lo0 = v128.load(NIBBLES), hi0 = v128.load(NIBBLES + 16);
  const lo1 = v128.load(NIBBLES + 32), hi1 = v128.load(NIBBLES + 48);
  const lo2 = v128.load(NIBBLES + 64), hi2 = v128.load(NIBBLES + 80);
  const low = i8x16.splat(15);
  for (let p = from; p < end; p += 16) {
    const v0 = v128.load(p), v1 = v128.load(p + 1), v2 = v128.load(p + 2);
    const bits = v128.and(
      v128.and(nibbles(v0, lo0, hi0, low), nibbles(v1, lo1, hi1, low)),
      nibbles(v2, lo2, hi2, low),
    );
    if (!v128.any_true(bits)) continue;
    let mask = <u32>i8x16.bitmask(i8x16.ne(bits, i8x16.splat(0)));
    v128.store(SCRATCH, bits);
    while (mask) {
      const i = ctz(mask);
      mask &= mask - 1;
      if (p + i >= end) return 0;
      const s = findInBuckets(p + i, from, end, load<u8>(SCRATCH + i));
      if (s) return s;
    }
  }
  return 0;
}

function findWindow(from: usize, end: usize): usize {
  const length: usize = windowLength;
  if (end < from + length) return 0;
  const last = end - length;
  const lo0 = v128.load(NIBBLES), hi0 = v128.load(NIBBLES + 16);
  const lo1 = v128.load(NIBBLES + 32), hi1 = v128.load(NIBBLES + 48);
  const lo2 = v128.load(NIBBLES + 64), hi2 = v128.load(NIBBLES + 80);
  const low = i8x16.splat(15);
  const none = i8x16.splat(0);
  const at0 = windowAt0, at1 = windowAt1, at2 = windowAt2;
  forgetWord();
  for (let p = from; p <= last; p += 16) {
    // The eight bits of a table are rows of one class, not literals: any of them is enough at each position.
    const here = v128.and(
      v128.and(
        i8x16.ne(nibbles(v128.load(p + at0), lo0, hi0, low), none),
        i8x16.ne(nibbles(v128.load(p + at1), lo1, hi1, low), none),
      ),
      i8x16.ne(nibbles(v128.load(p + at2), lo2, hi2, low), none),
    );
    let mask = <u32>i8x16.bitmask(here);
    while (mask) {
      const s = p + ctz(mask);
      mask &= mask - 1;
      if (s > last) return 0;
      if (isWindowAt(s, length) && (mode == WINDOW || isRepeatedAt(s, end))) return s;
    }
  }
  return 0;
}

/** Checks the last byte of a run first: if that is of another class, the whole run is skipped. */
function findRun(from: usize, end: usize): usize {
  const length = runLength;
  let p = from;
  // All bytes from p up to here are known to be of the class.
  let known = from;
  while (p + length <= end) {
    let q = p + length - 1;
    while (q >= known && load<u32>(ALLOWED + (<usize>load<u8>(q)) * 4)) q--;
    if (q < known) return p;
    known = p + length;
    p = q + 1;
  }
  return 0;
}

@inline
function nibbles(bytes: v128, lo: v128, hi: v128, low: v128): v128 {
  return v128.and(i8x16.swizzle(lo, v128.and(bytes, low)), i8x16.swizzle(hi, v128.and(i16x8.shr_u(bytes, 4), low)));
}

function isLiteralAt(literal: usize, length: usize, at: usize): bool {
  if (fold) {
    for (let k: usize = 0; k < length; k++) {
      if (lower(load<u8>(at + k)) != load<u8>(literal + k)) return false;
    }
    return true;
  }
  for (let k: usize = 0; k < length; k++) {
    if (load<u8>(at + k) != load<u8>(literal + k)) return false;
  }
  return true;
}

function findInBuckets(hit: usize, from: usize, end: usize, bits: u32): usize {
  for (let b: u32 = 0; b < buckets; b++) {
    if (!((bits >> b) & 1)) continue;
    const literal: usize = load<u32>(BUCKETS + b * 12);
    const length: usize = load<u32>(BUCKETS + b * 12 + 4);
    const offset: usize = load<u32>(BUCKETS + b * 12 + 8);
    if (hit < from + offset) continue;
    const s = hit - offset;
    if (s + length <= end && isLiteralAt(literal, length, s)) return s;
  }
  return 0;
}

function isWindowAt(at: usize, length: usize): bool {
  for (let k: usize = 0; k < length; k++) {
    if (!((load<u32>(ALLOWED + (<usize>load<u8>(at + k)) * 4) >> (<u32>k)) & 1)) return false;
  }
  return true;
}

/** Skips `lines` newlines. Returns the place after the last of them; or 0, and FOUND has how many are missing. */
export function skipLines(from: usize, end: usize, lines: u32): usize {
  let left = lines;
  let p = from;
  if (left == 0) return from;
  for (; p + 4096 <= end; p += 4096) {
    const here = countByte(p, p + 4096, 10);
    if (here >= left) break;
    left -= here;
  }
  while (p < end) {
    const at = memchr(p, end, 10);
    if (at == end) break;
    p = at + 1;
    if (--left == 0) return p;
  }
  store<u32>(FOUND, left);
  return 0;
}
