/** One file of a log that grows: hands over what is new in it since the last time. */
import { closeSync, fstatSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LineFormat } from './lines.ts';
import type { LogFiles } from './log-files.ts';
import { linesFrom } from './read-lines.ts';

interface NewRecords<R> {
  /** When the caller asked last, in milliseconds since 1970. */
  askedLast: number;
  appendedAt(record: R): number;
  isWanted(): boolean;
  onRecords(records: R[]): void;
}

export class GrowingFile<R extends object> {
  readonly #files: LogFiles;
  readonly #name: string;
  readonly #format: LineFormat<R>;
  /** Held: as long as it is, no other file can get the same inode. */
  #fd: number | undefined;
  #inode: number | 'none yet' | 'gone' = 'none yet';
  #at = { offset: 0 };

  constructor(files: LogFiles, name: string, format: LineFormat<R>) {
    this.#files = files;
    this.#name = name;
    this.#format = format;
  }

  /** What it holds already counts as handed over. */
  skip(): void {
    const standing = this.#files.statOf(this.#name);
    this.#inode = standing?.ino ?? 'gone';
    this.#at.offset = standing?.size ?? 0;
  }

  /** A block at a time, while it is wanted. */
  async readNew({ askedLast, appendedAt, isWanted, onRecords }: NewRecords<R>): Promise<void> {
    const fd = this.#open();
    if (fd === undefined) return;
    const { ino, size } = fstatSync(fd);
    let since = Number.NEGATIVE_INFINITY;
    if (ino !== this.#inode || size < this.#at.offset) {
      // Emptied, cut or replaced: read from its beginning, without the records that were handed over before.
      if (this.#inode !== 'none yet') since = askedLast;
      this.#inode = ino;
      this.#at.offset = 0;
    }
    if (size === this.#at.offset) return;
    for (const lines of linesFrom(fd, this.#at, this.#format.longest)) {
      const records = lines.flatMap((line) => this.#format.decode(line) ?? []);
      const fresh = records.filter((record) => appendedAt(record) >= since);
      if (fresh.length > 0 && isWanted()) onRecords(fresh);
      await nextTurn();
      if (!isWanted()) return;
    }
  }

  release(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #open(): number | undefined {
    const standing = this.#files.statOf(this.#name)?.ino;
    if (this.#fd !== undefined && standing === this.#inode) return this.#fd;
    if (this.#fd !== undefined) this.#inode = 'gone';
    this.release();
    if (standing === undefined) return undefined;
    this.#fd = this.#files.openIfThere(this.#name);
    return this.#fd;
  }
}
