/** Finds and counts single bytes, sixteen at a time. Part of the kernel, see scan.ts. */

/** Sums matches in vectors, at most 255 rounds at a time: each of the sixteen counters is a byte. */
export function countByte(from: usize, end: usize, byte: i32): u32 {
  const wanted = i8x16.splat(<i8>byte);
  let count: u32 = 0;
  let p = from;
  while (p + 16 <= end) {
    const rounds = min<usize>((end - p) >> 4, 255);
    const stop = p + (rounds << 4);
    let sums = i8x16.splat(0);
    for (; p < stop; p += 16) sums = i8x16.sub(sums, i8x16.eq(v128.load(p), wanted));
    const pairs = i16x8.extadd_pairwise_i8x16_u(sums);
    const fours = i32x4.extadd_pairwise_i16x8_u(pairs);
    count += i32x4.extract_lane(fours, 0) + i32x4.extract_lane(fours, 1);
    count += i32x4.extract_lane(fours, 2) + i32x4.extract_lane(fours, 3);
  }
  for (; p < end; p++) if (load<u8>(p) == <u8>byte) count++;
  return count;
}

/** The first place of `byte` in [from, end), or `end`. */
export function memchr(from: usize, end: usize, byte: i32): usize {
  const wanted = i8x16.splat(<i8>byte);
  let p = from;
  for (; p + 16 <= end; p += 16) {
    const mask = <u32>i8x16.bitmask(i8x16.eq(v128.load(p), wanted));
    if (mask) return p + ctz(mask);
  }
  for (; p < end; p++) if (load<u8>(p) == <u8>byte) return p;
  return end;
}

/** The last place of `byte` in [from, end), or `from - 1`. */
export function memrchr(from: usize, end: usize, byte: i32): usize {
  const wanted = i8x16.splat(<i8>byte);
  let p = end;
  for (; p >= from + 16; p -= 16) {
    const mask = <u32>i8x16.bitmask(i8x16.eq(v128.load(p - 16), wanted));
    if (mask) return p - 16 + (31 - clz(mask));
  }
  while (p > from) {
    p--;
    if (load<u8>(p) == <u8>byte) return p;
  }
  return from - 1;
}

/** Whether `\w` matches the byte. */
export function isWordByte(byte: u8): bool {
  const folded = byte | 0x20;
  return (folded >= 97 && folded <= 122) || (byte >= 48 && byte <= 57) || byte == 95;
}

export function nonAscii(from: usize, end: usize): bool {
  let p = from;
  for (; p + 16 <= end; p += 16) if (i8x16.bitmask(v128.load(p))) return true;
  for (; p < end; p++) if (load<u8>(p) > 127) return true;
  return false;
}

@inline
export function lower(c: u8): u8 {
  return c >= 65 && c <= 90 ? c | 32 : c;
}
