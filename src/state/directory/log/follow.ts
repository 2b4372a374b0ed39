/**
 * Hands over records as any process appends them.
 *
 * The system's notices make it quick where they work; a slow poll beside them makes it certain.
 */
import { type FSWatcher, lstatSync, watch } from 'node:fs';
import type { LogListener } from '../../log.ts';
import { GrowingFile } from './growing-file.ts';
import type { LineFormat } from './lines.ts';
import { byAge, type LogFile, type LogFiles } from './log-files.ts';

const POLL_MS = 1000;
/** Where no notices come, or none yet. */
const POLL_WITHOUT_NOTICES_MS = 250;
/** A notice comes with each write: gather some. */
const GATHER_MS = 20;
/** Only the last files still grow: the one in use, and one that another process has not left yet. */
const GROWING = 3;

interface Followed<R extends object> {
  files: LogFiles;
  format: LineFormat<R>;
  appendedAt(record: R): number;
  listener: LogListener<R>;
}

/** Until the returned function is called. */
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
  /** Which directory the watcher watches. */
  #watched = '';
  #later: NodeJS.Timeout | undefined;
  #soon: NodeJS.Timeout | undefined;
  #polling = false;
  #pollAgain = false;
  #stopped = false;
  #toldProblem = false;

  constructor(followed: Followed<R>) {
    this.#followed = followed;
  }

  start(): void {
    try {
      const files = this.#followed.files.list();
      this.#oldest = files.slice(-GROWING)[0];
      for (const { name } of files) this.#fileOf(name).skip();
    } catch (error) {
      this.#tell(error);
    }
    this.#watch();
    this.#pollLater();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#later);
    clearTimeout(this.#soon);
    this.#unwatch();
    // A poll under way still reads: it lets go itself.
    if (!this.#polling) this.#release();
  }

  /** Also again, when another directory is there now. */
  #watch(): void {
    const { path } = this.#followed.files;
    try {
      const { ino, birthtimeMs } = lstatSync(path);
      const standing = `${ino} ${birthtimeMs}`;
      if (this.#watcher && standing === this.#watched) return;
      this.#unwatch();
      this.#watcher = watch(path, { persistent: false }, () => this.#pollSoon());
      this.#watcher.on('error', () => this.#unwatch());
      this.#watched = standing;
    } catch {
      this.#unwatch();
    }
  }

  #unwatch(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  #pollLater(): void {
    const wait = this.#watcher ? POLL_MS : POLL_WITHOUT_NOTICES_MS;
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
      this.#tell(error);
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
    const growing = files.slice(-GROWING);
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

  /** Holds no file open that is gone or does not grow any more. */
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

  #tell(error: unknown): void {
    if (this.#toldProblem) return;
    this.#toldProblem = true;
    this.#followed.listener.onProblem(error as Error);
  }
}
