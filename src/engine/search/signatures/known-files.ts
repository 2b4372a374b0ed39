/**
 * What one thread knows about files before it opens them, and remembers after it has read them.
 *
 * A file that was read twice gets a signature. If the signature lacks something that a later search needs, and the
 * file's identity and times show that it is still the same, that search does not read the file. A file that changed
 * within the last minute is always read: when a program writes through mapped memory, the file's times change only when
 * the system saves the pages.
 */
import { isUtf8 } from 'node:buffer';
import { Utf8Check } from '../../charset/utf8.ts';
import type { Cursor } from '../../confine/scan/cursor.ts';
import { keepsFileTimes } from '../../confine/scan/file-systems.ts';
import { readFile, stateOfFile } from '../../confine/scan/open-file.ts';
import { type Kernel, MAX_SIGNATURE_BYTES } from '../../kernel/kernel.ts';
import type { FoundRecord, SignatureStore } from './signature-store.ts';
import type { WantedMarks } from './wanted-marks.ts';

/** Somewhat longer than systems keep written pages in memory. */
const SETTLED_AFTER_MS = 60_000;
/** In bytes. Several searches of a large tree make its signatures, so that none of them becomes much slower. */
const MOST_SIGNED_A_SEARCH: number = 256 << 20;
/** In bytes. A larger file may have lines that are too long to search, and every search must report them. */
const LARGEST_SIGNED: number = 16 << 20;
const NOTHING = new Uint8Array(0);

/** Where the whole text of a file is in the kernel's memory. */
export interface WholeText {
  start: number;
  end: number;
}

/** What was just read: a whole text, a part of one, or a binary file. */
export type ReadContent = WholeText | 'part' | 'binary';

/** 'text' or 'binary' for a file that cannot match. */
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

  /** A hash that identifies a file of the cursor's directory in later searches. Two files may have the same. */
  keyOf(directory: string, name: string): number {
    if (directory !== this.#directory) {
      this.#directoryKey = mixed(0x811c9dc5, `${this.#cursor.place}/`);
      this.#directory = directory;
    }
    return mixed(this.#directoryKey, name) >>> 0;
  }

  /** Whether it is known that a file cannot match. */
  lookUp(key: number, name: string): Knowledge {
    const record = this.#store.find(key);
    if (typeof record !== 'number' || this.#mayMatch(record, this.#wanted)) return 'unknown';
    const state = this.#cursor.state(name);
    if (!state || !this.#store.describes(record, state)) return 'unknown';
    return this.#store.signatureLength(record) === 0 ? 'binary' : 'text';
  }

  /** Remembers a file that was just read. If only a part was read, it reads the whole file into the kernel's memory. */
  learn(key: number, fd: number, content: ReadContent): void {
    const known = this.#store.find(key);
    if (known === undefined) this.#store.markSeen(key);
    else if (this.#left > 0 && !this.#store.isFull) this.#remember(key, fd, known, content);
  }

  #remember(key: number, fd: number, known: FoundRecord, content: ReadContent): void {
    const state = stateOfFile(fd);
    // A file that was written while it was read has a later change time than this.
    const isSettled = Math.max(state.ctimeMs, state.mtimeMs) < Date.now() - this.#settledAfterMs;
    if (!isSettled || (typeof known === 'number' && this.#store.describes(known, state))) return;
    if (!Number.isSafeInteger(state.ino) || !keepsFileTimes(fd, state.dev)) return;
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
    // Each piece begins with the last two bytes of the piece before it.
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
 * The size of a signature, chosen so that about a third of its bits are set: if there were more, a search would read
 * many files for nothing. The larger a file, the more of its texts repeat: hardly any source file contains more than
 * 7000 different texts of three bytes.
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
