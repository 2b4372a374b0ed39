/** Writes what the scan looks for into the kernel's memory, and chooses how it scans. */
import { rarityOf } from './byte-frequency.ts';
import type { LiteralFilter, Prefilter, RepeatFilter, RunFilter, WindowFilter } from './prefilter.ts';

/** The scan has this many buckets, one for each literal. */
export const MAX_LITERALS = 8;
/** The scan looks only for the beginning of a longer literal. */
export const MAX_LITERAL_BYTES = 64;
export const MAX_WINDOW = 32;
export const MAX_ALSO_REQUIRED = 2;
/** For up to this many literals the scan looks for two bytes of each; for more, it looks up three bytes in tables. */
const MAX_PAIRS = 4;
const MAX_FOLDED_PAIRS = 2;

// Addresses in the kernel's memory, as in assembly/memory.ts.
const NIBBLES = 0;
const BUCKETS = 128;
/** How much of the tables is cleared before a filter is written. */
const CLEARED_BYTES = 256;
const PAIRS = 320;
const PAIR_BYTES = 80;
const ALSO_PAIRS = 640;
const ALSO_BUCKETS = 800;
const ALLOWED = 1024;
const LITERALS = 2048;

const CASE_BIT = 0x20;

export interface FilterExports {
  usePairs(count: number, fold: number): void;
  useAlso(count: number): void;
  useSet(count: number, fold: number): void;
  useWindow(length: number, at0: number, at1: number, at2: number): void;
  useRun(length: number): void;
  useRepeat(...numbers: readonly [lead: number, least: number, gap: number, ...flags: number[]]): void;
}

export class FilterTables {
  readonly #bytes: Buffer;
  readonly #exports: FilterExports;

  /** `bytes` is the kernel's whole memory. */
  constructor(bytes: Buffer, exports: FilterExports) {
    this.#bytes = bytes;
    this.#exports = exports;
  }

  use(filter: Prefilter): void {
    this.#bytes.fill(0, 0, CLEARED_BYTES);
    this.#exports.useAlso(0);
    if (filter.kind === 'window') this.#useWindow(filter);
    else if (filter.kind === 'repeat') this.#useRepeat(filter);
    else if (filter.kind === 'run') this.#useRun(filter);
    else this.#useLiterals(filter);
  }

