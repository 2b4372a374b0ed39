/**
 * Holds the copies of small files for as long as a command may need them. They are in one file without a name, so that
 * nothing is left in the state directory, even when this process is killed.
 */
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../../../state/directory/make-directory.ts';
import type { CopyTarget } from '../../confine/scan/tree-scanner.ts';

const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = fs.constants;

/** Where in that file a content is. */
export interface CopyLocation {
  offset: number;
  size: number;
}

export class SnapshotContents {
  readonly #directory: string;
  /** How many bytes the file may hold. */
  readonly most: number;
  /** How many bytes are taken. The threads that copy files share this number. */
  readonly #taken = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #fd: number | undefined;

  constructor(stateDirectory: string, most: number) {
    this.#directory = stateDirectory;
    this.most = most;
  }

  /** How many bytes are left. */
  get room(): number {
    return this.most - Atomics.load(this.#taken, 0);
  }

  /** What the threads need to copy files into this one. */
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

  /** Drops all copies. */
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
