/**
 * The signatures of files, in memory that all search threads share.
 *
 * A record never changes after it can be found: a thread appends it, then puts its address into a slot. When the memory
 * is full, nothing is added until the main thread empties it while no search runs.
 */

import type { FileState } from '../../confine/scan/cursor.ts';

/** Enough for about 100,000 source files. The system allocates pages when records are written to them. */
const RECORD_BYTES = 48 << 20;
const SLOTS: number = 1 << 18;
const PROBES = 8;
/** Records begin at multiples of this. A slot holds the number of the unit, and in its upper bits a tag of the key. */
const UNIT = 16;
const UNIT_BITS = 22;
const UNIT_MASK: number = (1 << UNIT_BITS) - 1;
/** The unit in the slot of a file that was read once and has no record yet. */
const SEEN = 1;
/** Records start after the unit that SEEN stands for. */
const FIRST_UNIT = 2;
// Indexes into the control block, which consists of 32-bit words.
const NEXT = 0;
const OUTDATED = 1;
const CONTROL_BYTES = 64;
/** Six numbers of 8 bytes: five of the file's state, and the length of the signature, which is 0 for a binary file. */
const HEADER_BYTES = 48;

const SLOTS_AT: number = CONTROL_BYTES;
const RECORDS_AT: number = CONTROL_BYTES + SLOTS * 4;

/** A record is identified by the address where it begins. */
export type FoundRecord = number | 'seen' | undefined;

export class SignatureStore {
  readonly #control: Int32Array;
  readonly #slots: Int32Array;
  readonly #numbers: Float64Array;
  readonly #bytes: Uint8Array;

  constructor(memory: SharedArrayBuffer) {
    this.#control = new Int32Array(memory, 0, CONTROL_BYTES / 4);
    this.#slots = new Int32Array(memory, SLOTS_AT, SLOTS);
    this.#numbers = new Float64Array(memory, RECORDS_AT);
    this.#bytes = new Uint8Array(memory, RECORDS_AT);
  }

  static memory(): SharedArrayBuffer {
    return new SharedArrayBuffer(RECORDS_AT + RECORD_BYTES);
  }

  find(key: number): FoundRecord {
    const slot = this.#slotOf(key);
    const entry = slot === undefined ? 0 : Atomics.load(this.#slots, slot);
    if (entry === 0) return undefined;
    const unit = entry & UNIT_MASK;
    return unit === SEEN ? 'seen' : unit * UNIT;
  }

  /** Whether the record describes the file in this state. */
  describes(record: number, { dev, ino, size, mtimeMs, ctimeMs }: FileState): boolean {
    const numbers = this.#numbers;
    const at = record >> 3;
    return (
      numbers[at] === ino &&
      numbers[at + 1] === ctimeMs &&
      numbers[at + 2] === mtimeMs &&
      numbers[at + 3] === size &&
      numbers[at + 4] === dev
    );
  }

  /** In bytes; 0 for a binary file. */
  signatureLength(record: number): number {
    return this.#numbers[(record >> 3) + 5]!;
  }

  /** Whether the signature has all of these marks. */
  hasAll(record: number, marks: readonly number[]): boolean {
    const at = record + HEADER_BYTES;
    // Marks have 16 bits, and the signature uses the upper ones.
    const shift = Math.clz32(this.signatureLength(record) * 8) - 15;
    for (const mark of marks) {
      const bit = mark >> shift;
      if (((this.#bytes[at + (bit >> 3)]! >> (bit & 7)) & 1) === 0) return false;
    }
    return true;
  }

  /** Remembers that a file was read, and nothing else about it. */
  markSeen(key: number): void {
    this.#put(key, SEEN);
  }

  remember(key: number, state: FileState, signature: Uint8Array): void {
    const units = Math.ceil((HEADER_BYTES + signature.length) / UNIT);
    if (this.isFull) return;
    const unit = FIRST_UNIT + Atomics.add(this.#control, NEXT, units);
    if ((unit + units) * UNIT > RECORD_BYTES) return;
    const { dev, ino, size, mtimeMs, ctimeMs } = state;
    this.#numbers.set([ino, ctimeMs, mtimeMs, size, dev, signature.length], (unit * UNIT) >> 3);
    this.#bytes.set(signature, unit * UNIT + HEADER_BYTES);
    this.#put(key, unit);
  }

  get isFull(): boolean {
    return Atomics.load(this.#control, NEXT) * UNIT >= RECORD_BYTES - UNIT * 64;
  }

  /** Empties a full store with many outdated records. Call this only while no search runs. */
  tidy(): void {
    if (!this.isFull || Atomics.load(this.#control, OUTDATED) < SLOTS / 4) return;
    this.#slots.fill(0);
    this.#control.fill(0);
  }

  #put(key: number, unit: number): void {
    const slot = this.#slotOf(key);
    if (slot === undefined) return;
    const before = Atomics.exchange(this.#slots, slot, ((key >>> UNIT_BITS) << UNIT_BITS) | unit);
    if ((before & UNIT_MASK) > SEEN) Atomics.add(this.#control, OUTDATED, 1);
  }

  /** The slot with the tag of the key, or else the first free one. Undefined if there is neither nearby. */
  #slotOf(key: number): number | undefined {
    const tag = key >>> UNIT_BITS;
    for (let probe = 0; probe < PROBES; probe++) {
      const slot = (key + probe) & (SLOTS - 1);
      const entry = Atomics.load(this.#slots, slot);
      if (entry === 0 || entry >>> UNIT_BITS === tag) return slot;
    }
    return undefined;
  }
}
