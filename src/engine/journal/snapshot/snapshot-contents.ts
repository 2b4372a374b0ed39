/**
 * What small files held before a command, as long as it may be needed: in one file without a name, so that nothing of
 * it is left in the state directory, even when this process is killed.
 */
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../../../state/directory/make-directory.ts';
import type { CopyTarget } from '../../confine/scan/tree-scanner.ts';

const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = fs.constants;

/** Where a content lies in it. */
export interface CopyLocation {
  offset: number;
  size: number;
}

export class SnapshotContents {
  readonly #directory: string;
  /** How many bytes it holds at most. */
  readonly most: number;
  /** How many bytes are taken: the threads that copy files into it share the number. */
  readonly #taken = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #fd: number | undefined;

  constructor(stateDirectory: string, most: number) {
    this.#directory = stateDirectory;
    this.most = most;
  }

  /** How many bytes still find room. */
  get room(): number {
    return this.most - Atomics.load(this.#taken, 0);
  }

  /** Where files can be copied to. */
  target(): CopyTarget {
    this.#fd ??= this.#open();
    return { fd: this.#fd, taken: this.#taken, most: this.most };
  }

  get({ offset, size }: CopyLocation): Buffer | undefined {
    const bytes = Buffer.alloc(size);
    if (size === 0) return bytes;
    return this.#fd !== undefined && fs.readSync(this.#fd, bytes, 0, size, offset) === size
      ? bytes
      : undefined;
  }

  /** Lets go of all of it. */
  clear(): void {
    if (this.#fd !== undefined) fs.closeSync(this.#fd);
    this.#fd = undefined;
    Atomics.store(this.#taken, 0, 0);
  }

  #open(): number {
    makeDirectory(this.#directory);
    const path = join(this.#directory, `.looked-${randomBytes(10).toString('hex')}`);
    const fd = fs.openSync(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    fs.unlinkSync(path);
    return fd;
  }
}
