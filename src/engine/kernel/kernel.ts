/** The API of the WebAssembly scan: callers read text into the kernel's memory and scan it there. */
import { type FilterExports, FilterTables } from './filter-tables.ts';
import { kernelBase64 } from './kernel.generated.ts';
import type { Prefilter } from './prefilter.ts';

export const MAX_SIGNATURE_BYTES = 8192;

interface Exports extends FilterExports {
  nextLine(from: number, end: number): number;
  find(from: number, end: number): number;
  countLines(from: number, end: number): number;
  countByte(from: number, end: number, byte: number): number;
  memchr(from: number, end: number, byte: number): number;
  memrchr(from: number, end: number, byte: number): number;
  nonAscii(from: number, end: number): number;
  skipLines(from: number, end: number, lines: number): number;
  markOf(first: number, second: number, third: number): number;
  beginSignature(bits: number): void;
  addToSignature(from: number, end: number): void;
  endSignature(): void;
}

/** The part of the global `WebAssembly` that is used here: neither ES2023 nor Node's types declare it. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Memory: new (size: { initial: number }) => WasmMemory;
  Instance: new (module: object, imports: object) => { exports: object };
};

interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

// Further addresses in the kernel's memory, as in assembly/memory.ts; filter-tables.ts has the others.
const FOUND = 256;
const SIGNATURE = 8192;
const TEXT = 131_072;
const PAGE = 65536;
/** The scan reads this far beyond the end of the text. */
const SLACK = 256;

let compiled: object | undefined;

/** A kernel with its own memory, which at first has room for `bytes` of text. */
export function loadKernel(bytes: number = 1 << 20): Kernel {
  compiled ??= new WebAssembly.Module(Buffer.from(kernelBase64, 'base64'));
  return new Kernel(compiled, bytes);
}

export class Kernel {
  /** Where text starts in `bytes`. */
  readonly text: number = TEXT;
  /** The whole memory. Growing replaces it: never keep it across `reserve`. */
  bytes: Buffer;
  readonly #memory: WasmMemory;
  readonly #exports: Exports;
  #found: Uint32Array;
  #signatureBytes = 0;

  constructor(module: object, bytes: number) {
    this.#memory = new WebAssembly.Memory({ initial: pagesFor(bytes) });
    const env = { memory: this.#memory, abort };
    this.#exports = new WebAssembly.Instance(module, { env }).exports as Exports;
    this.bytes = Buffer.from(this.#memory.buffer);
    this.#found = new Uint32Array(this.#memory.buffer, FOUND, 5);
  }

  /** How many bytes of text fit now. */
  get capacity(): number {
    return this.bytes.length - TEXT - SLACK;
  }

  /** Makes room for `bytes` of text and keeps what is in the memory. */
  reserve(bytes: number): void {
    if (bytes <= this.capacity) return;
    this.#memory.grow(pagesFor(bytes) - this.bytes.length / PAGE);
    this.bytes = Buffer.from(this.#memory.buffer);
    this.#found = new Uint32Array(this.#memory.buffer, FOUND, 5);
  }

  /** The first place of `byte` in [from, end), or `end`. */
  memchr(from: number, end: number, byte: number): number {
    return this.#exports.memchr(from, end, byte);
  }

  /** The last place of `byte` in [from, end), or `from - 1`. */
  memrchr(from: number, end: number, byte: number): number {
    return this.#exports.memrchr(from, end, byte);
  }

  countByte(from: number, end: number, byte: number): number {
    return this.#exports.countByte(from, end, byte);
  }

  nonAscii(from: number, end: number): boolean {
    return this.#exports.nonAscii(from, end) !== 0;
  }

  /** Skips `lines` newlines: `next` is the place after the last of them, or `left` of them are missing. */
  skipLines(from: number, end: number, lines: number): { next: number } | { left: number } {
    const next = this.#exports.skipLines(from, end, lines);
    return next === 0 ? { left: this.#found[0]! } : { next };
  }

  /** A hash of three bytes in 16 bits that ignores the case of letters. Its upper bits select a bit of a signature. */
  markOf(first: number, second: number, third: number): number {
    return this.#exports.markOf(first, second, third);
  }

  /** Begins a signature of `bytes` bytes, a power of two: a set of all texts of three bytes that a text contains. */
  beginSignature(bytes: number): void {
    if (bytes < 2 || bytes > MAX_SIGNATURE_BYTES) throw new Error('bad signature');
    this.#signatureBytes = bytes;
    this.#exports.beginSignature(31 - Math.clz32(bytes * 8));
  }

  /** Adds [from, end) to the signature. The pieces of a text must overlap by two bytes. */
  addToSignature(from: number, end: number): void {
    this.#exports.addToSignature(from, end);
  }

  /** The finished signature, which is valid until the next one begins. */
  endSignature(): Buffer {
    this.#exports.endSignature();
    return this.bytes.subarray(SIGNATURE, SIGNATURE + this.#signatureBytes);
  }

  /** Finds the next line with a candidate. `from` must be the start of a line. False when there is none. */
  nextLine(from: number, end: number): boolean {
    return this.#exports.nextLine(from, end) !== 0;
  }

  // What `nextLine` found.
  get lineStart(): number {
    return this.#found[0]!;
  }
  get lineEnd(): number {
    return this.#found[1]!;
  }
  get linesBefore(): number {
    return this.#found[2]!;
  }
  get lineIsAscii(): boolean {
    return this.#found[3] === 1;
  }
  get candidate(): number {
    return this.#found[4]!;
  }

  /** Where the next candidate is in [from, end), or 0. */
  nextCandidate(from: number, end: number): number {
    return this.#exports.find(from, end);
  }

  /** How many lines have a candidate. */
  countLines(from: number, end: number): number {
    return this.#exports.countLines(from, end);
  }

  /** From now on, candidates are the places that this filter finds. */
  use(filter: Prefilter): void {
    new FilterTables(this.bytes, this.#exports).use(filter);
  }
}

function pagesFor(bytes: number): number {
  return Math.ceil((TEXT + bytes + SLACK) / PAGE);
}

function abort(): never {
  throw new Error('the search kernel stopped');
}
