/**
 * Escapes UTF-8 text for a JSON string, and measures how long the escapes are, in AssemblyScript: built by
 * scripts/build-kernel.mjs.
 *
 * It reads sixteen bytes at a time. It reads and writes up to SLACK bytes beyond the end, so the memory must extend that
 * far.
 */

const FIRST_PRINTABLE: u8 = 0x20;
const QUOTE: u8 = 0x22;
const BACKSLASH: u8 = 0x5c;
const ZERO: u8 = 0x30;
const BACKSPACE: u8 = 0x08;
const VERTICAL_TAB: u8 = 0x0b;
const CARRIAGE_RETURN: u8 = 0x0d;
const LETTER_A: u8 = 0x61;
const LETTER_U: u8 = 0x75;
const WIDTH: usize = 16;

/** The letter after the backslash for each control character; `u` for those without a letter of their own. */
const LETTERS = memory.data<u8>([
  0x75, 0x75, 0x75, 0x75, 0x75, 0x75, 0x75, 0x75, 0x62, 0x74, 0x6e, 0x75, 0x66, 0x72, 0x75, 0x75,
  0x75, 0x75, 0x75, 0x75, 0x75, 0x75, 0x75, 0x75, 0x75, 0x75, 0x75, 0x75, 0x75, 0x75, 0x75, 0x75,
]);

/** Writes [from, end) with escapes at `to`, and returns the end of what it wrote. */
export function addEscapes(from: usize, end: usize, to: usize): usize {
  const printable = i8x16.splat(FIRST_PRINTABLE);
  const quotes = i8x16.splat(QUOTE);
  const backslashes = i8x16.splat(BACKSLASH);
  let at = from;
  let out = to;
  while (at < end) {
    const bytes = v128.load(at);
    v128.store(out, bytes);
    const isMark = v128.or(i8x16.eq(bytes, quotes), i8x16.eq(bytes, backslashes));
    let marks = i8x16.bitmask(v128.or(i8x16.lt_u(bytes, printable), isMark));
    const left = end - at;
    if (left < WIDTH) marks |= 1 << <i32>left;
    if (marks == 0) {
      at += WIDTH;
      out += WIDTH;
      continue;
    }
    const plain = <usize>ctz(marks);
    at += plain;
    out += plain;
    if (at < end) out = escapeOne(load<u8>(at++), out);
  }
  return out;
}

@inline
function escapeOne(byte: u8, out: usize): usize {
  const letter = byte < FIRST_PRINTABLE ? load<u8>(LETTERS + byte) : byte;
  store<u8>(out, BACKSLASH);
  store<u8>(out + 1, letter);
  if (letter != LETTER_U || byte >= FIRST_PRINTABLE) return out + 2;
  store<u8>(out + 2, ZERO);
  store<u8>(out + 3, ZERO);
  store<u8>(out + 4, ZERO + (byte >> 4));
  const low = byte & 15;
  store<u8>(out + 5, low < 10 ? ZERO + low : LETTER_A + low - 10);
  return out + 6;
}

/** How many bytes the escapes of [from, end) take beyond the text itself. */
export function escapeBytes(from: usize, end: usize): u32 {
  let sum: u32 = 0;
  for (let at = from; at < end; at += WIDTH) {
    const bytes = v128.load(at);
    const left = end - at;
    const inside: i32 = left < WIDTH ? (1 << <i32>left) - 1 : 0xffff;
    const isControl = i8x16.lt_u(bytes, i8x16.splat(FIRST_PRINTABLE));
    const isMark = v128.or(i8x16.eq(bytes, i8x16.splat(QUOTE)), i8x16.eq(bytes, i8x16.splat(BACKSLASH)));
    sum += <u32>popcnt(i8x16.bitmask(v128.or(isControl, isMark)) & inside);
    const controls = i8x16.bitmask(isControl) & inside;
    if (controls != 0) sum += 4 * <u32>popcnt(controls & longEscapes(bytes));
  }
  return sum;
}

/** Which of the control characters have no letter of their own. */
@inline
function longEscapes(bytes: v128): i32 {
  const isBefore = i8x16.lt_u(bytes, i8x16.splat(BACKSPACE));
  const isBehind = i8x16.gt_u(bytes, i8x16.splat(CARRIAGE_RETURN));
  return i8x16.bitmask(
    v128.or(v128.or(isBefore, isBehind), i8x16.eq(bytes, i8x16.splat(VERTICAL_TAB))),
  );
}
