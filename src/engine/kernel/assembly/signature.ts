/**
 * Makes a signature: the set of all texts of three bytes in a text, as bits. Part of the kernel, see scan.ts.
 *
 * A text whose signature lacks a bit of a literal does not contain the literal. The case of ASCII letters is ignored.
 */

import { lower } from './bytes';
import { MARKS, SIGNATURE } from './memory';

const FIRST: i16 = <i16>0x9e37;
const SECOND: i16 = <i16>0x85eb;
const THIRD: i16 = <i16>0xc2b3;

/** How many of the lower bits of a mark the signature does not use. */
let shift: i32 = 0;

/** The mark of three bytes: a hash of 16 bits. A smaller signature uses its upper bits, which mix all bytes best. */
export function markOf(first: i32, second: i32, third: i32): i32 {
  const sum =
    <i32>lower(<u8>first) * FIRST + <i32>lower(<u8>second) * SECOND + <i32>lower(<u8>third) * THIRD;
  return sum & 0xffff;
}

/** Begins a signature of 2^`bits` bits, from 4 to 16. */
export function beginSignature(bits: i32): void {
  shift = 16 - bits;
  memory.fill(MARKS, 0, <usize>1 << bits);
}

/** Adds all texts of three bytes in [from, end). The pieces of a text must overlap by two bytes. */
export function addToSignature(from: usize, end: usize): void {
  let p = from;
  for (; p + 18 <= end; p += 16) {
    const a = folded(v128.load(p)), b = folded(v128.load(p + 1)), c = folded(v128.load(p + 2));
    setMarks(
      i16x8.extend_low_i8x16_u(a),
      i16x8.extend_low_i8x16_u(b),
      i16x8.extend_low_i8x16_u(c),
    );
    setMarks(
      i16x8.extend_high_i8x16_u(a),
      i16x8.extend_high_i8x16_u(b),
      i16x8.extend_high_i8x16_u(c),
    );
  }
  for (; p + 3 <= end; p++) {
    store<u8>(MARKS + (markOf(load<u8>(p), load<u8>(p + 1), load<u8>(p + 2)) >> shift), 1);
  }
}

/** Writes the signature to SIGNATURE. */
export function endSignature(): void {
  const none = i8x16.splat(0);
  for (let at: usize = 0; at < <usize>1 << (16 - shift); at += 16) {
    store<u16>(SIGNATURE + (at >> 3), <u16>i8x16.bitmask(i8x16.ne(v128.load(MARKS + at), none)));
  }
}

@inline
function folded(text: v128): v128 {
  const isUpper = v128.and(i8x16.gt_s(text, i8x16.splat(64)), i8x16.lt_s(text, i8x16.splat(91)));
  return v128.or(text, v128.and(isUpper, i8x16.splat(32)));
}

@inline
function setMarks(a: v128, b: v128, c: v128): void {
  const sums = i16x8.add(
    i16x8.add(i16x8.mul(a, i16x8.splat(FIRST)), i16x8.mul(b, i16x8.splat(SECOND))),
    i16x8.mul(c, i16x8.splat(THIRD)),
  );
  const marks = i16x8.shr_u(sums, shift);
  setFour(<u64>i64x2.extract_lane(marks, 0));
  setFour(<u64>i64x2.extract_lane(marks, 1));
}

@inline
function setFour(marks: u64): void {
  store<u8>(MARKS + (<usize>marks & 0xffff), 1);
  store<u8>(MARKS + (<usize>(marks >> 16) & 0xffff), 1);
  store<u8>(MARKS + (<usize>(marks >> 32) & 0xffff), 1);
  store<u8>(MARKS + <usize>(marks >> 48), 1);
}
