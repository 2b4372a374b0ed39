/** One file of events that grows: tells what is new in it since the last time. */
import { closeSync, fstatSync, read } from 'node:fs';
import { promisify } from 'node:util';
import { codeOf, type TraceDirectory } from './directory.ts';
import type { TraceEvent } from './event.ts';
import { eventOf, LONGEST_LINE } from './line.ts';

const readAt = promisify(read);
const BLOCK = 256 * 1024;
const NEWLINE = 10;
const NOTHING = Buffer.alloc(0);

export class GrowingFile {
  readonly #directory: TraceDirectory;
  readonly #name: string;
  /** Held: as long as it is, no other file can get the same inode. */
  #fd: number | undefined;
  #inode: number | 'none yet' | 'gone' = 'none yet';
  #offset = 0;
  /** The beginning of a line that is not whole yet. */
  #rest = NOTHING;

  constructor(directory: TraceDirectory, name: string) {
    this.#directory = directory;
    this.#name = name;
  }

  /** What it holds already counts as told. */
  skip(): void {
    const standing = this.#directory.statOf(this.#name);
    this.#inode = standing?.ino ?? 'gone';
    this.#offset = standing?.size ?? 0;
  }

  /** Hands over what is new, a block at a time, while it is wanted. `lastLook`: when this was last called. */
  async readNew(
    lastLook: number,
    isWanted: () => boolean,
    onEvents: (events: TraceEvent[]) => void,
  ): Promise<void> {
    const fd = this.#open();
    if (fd === undefined) return;
    const { ino, size } = fstatSync(fd);
    let since = Number.NEGATIVE_INFINITY;
    if (ino !== this.#inode || size < this.#offset) {
      // Emptied, cut or replaced: read from its beginning, but what was told before is not told again.
      if (this.#inode !== 'none yet') since = lastLook;
      this.#inode = ino;
      this.#offset = 0;
      this.#rest = NOTHING;
    }
    while (this.#offset < size && isWanted()) {
      const events = await this.#readBlock(fd, size);
      if (events === undefined) return;
      const fresh = events.filter(({ at, ms }) => at + ms >= since);
      if (fresh.length > 0 && isWanted()) onEvents(fresh);
    }
  }

  release(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #open(): number | undefined {
    const standing = this.#directory.statOf(this.#name)?.ino;
    if (this.#fd !== undefined && standing === this.#inode) return this.#fd;
    if (this.#fd !== undefined) this.#inode = 'gone';
    this.release();
    if (standing === undefined) return undefined;
    try {
      this.#fd = this.#directory.open(this.#name);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
    }
    return this.#fd;
  }

  /** The events of the next block; undefined when the file has become shorter meanwhile. */
  async #readBlock(fd: number, size: number): Promise<TraceEvent[] | undefined> {
    const block = Buffer.allocUnsafe(Math.min(BLOCK, size - this.#offset));
    const { bytesRead } = await readAt(fd, block, 0, block.length, this.#offset);
    if (bytesRead === 0) return undefined;
    this.#offset += bytesRead;
    const joined = Buffer.concat([this.#rest, block.subarray(0, bytesRead)]);
    const whole = joined.lastIndexOf(NEWLINE) + 1;
    const rest = joined.subarray(whole);
    this.#rest = rest.length > LONGEST_LINE ? NOTHING : Buffer.from(rest);
    return joined
      .toString('utf8', 0, whole)
      .split('\n')
      .flatMap((line) => eventOf(line) ?? []);
  }
}
