/** Finds a sequence in a longer one in linear time, however repetitive they are. */

/**
 * The positions where `needle` occurs in `haystack`, in ascending order (Knuth, Morris and Pratt). With `overlapping`,
 * a place may begin inside the one before it.
 */
export function linearSearch(
  haystack: ArrayLike<number>,
  needle: ArrayLike<number>,
  overlapping: boolean,
): number[] {
  const found: number[] = [];
  if (needle.length === 0 || needle.length > haystack.length) return found;
  const borders = bordersOf(needle);
  let matched = 0;
  for (let at = 0; at < haystack.length; at++) {
    while (matched > 0 && haystack[at] !== needle[matched]) matched = borders[matched - 1]!;
    if (haystack[at] === needle[matched]) matched++;
    if (matched < needle.length) continue;
    found.push(at - matched + 1);
    matched = overlapping ? borders[matched - 1]! : 0;
  }
  return found;
}

/** For each prefix of the needle, the length of the longest shorter prefix that it also ends with. */
function bordersOf(needle: ArrayLike<number>): Uint32Array {
  const borders = new Uint32Array(needle.length);
  let length = 0;
  for (let at = 1; at < needle.length; at++) {
    while (length > 0 && needle[at] !== needle[length]) length = borders[length - 1]!;
    if (needle[at] === needle[length]) length++;
    borders[at] = length;
  }
  return borders;
}
