/**
 * What one thread knows of files before it opens them, and remembers after it read them.
 *
 * A file that was read twice gets a signature; a later search that misses something in it checks whether the file is
 * still the same, by its identity and times, and need not read it. What changed within the last minute is always read:
 * a program that writes through mapped memory moves a file's times only when the system saves its pages.
 */
import { isUtf8 } from 'node:buffer';
import { Utf8Check } from '../../charset/utf8.ts';
import type { Cursor } from '../../confine/scan/cursor.ts';
import { keepsTrueTimes, readFile, stateOfFile } from '../../confine/scan/open-file.ts';
import { type Kernel, MAX_SIGNATURE_BYTES } from '../../kernel/kernel.ts';
import type { FoundRecord, SignatureStore } from './signature-store.ts';
import type { WantedMarks } from './wanted-marks.ts';

/** As long as systems keep written pages in memory, and some more. */
const SETTLED_AFTER_MS = 60_000;
/** In bytes: signatures of a large tree come in several searches, so that none of them gets much slower. */
const MOST_SIGNED_A_SEARCH: number = 256 << 20;
/** In bytes: a larger file may have lines that are too long to search, which every search reports. */
const LARGEST_SIGNED: number = 16 << 20;
const NOTHING = new Uint8Array(0);

/** The text of a file that lies in the kernel's memory as a whole. */
export interface WholeText {
  start: number;
  end: number;
}

/** What was just read: all of a text, a part of one, or something that is not text. */
export type ReadContent = WholeText | 'part' | 'binary';

/** 'text' and 'binary' for a file that cannot hold a match. */
export type Knowledge = 'text' | 'binary' | 'unknown';

export class KnownFiles {
  readonly #store: SignatureStore;
  readonly #kernel: Kernel;
  readonly #cursor: Cursor;
  readonly #wanted: WantedMarks;
  readonly #settledAfterMs: number;
  #left = MOST_SIGNED_A_SEARCH;
  #directory: string | undefined;
  #directoryKey = 0;

  constructor(
    store: SignatureStore,
    kernel: Kernel,
    cursor: Cursor,
    wanted: WantedMarks,
    settledAfterMs: number = SETTLED_AFTER_MS,
  ) {
    this.#store = store;
    this.#kernel = kernel;
    this.#cursor = cursor;
    this.#wanted = wanted;
    this.#settledAfterMs = settledAfterMs;
  }

  /** What identifies a file of the cursor's directory from search to search; two files may have the same. */
  keyOf(directory: string, name: string): number {
    if (directory !== this.#directory) {
      this.#directoryKey = mixed(0x811c9dc5, `${this.#cursor.place}/`);
      this.#directory = directory;
    }
    return mixed(this.#directoryKey, name) >>> 0;
  }

  /** Whether a file is known to hold no match. */
  ask(key: number, name: string): Knowledge {
    const record = this.#store.find(key);
    if (typeof record !== 'number' || this.#mayMatch(record, this.#wanted)) return 'unknown';
    const state = this.#cursor.state(name);
    if (!state || !this.#store.isOf(record, state)) return 'unknown';
    return this.#store.signatureLength(record) === 0 ? 'binary' : 'text';
  }

  /** Remembers a file that was just read. Of one that was read in part it reads all, over what the kernel holds. */
  tell(key: number, fd: number, content: ReadContent): void {
    const known = this.#store.find(key);
    if (known === undefined) this.#store.see(key);
    else if (this.#left > 0 && !this.#store.isFull) this.#remember(key, fd, known, content);
  }

  #remember(key: number, fd: number, known: FoundRecord, content: ReadContent): void {
    const state = stateOfFile(fd);
    // What was written while it was read has a later change time than this.
    const isSettled = Math.max(state.ctimeMs, state.mtimeMs) < Date.now() - this.#settledAfterMs;
    if (!isSettled || (typeof known === 'number' && this.#store.isOf(known, state))) return;
    if (!Number.isSafeInteger(state.ino) || !keepsTrueTimes(fd, state.dev)) return;
    if (content === 'binary') {
      this.#store.remember(key, state, NOTHING);
      return;
    }
    const signature =
      content === 'part' ? this.#signInParts(fd, state.size) : this.#sign(content, state.size);
    if (signature) this.#store.remember(key, state, signature);
  }

  #sign({ start, end }: WholeText, size: number): Buffer | undefined {
    const kernel = this.#kernel;
    if (end - start !== size || !isUtf8(kernel.bytes.subarray(start, end))) return undefined;
    this.#left -= size;
    kernel.beginSignature(signatureBytes(size));
    kernel.addToSignature(start, end);
    return kernel.endSignature();
  }

  #signInParts(fd: number, size: number): Buffer | undefined {
    if (size === 0 || size > LARGEST_SIGNED) return undefined;
    const kernel = this.#kernel;
    const { bytes, text, capacity } = kernel;
    this.#left -= size;
    kernel.beginSignature(signatureBytes(size));
    const check = new Utf8Check();
    let offset = 0;
    /** The last two bytes before it stay in front of each piece. */
    for (let held = 0, count = -1; count !== 0; ) {
      count = readFile(fd, bytes, text + held, capacity - held, offset);
      const end = text + held + count;
      if (!check.takes(bytes.subarray(text + held, end))) return undefined;
      kernel.addToSignature(text, end);
      offset += count;
      held = Math.min(2, end - text);
      bytes.copyWithin(text, end - held, end);
    }
    return offset === size && check.isWhole ? kernel.endSignature() : undefined;
  }

  #mayMatch(record: number, { anyOf, all }: WantedMarks): boolean {
    if (this.#store.signatureLength(record) === 0) return false;
    return this.#store.hasAll(record, all) && anyOf.some((marks) => this.#store.hasAll(record, marks));
  }
}

/**
 * So that about a third of the bits are set: with more of them, a search reads many files for nothing. The larger a
 * file, the more of its bytes repeat: hardly any source holds more than 7000 texts of three bytes.
 */
function signatureBytes(size: number): number {
  if (size > 1 << 18) return MAX_SIGNATURE_BYTES;
  if (size > 1 << 16) return 2048;
  if (size > 1 << 15) return 1024;
  if (size > 1 << 13) return 512;
  if (size > 1 << 11) return 256;
  return size > 1 << 9 ? 128 : 64;
}

/** Mixes a text into a hash. */
function mixed(seed: number, text: string): number {
  let hash = seed;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x2c1b3c6d) ^ (hash >>> 13);
}
