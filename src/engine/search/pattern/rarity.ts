/** How seldom a byte is seen in source text: the base for choosing what to look for first. */

/** One letter for each ASCII code: `a` is always, each letter further is half as often. Counted on 128 MB. */
const ASCII =
  'zzzzzzzzzifztzzzzzzzzzzzzzztzzzzdliimnkiggglghhhhijjkjklkjiikikll' +
  'hihigiijhljhihhhlhghijkikmkkkmfkfhfgeghgfkhghffgkffegiiihkjkjnz';
const HIGH = 12;

/** In bits: 4 is one byte in sixteen, 20 is one in a million. */
export function rarityOf(byte: number): number {
  return byte < 128 ? ASCII.charCodeAt(byte) - 97 : HIGH;
}

/** The share of bytes that are this one. */
export function shareOf(byte: number): number {
  return 2 ** -rarityOf(byte);
}
