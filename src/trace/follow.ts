/**
 * Tells events as any process appends them.
 *
 * The system's notices make it quick where they work; a slow look beside them makes it certain.
 */
import { type FSWatcher, lstatSync, watch } from 'node:fs';
import { byAge, type FileName, type TraceDirectory } from './directory.ts';
import type { TraceEvent } from './event.ts';
import { GrowingFile } from './growing-file.ts';

const LOOK_AGAIN_MS = 1000;
/** Where no notices come, or none yet. */
const LOOK_AGAIN_UNTOLD_MS = 250;
/** Notices come by the write: some are gathered. */
const GATHER_MS = 20;
/** Only the last files still grow: the one in use, and one that another process has not left yet. */
const GROWING = 3;

export interface FollowOptions {
  directory: TraceDirectory;
  onEvents(events: TraceEvent[]): void;
  onProblem(problem: string): void;
}

/** Until the returned function is called. */
export function follow(options: FollowOptions): () => void {
  const follower = new Follower(options);
  follower.start();
  return () => follower.stop();
}

class Follower {
  readonly #options: FollowOptions;
  readonly #files = new Map<string, GrowingFile>();
  /** The oldest file that may have grown since the last look. */
  #oldest: FileName | undefined;
  #lastLook = Date.now();
  #watcher: FSWatcher | undefined;
  /** Which directory the watcher watches. */
  #watched = '';
  #later: NodeJS.Timeout | undefined;
  #soon: NodeJS.Timeout | undefined;
  #looking = false;
  #lookAfter = false;
  #stopped = false;
  #told = false;

  constructor(options: FollowOptions) {
    this.#options = options;
  }

  start(): void {
    try {
      const files = this.#options.directory.files();
      this.#oldest = files.slice(-GROWING)[0];
      for (const { name } of files) this.#fileOf(name).skip();
    } catch (error) {
      this.#tell(error);
    }
    this.#watch();
    this.#lookLater();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#later);
    clearTimeout(this.#soon);
    this.#unwatch();
    // A look under way still reads: it lets go itself.
    if (!this.#looking) this.#release();
  }

  /** Also anew, when another directory stands there now. */
  #watch(): void {
    const { path } = this.#options.directory;
    try {
      const { ino, birthtimeMs } = lstatSync(path);
      const standing = `${ino} ${birthtimeMs}`;
      if (this.#watcher && standing === this.#watched) return;
      this.#unwatch();
      this.#watcher = watch(path, { persistent: false }, () => this.#lookSoon());
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

  #lookLater(): void {
    const wait = this.#watcher ? LOOK_AGAIN_MS : LOOK_AGAIN_UNTOLD_MS;
    this.#later = setTimeout(() => {
      this.#watch();
      void this.#look();
      this.#lookLater();
    }, wait);
  }

  #lookSoon(): void {
    if (this.#stopped || this.#soon) return;
    this.#soon = setTimeout(() => {
      this.#soon = undefined;
      void this.#look();
    }, GATHER_MS);
  }

  async #look(): Promise<void> {
    if (this.#looking) {
      this.#lookAfter = true;
      return;
    }
    this.#looking = true;
    const began = Date.now();
    try {
      await this.#readNew();
    } catch (error) {
      this.#tell(error);
    }
    this.#looking = false;
    this.#lastLook = began;
    if (this.#stopped) this.#release();
    if (this.#lookAfter) this.#lookSoon();
    this.#lookAfter = false;
  }

  async #readNew(): Promise<void> {
    const files = this.#options.directory.files();
    const growing = files.slice(-GROWING);
    const oldest = this.#oldest;
    const isWanted = () => !this.#stopped;
    for (const file of files) {
      const mayHaveGrown = !oldest || growing.includes(file) || byAge(file, oldest) >= 0;
      if (!mayHaveGrown || this.#stopped) continue;
      await this.#fileOf(file.name).readNew(this.#lastLook, isWanted, this.#options.onEvents);
    }
    this.#oldest = growing[0];
    this.#keep(files, growing);
  }

  /** No file is held open that is gone or does not grow any more. */
  #keep(files: readonly FileName[], growing: readonly FileName[]): void {
    const there = new Set(files.map(({ name }) => name));
    const held = new Set(growing.map(({ name }) => name));
    for (const [name, file] of this.#files) {
      if (!held.has(name)) file.release();
      if (!there.has(name)) this.#files.delete(name);
    }
  }

  #fileOf(name: string): GrowingFile {
    let file = this.#files.get(name);
    if (!file) {
      file = new GrowingFile(this.#options.directory, name);
      this.#files.set(name, file);
    }
    return file;
  }

  #release(): void {
    for (const file of this.#files.values()) file.release();
  }

  #tell(error: unknown): void {
    if (this.#told) return;
    this.#told = true;
    this.#options.onProblem(`the trace cannot be followed: ${(error as Error).message}`);
  }
}
