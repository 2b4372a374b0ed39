/** A growing file of a log: reports the records that were added to it since the last time. */
import { closeSync, fstatSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LineFormat } from './lines.ts';
import type { LogFiles } from './log-files.ts';
import { linesFrom } from './read-lines.ts';

interface NewRecords<R> {
  /** When the caller last asked, in milliseconds since 1970. */
  askedLast: number;
  appendedAt(record: R): number;
  isWanted(): boolean;
  onRecords(records: R[]): void;
}

export class GrowingFile<R extends object> {
  readonly #files: LogFiles;
  readonly #name: string;
  readonly #format: LineFormat<R>;
  /** Stays open so that no other file can get the same inode. */
  #fd: number | undefined;
  #inode: number | 'none yet' | 'gone' = 'none yet';
  #at = { offset: 0 };

  constructor(files: LogFiles, name: string, format: LineFormat<R>) {
    this.#files = files;
    this.#name = name;
    this.#format = format;
  }

  /** Skips what the file holds now. */
  skip(): void {
    const stat = this.#files.statOf(this.#name);
    this.#inode = stat?.ino ?? 'gone';
    this.#at.offset = stat?.size ?? 0;
  }

  /** Reports the new records a block at a time, until `isWanted` says no. */
  async readNew({ askedLast, appendedAt, isWanted, onRecords }: NewRecords<R>): Promise<void> {
    const fd = this.#open();
    if (fd === undefined) return;
    const { ino, size } = fstatSync(fd);
    let since = Number.NEGATIVE_INFINITY;
    if (ino !== this.#inode || size < this.#at.offset) {
      // The file was truncated or replaced: read it from the beginning, but skip the records reported before.
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
    const inode = this.#files.statOf(this.#name)?.ino;
    if (this.#fd !== undefined && inode === this.#inode) return this.#fd;
    if (this.#fd !== undefined) this.#inode = 'gone';
    this.release();
    if (inode === undefined) return undefined;
    this.#fd = this.#files.openIfThere(this.#name);
    return this.#fd;
  }
}
