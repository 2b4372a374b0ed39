/**
 * What small files held before a command, as long as it may be needed: in one file without a name, so that
 * nothing of it is left in the state directory, whatever becomes of this process.
 */
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../../../state/directory/make-directory.ts';

const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = fs.constants;
/** Small contents are gathered before they are written. */
const GATHER_BYTES = 1024 * 1024;

/** Where a content lies in it. */
export interface CopyLocation {
  offset: number;
  size: number;
}

export class SnapshotContents {
  readonly #directory: string;
  readonly #most: number;
  #fd: number | undefined;
  #written = 0;
  #gathered: Buffer[] = [];
  #gatheredBytes = 0;

  constructor(stateDirectory: string, most: number) {
    this.#directory = stateDirectory;
    this.#most = most;
  }

  /** How many bytes still find room. */
  get room(): number {
    return this.#most - this.#written - this.#gatheredBytes;
  }

  /** The content must stay as it is, and find room. */
  put(bytes: Buffer): CopyLocation {
    const at = { offset: this.#written + this.#gatheredBytes, size: bytes.length };
    this.#gathered.push(bytes);
    this.#gatheredBytes += bytes.length;
    if (this.#gatheredBytes >= GATHER_BYTES) this.write();
    return at;
  }

  /** Writes what was gathered. */
  write(): void {
    if (this.#gatheredBytes === 0) return;
    const bytes = Buffer.concat(this.#gathered);
    const fd = this.#open();
    for (let done = 0; done < bytes.length; ) {
      done += fs.writeSync(fd, bytes, done, bytes.length - done, this.#written + done);
    }
    this.#written += bytes.length;
    this.#gathered = [];
    this.#gatheredBytes = 0;
  }

  get({ offset, size }: CopyLocation): Buffer | undefined {
    this.write();
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
    this.#written = 0;
    this.#gathered = [];
    this.#gatheredBytes = 0;
  }

  #open(): number {
    if (this.#fd !== undefined) return this.#fd;
    makeDirectory(this.#directory);
    const path = join(this.#directory, `.looked-${randomBytes(10).toString('hex')}`);
    this.#fd = fs.openSync(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    fs.unlinkSync(path);
    return this.#fd;
  }
}
