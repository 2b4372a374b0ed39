/**
 * Reports records as any process appends them.
 *
 * File system notifications make this fast where they work; a slow poll makes it reliable.
 */
import { type FSWatcher, lstatSync, watch } from 'node:fs';
import type { LogListener } from '../../log.ts';
import { GrowingFile } from './growing-file.ts';
import type { LineFormat } from './lines.ts';
import { byAge, type LogFile, type LogFiles } from './log-files.ts';

const POLL_MS = 1000;
/** The poll interval while there are no notifications. */
const POLL_WITHOUT_NOTIFICATIONS_MS = 250;
/** Each write causes a notification: wait this long to handle several at once. */
const GATHER_MS = 20;
/** How many of the last files may still grow: the current one, and those that another process still writes to. */
const GROWING_FILES = 3;

interface Followed<R extends object> {
  files: LogFiles;
  format: LineFormat<R>;
  appendedAt(record: R): number;
  listener: LogListener<R>;
}

/** Follows the log until the returned function is called. */
export function follow<R extends object>(followed: Followed<R>): () => void {
  const follower = new Follower(followed);
  follower.start();
  return () => follower.stop();
}

class Follower<R extends object> {
  readonly #followed: Followed<R>;
  readonly #growing = new Map<string, GrowingFile<R>>();
  /** The oldest file that may have grown since the last poll. */
  #oldest: LogFile | undefined;
  #lastPoll = Date.now();
  #watcher: FSWatcher | undefined;
  /** Identifies the directory that the watcher watches. */
  #watched = '';
  #later: NodeJS.Timeout | undefined;
  #soon: NodeJS.Timeout | undefined;
  #polling = false;
  #pollAgain = false;
  #stopped = false;
  #isProblemReported = false;

  constructor(followed: Followed<R>) {
    this.#followed = followed;
  }

  start(): void {
    try {
      const files = this.#followed.files.list();
      this.#oldest = files.slice(-GROWING_FILES)[0];
      for (const { name } of files) this.#fileOf(name).skip();
    } catch (error) {
      this.#report(error);
    }
    this.#watch();
    this.#pollLater();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#later);
    clearTimeout(this.#soon);
    this.#unwatch();
    // A poll that is under way still reads, and releases the files itself.
    if (!this.#polling) this.#release();
  }

  /** Watches the directory, and starts over when another directory has taken its place. */
  #watch(): void {
    const { path } = this.#followed.files;
    try {
      const { ino, birthtimeMs } = lstatSync(path);
      const identity = `${ino} ${birthtimeMs}`;
      if (this.#watcher && identity === this.#watched) return;
      this.#unwatch();
      this.#watcher = watch(path, { persistent: false }, () => this.#pollSoon());
      this.#watcher.on('error', () => this.#unwatch());
      this.#watched = identity;
    } catch {
      this.#unwatch();
    }
  }

  #unwatch(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  #pollLater(): void {
    const wait = this.#watcher ? POLL_MS : POLL_WITHOUT_NOTIFICATIONS_MS;
    this.#later = setTimeout(() => {
      this.#watch();
      void this.#poll();
      this.#pollLater();
    }, wait);
  }

  #pollSoon(): void {
    if (this.#stopped || this.#soon) return;
    this.#soon = setTimeout(() => {
      this.#soon = undefined;
      void this.#poll();
    }, GATHER_MS);
  }

  async #poll(): Promise<void> {
    if (this.#polling) {
      this.#pollAgain = true;
      return;
    }
    this.#polling = true;
    const began = Date.now();
    try {
      await this.#readNew();
    } catch (error) {
      this.#report(error);
    }
    this.#polling = false;
    this.#lastPoll = began;
    if (this.#stopped) this.#release();
    if (this.#pollAgain) this.#pollSoon();
    this.#pollAgain = false;
  }

  async #readNew(): Promise<void> {
    const { appendedAt, listener } = this.#followed;
    const files = this.#followed.files.list();
    const growing = files.slice(-GROWING_FILES);
    const oldest = this.#oldest;
    for (const file of files) {
      const mayHaveGrown = !oldest || growing.includes(file) || byAge(file, oldest) >= 0;
      if (!mayHaveGrown || this.#stopped) continue;
      await this.#fileOf(file.name).readNew({
        askedLast: this.#lastPoll,
        appendedAt,
        isWanted: () => !this.#stopped,
        onRecords: (records) => listener.onRecords(records),
      });
    }
    this.#oldest = growing[0];
    this.#letGo(files, growing);
  }

  /** Closes files that are gone or no longer grow. */
  #letGo(files: readonly LogFile[], growing: readonly LogFile[]): void {
    const there = new Set(files.map(({ name }) => name));
    const held = new Set(growing.map(({ name }) => name));
    for (const [name, file] of this.#growing) {
      if (!held.has(name)) file.release();
      if (!there.has(name)) this.#growing.delete(name);
    }
  }

  #fileOf(name: string): GrowingFile<R> {
    let file = this.#growing.get(name);
    if (!file) {
      file = new GrowingFile(this.#followed.files, name, this.#followed.format);
      this.#growing.set(name, file);
    }
    return file;
  }

  #release(): void {
    for (const file of this.#growing.values()) file.release();
  }

  #report(error: unknown): void {
    if (this.#isProblemReported) return;
    this.#isProblemReported = true;
    this.#followed.listener.onProblem(error as Error);
  }
}
