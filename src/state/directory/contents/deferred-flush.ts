/**
 * Flushes files to the disk in quiet moments. Flushing one file makes the others wait, so a series of changes delays
 * the flush, by two seconds at most.
 */
import * as fs from 'node:fs';
import { promisify } from 'node:util';

const { O_RDONLY, O_NOFOLLOW = 0 } = fs.constants;
const QUIET_MS = 100;
const LONGEST_MS = 2000;
/** How many flushed files are remembered. Beyond that all are forgotten, and may be flushed again. */
const MOST_REMEMBERED = 10_000;

const open = promisify(fs.open);
const fsync = promisify(fs.fsync);

export class DeferredFlush {
  readonly #waiting = new Set<string>();
  /** Those whose turn in the running flush is still to come. */
  readonly #next = new Set<string>();
  readonly #flushed = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #since = 0;
  #flushing: Promise<void> = Promise.resolve();
  /** Why the last flush failed, until `throwFailure` has thrown it. */
  #failure: unknown;

  /** For a file that was just written: one with the same name may have been flushed, and removed since. */
  addNew(path: string): void {
    this.#flushed.delete(path);
    this.add(path);
  }

  add(path: string): void {
    if (this.#flushed.has(path) || this.#next.has(path)) return;
    if (this.#waiting.size === 0) this.#since = Date.now();
    this.#waiting.add(path);
    if (this.#timer === undefined) this.#timer = setTimeout(() => void this.now(), QUIET_MS).unref();
    else if (Date.now() - this.#since < LONGEST_MS) this.#timer.refresh();
  }

  /** Flushes the waiting files now, one after the other. */
  now(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const paths = [...this.#waiting];
    this.#waiting.clear();
    for (const path of paths) this.#next.add(path);
    this.#flushing = this.#flushing.then(async () => {
      for (const path of paths) await this.#flush(path);
    });
    return this.#flushing;
  }

  /** Throws when a flush has failed since the last call. */
  throwFailure(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure;
  }

  async #flush(path: string): Promise<void> {
    this.#next.delete(path);
    try {
      const fd = await open(path, O_RDONLY | O_NOFOLLOW);
      await fsync(fd).finally(() => fs.closeSync(fd));
      if (this.#flushed.size >= MOST_REMEMBERED) this.#flushed.clear();
      this.#flushed.add(path);
    } catch (error) {
      // A content that was removed meanwhile needs no flush.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#failure = error;
    }
  }
}
