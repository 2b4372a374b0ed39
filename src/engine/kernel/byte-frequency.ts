/** How often bytes occur in source text. The planner looks for what is rare. */

/**
 * One letter for each ASCII code: `a` would be a byte that is everywhere, and each further letter stands for half the
 * frequency. Counted in 128 MB of source text.
 */
const ASCII =
  'zzzzzzzzzifztzzzzzzzzzzzzzztzzzzdliimnkiggglghhhhijjkjklkjiikikll' +
  'hihigiijhljhihhhlhghijkikmkkkmfkfhfgeghgfkhghffgkffegiiihkjkjnz';
const HIGH = 12;

/** How rare a byte is, in bits: 4 is one byte in sixteen, 20 is one in a million. */
export function rarityOf(byte: number): number {
  return byte < 128 ? ASCII.charCodeAt(byte) - 97 : HIGH;
}

/** The share of all bytes that have this value. */
function frequencyOf(byte: number): number {
  return 2 ** -rarityOf(byte);
}

/** Lower-case letters, capitals, digits, blanks, other ASCII characters, bytes beyond ASCII. */
const KINDS = [/[a-z]/, /[A-Z]/, /[0-9]/, /[ \t]/, /[\x00-\x7f]/, /[\x80-\xff]/];
const FREQUENCIES = Array.from({ length: 256 }, (_, byte) => frequencyOf(byte));
const KIND_OF = FREQUENCIES.map((_, byte) => KINDS.findIndex((kind) => kind.test(String.fromCharCode(byte))));
/** How often a byte of each kind is followed by one of each kind. Counted in 60 MB of source text. */
const FOLLOWS = [
  [0.777, 0.049, 0.004, 0.078, 0.092, 0.001],
  [0.308, 0.506, 0.012, 0.008, 0.166, 0.001],
  [0.115, 0.114, 0.442, 0.043, 0.286, 0.001],
  [0.223, 0.047, 0.007, 0.567, 0.154, 0.002],
  [0.218, 0.126, 0.018, 0.252, 0.383, 0.003],
  [0.01, 0.001, 0.001, 0.038, 0.043, 0.907],
];

/** A set of byte values: 1 at the index of each member. */
export type ByteClass = Uint8Array;

/** The share of all bytes that belong to the class. */
export function classFrequency(bytes: ByteClass): number {
  return Math.min(1, sum(frequenciesByKind(bytes)));
}

/**
 * The share of the bytes after one of `previous` that belong to the class. Bytes of one kind depend on each other, as
 * the letters of a word do: the square root makes a part of a kind more frequent than it is by itself.
 */
export function frequencyAfter(previous: ByteClass, bytes: ByteClass): number {
  const before = frequenciesByKind(previous);
  const parts = frequenciesByKind(bytes).map((frequency, kind) => Math.sqrt(frequency / WHOLE[kind]!));
  const all = sum(before);
  if (all === 0) return 0;
  return sum(
    before.map((frequency, kind) => (frequency / all) * sum(FOLLOWS[kind]!.map((own, k) => own * parts[k]!))),
  );
}

const WHOLE = frequenciesByKind(new Uint8Array(256).fill(1));

function frequenciesByKind(bytes: ByteClass): number[] {
  const frequencies = KINDS.map(() => 0);
  for (let byte = 0; byte < 256; byte++) if (bytes[byte]) frequencies[KIND_OF[byte]!]! += FREQUENCIES[byte]!;
  return frequencies;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