  #useLiterals({ literals, ignoreCase, alsoRequired = [] }: LiteralFilter): void {
    if (literals.length === 0 || literals.length > MAX_LITERALS || alsoRequired.length > MAX_ALSO_REQUIRED) {
      throw new Error('bad number of literals');
    }
    literals.forEach((literal, bucket) => {
      const at = rarestThree(literal);
      this.#store(literal, LITERALS + bucket * MAX_LITERAL_BYTES, BUCKETS + bucket * 12, at);
      this.#markLiteral(literal, at, bucket, ignoreCase);
      if (bucket < MAX_PAIRS) this.#markPair(literal, PAIRS + bucket * PAIR_BYTES, ignoreCase);
    });
    alsoRequired.forEach((literal, index) => {
      const address = LITERALS + (MAX_LITERALS + index) * MAX_LITERAL_BYTES;
      this.#store(literal, address, ALSO_BUCKETS + index * 12, 0);
      this.#markPair(literal, ALSO_PAIRS + index * PAIR_BYTES, ignoreCase);
    });
    const inPairs = literals.length <= (ignoreCase ? MAX_FOLDED_PAIRS : MAX_PAIRS);
    if (inPairs) this.#exports.usePairs(literals.length, ignoreCase ? 1 : 0);
    else this.#exports.useSet(literals.length, ignoreCase ? 1 : 0);
    this.#exports.useAlso(alsoRequired.length);
  }

  #store(literal: string, address: number, bucket: number, offset: number): void {
    if (literal.length === 0 || literal.length > MAX_LITERAL_BYTES) throw new Error('bad literal');
    this.#bytes.write(literal, address, 'latin1');
    this.#bytes.writeUInt32LE(address, bucket);
    this.#bytes.writeUInt32LE(literal.length, bucket + 4);
    this.#bytes.writeUInt32LE(offset, bucket + 8);
  }

  /** Writes the literal's two rarest bytes, and their offsets. */
  #markPair(literal: string, address: number, ignoreCase: boolean): void {
    const byRarity = [...literal]
      .map((_, index) => index)
      .sort((a, b) => rarity(literal, b) - rarity(literal, a));
    const first = byRarity[0]!;
    const second = byRarity.find((index) => literal[index] !== literal[first]) ?? byRarity[1] ?? first;
    [first, second].forEach((index, which) => {
      const byte = literal.charCodeAt(index);
      const caseBit = ignoreCase && isLower(byte) ? CASE_BIT : 0;
      this.#bytes.fill(byte, address + which * 16, address + which * 16 + 16);
      this.#bytes.fill(caseBit, address + 32 + which * 16, address + 48 + which * 16);
      this.#bytes.writeUInt32LE(index, address + 64 + which * 4);
    });
  }

  /** Sets the literal's bit in the tables of its three bytes. Beyond the end of a short literal, any byte matches. */
  #markLiteral(literal: string, at: number, bucket: number, ignoreCase: boolean): void {
    for (let position = 0; position < 3; position++) {
      const byte = at + position < literal.length ? literal.charCodeAt(at + position) : undefined;
      if (byte === undefined) {
        for (let half = 0; half < 32; half++) this.#orByte(NIBBLES + position * 32 + half, 1 << bucket);
        continue;
      }
      const forms = ignoreCase && isLower(byte) ? [byte, byte - CASE_BIT] : [byte];
      for (const form of forms) {
        this.#orByte(NIBBLES + position * 32 + (form & 15), 1 << bucket);
        this.#orByte(NIBBLES + position * 32 + 16 + (form >> 4), 1 << bucket);
      }
    }
  }

  #useRepeat(filter: RepeatFilter): void {
    const { lead, least, gap = -1, fromWord, toWord, ignoreCase } = filter;
    this.#useWindow(filter);
    this.#exports.useRepeat(lead, least, gap, Number(fromWord), Number(toWord), Number(ignoreCase));
  }

  #useWindow({ length, allowed, at }: Omit<WindowFilter, 'kind'>): void {
    if (length < 1 || length > MAX_WINDOW) throw new Error('bad window');
    this.#allow(allowed);
    at.forEach((position, table) => {
      this.#markClass(allowed, position, NIBBLES + table * 32);
    });
    this.#exports.useWindow(length, at[0], at[1], at[2]);
  }

  #useRun({ length, bytes }: RunFilter): void {
    if (length < 1) throw new Error('bad run');
    this.#allow(bytes);
    this.#exports.useRun(length);
  }

  #allow(allowed: Uint8Array | Uint32Array): void {
    allowed.forEach((bits, byte) => {
      this.#bytes.writeUInt32LE(bits, ALLOWED + byte * 4);
    });
  }

  /** Bytes with the same upper half form a row. Equal rows share one of eight bits; all further rows share the last. */
  #markClass(allowed: Uint32Array, position: number, table: number): void {
    const bitOfRow = new Map<number, number>();
    for (let upper = 0; upper < 16; upper++) {
      let row = 0;
      for (let lower = 0; lower < 16; lower++) {
        if ((allowed[upper * 16 + lower]! >>> position) & 1) row |= 1 << lower;
      }
      if (row === 0) continue;
      const bit = bitOfRow.get(row) ?? Math.min(bitOfRow.size, 7);
      bitOfRow.set(row, bit);
      this.#orByte(table + 16 + upper, 1 << bit);
      for (let lower = 0; lower < 16; lower++) {
        if ((row >>> lower) & 1) this.#orByte(table + lower, 1 << bit);
      }
    }
  }

  #orByte(address: number, bits: number): void {
    this.#bytes[address] = this.#bytes[address]! | bits;
  }
}

/** The index of the three adjacent bytes that are rarest together. */
function rarestThree(literal: string): number {
  let best = 0;
  let most = -1;
  for (let at = 0; at + Math.min(3, literal.length) <= literal.length; at++) {
    const sum = rarity(literal, at) + rarity(literal, at + 1) + rarity(literal, at + 2);
    if (sum > most) {
      most = sum;
      best = at;
    }
  }
  return best;
}

function rarity(literal: string, index: number): number {
  return index < literal.length ? rarityOf(literal.charCodeAt(index)) : 0;
}

function isLower(byte: number): boolean {
  return byte >= 0x61 && byte <= 0x7a;
}
