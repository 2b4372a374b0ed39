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

/** Small letters, capitals, digits, blanks, signs, all beyond ASCII: each follows others in its own way. */
const KINDS = [/[a-z]/, /[A-Z]/, /[0-9]/, /[ \t]/, /[\x00-\x7f]/, /[\x80-\xff]/];
const SHARES = Array.from({ length: 256 }, (_, byte) => shareOf(byte));
const KIND_OF = SHARES.map((_, byte) => KINDS.findIndex((kind) => kind.test(String.fromCharCode(byte))));
/** How often a byte of each kind is followed by one of each kind. Counted on 60 MB. */
const FOLLOWS = [
  [0.777, 0.049, 0.004, 0.078, 0.092, 0.001],
  [0.308, 0.506, 0.012, 0.008, 0.166, 0.001],
  [0.115, 0.114, 0.442, 0.043, 0.286, 0.001],
  [0.223, 0.047, 0.007, 0.567, 0.154, 0.002],
  [0.218, 0.126, 0.018, 0.252, 0.383, 0.003],
  [0.01, 0.001, 0.001, 0.038, 0.043, 0.907],
];

/** A set of byte values: 1 for each that belongs to it. */
export type ByteClass = Uint8Array;

/** The share of bytes that belong to the class. */
export function shareOfClass(bytes: ByteClass): number {
  return Math.min(1, sum(sharesByKind(bytes)));
}

/**
 * The share of them among the bytes that follow one of `previous`. Within a kind bytes depend on each other,
 * as letters in a word do: a part of the kind is taken to be more frequent than it is by itself.
 */
export function shareAfter(previous: ByteClass, bytes: ByteClass): number {
  const before = sharesByKind(previous);
  const parts = sharesByKind(bytes).map((share, kind) => Math.sqrt(share / WHOLE[kind]!));
  const all = sum(before);
  if (all === 0) return 0;
  return sum(
    before.map((share, kind) => (share / all) * sum(FOLLOWS[kind]!.map((own, k) => own * parts[k]!))),
  );
}

const WHOLE = sharesByKind(new Uint8Array(256).fill(1));

function sharesByKind(bytes: ByteClass): number[] {
  const shares = KINDS.map(() => 0);
  for (let byte = 0; byte < 256; byte++) if (bytes[byte]) shares[KIND_OF[byte]!]! += SHARES[byte]!;
  return shares;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
