/**
 * The content store in files of the state directory.
 *
 *     store/HASH          a content                 store/HASH.z       a deflated content
 *     aside/NAME          a file or tree that was moved or linked here unchanged
 *     leaving/…           retired contents, kept for some minutes
 *     forgetting/…        what is being erased
 */
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { hashOf } from '../../content-hash.ts';
import type { Contents, ContentsUsage, IsNeeded, StoredContent } from '../../contents.ts';
import { DeferredFlush } from './deferred-flush.ts';
import { deflated, deflateInto, inflated, storedChunks, writeAll } from './deflate.ts';
import { eraseDrafts, finishErasing, openDrafts, takeOut } from './erase.ts';
import { listStored, pathsOf } from './listing.ts';
import { retire } from './retire.ts';
import { SetAsideTrees } from './set-aside.ts';
import { StateFolders } from './state-folders.ts';
import { Ledger } from './usage.ts';
import { sizeOnDisk } from './whole-tree.ts';

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = fs.constants;
/** Putting a content again renews its time stamp when it is older than this, so that it is not retired. */
const TOUCH_AFTER_MS = 60_000;

const fsync = promisify(fs.fsync);
/** Creating a file may wait for the flush of another one; the main thread must not wait. */
const open = promisify(fs.open);

export class DirectoryContents implements Contents {
  readonly trees: SetAsideTrees;
  readonly usage: ContentsUsage;
  readonly #directory: string;
  readonly #folders: StateFolders;
  readonly #ledger: Ledger;
  readonly #flushing = new DeferredFlush();
  readonly #later = new Set<Promise<void>>();
  /** Settles when the last content of `putLater` was put. */
  #putLast: Promise<void> = Promise.resolve();
  /** By hash, so that a second caller that puts the same content waits for the first. */
  readonly #beingPut = new Map<string, Promise<void>>();
  #added = 0;
  #pending = 0;

  /** Opens and creates nothing before the first content. */
  constructor(directory: string) {
    this.#directory = directory;
    this.#folders = new StateFolders(directory);
    this.#ledger = new Ledger(directory);
    this.trees = new SetAsideTrees(this.#folders, (bytes) => this.#add(bytes));
    this.usage = this.#usage();
  }

  async put(bytes: Buffer, flush = true): Promise<string> {
    const hash = await hashOf(bytes);
    const there = this.#beingPut.has(hash) ? undefined : this.#keptPath(hash);
    if (there !== undefined) {
      if (flush) this.#flushing.add(there);
      return hash;
    }
    const putting = this.#beingPut.get(hash) ?? this.#putNew(hash, bytes, flush);
    if (!flush) await putting;
    return hash;
  }

  #putNew(hash: string, bytes: Buffer, flush: boolean): Promise<void> {
    const writing = async () => {
      const packed = await deflated(bytes);
      await this.#write(packed ? `${hash}.z` : hash, packed ?? bytes, flush);
    };
    const putting = writing().finally(() => this.#beingPut.delete(hash));
    // A caller that needs the content waits for this promise, and gets the error then.
    putting.catch(() => {});
    this.#beingPut.set(hash, putting);
    return putting;
  }

  putLater(bytes: Buffer): void {
    this.#pending += bytes.length;
    // A call may add thousands: each gets its own turn of the event loop. They are flushed together.
    const put = this.#putLast.then(() => nextTurn()).then(() => this.put(bytes));
    this.#putLast = put.then(ignore, ignore);
    const kept = put.then((name) => this.stored([name]));
    const done = kept.then(ignore, ignore);
    this.#later.add(done);
    void done.then(() => {
      this.#pending -= bytes.length;
      this.#later.delete(done);
    });
  }

  async settled(): Promise<void> {
    await Promise.allSettled([...this.#later, ...this.#beingPut.values()]);
    await this.#flushing.now();
  }

  /**
   * Does not wait for the flush that follows soon after: that would make every change take half as long again, and it
   * only matters when the power fails in that moment.
   */
  async stored(hashes: Iterable<string>): Promise<void> {
    await Promise.all([...hashes].map((hash) => this.#beingPut.get(hash)));
    this.#flushing.throwFailure();
  }

  async putChunks(chunks: AsyncIterable<Buffer>): Promise<{ hash: string; size: number }> {
    return this.#drafted(async (fd, publish) => {
      const { hash, size } = await deflateInto(fd, chunks);
      await fsync(fd);
      publish(`${hash}.z`);
      this.#add(fs.fstatSync(fd).size);
      return { hash, size };
    });
  }

  async get(hash: string): Promise<Buffer | undefined> {
    const found = await this.#read(hash);
    if (found || (this.#later.size === 0 && !this.#beingPut.has(hash))) return found;
    // The content may still be on its way to the store.
    await Promise.allSettled(this.#later);
    await this.#beingPut.get(hash)?.catch(() => {});
    return this.#read(hash);
  }

  async #read(hash: string): Promise<Buffer | undefined> {
    for (const path of pathsOf(this.#directory, hash)) {
      const stored = readIfThere(path);
      const bytes = stored && path.endsWith('.z') ? await inflated(stored) : stored;
      if (bytes && (await hashOf(bytes)) === hash) return bytes;
    }
    return undefined;
  }

  async chunks(hash: string): Promise<AsyncIterable<Buffer> | undefined> {
    const [path] = pathsOf(this.#directory, hash);
    return path === undefined ? undefined : storedChunks(path, hash);
  }

  async has(hash: string): Promise<boolean> {
    const [path] = pathsOf(this.#directory, hash);
    return path !== undefined || this.#beingPut.has(hash);
  }

  list(): AsyncIterable<StoredContent> {
    return listStored(this.#directory);
  }

  async sizeOf(name: string): Promise<number | undefined> {
    const paths = [...pathsOf(this.#directory, name)];
    return paths.length === 0 ? undefined : paths.reduce((sum, path) => sum + sizeOnDisk(path), 0);
  }

  retire(names: Iterable<string>, isNeeded: IsNeeded, now: number = Date.now()): Promise<number> {
    return retire(this.#directory, names, isNeeded, now);
  }

  async erase(names: Iterable<string>, neededNow: () => Promise<IsNeeded>): Promise<void> {
    await eraseDrafts(this.#directory);
    // Something that an interrupted process was removing may be needed: restore it before removing more.
    finishErasing(this.#directory, await neededNow());
    for (const name of names) {
      for (const path of pathsOf(this.#directory, name)) takeOut(this.#directory, path);
    }
    finishErasing(this.#directory, await neededNow());
  }

  close(): void {
    this.#ledger.close();
    this.trees.close();
  }

  #usage(): ContentsUsage {
    const contents = this;
    return {
      get bytes() {
        return contents.#ledger.sum() + contents.#pending;
      },
      get added() {
        return contents.#added;
      },
      get pending() {
        return contents.#pending;
      },
      async measure() {
        return contents.#ledger.measure(true) + contents.#pending;
      },
    };
  }

  #add(bytes: number): void {
    this.#added += bytes;
    this.#ledger.add(bytes);
  }

  /** The path of a content in the store. A content that is leaving does not count, so the caller puts it again. */
  #keptPath(hash: string): string | undefined {
    for (const path of pathsOf(this.#directory, hash, ['store'])) {
      const stat = fs.statSync(path, { throwIfNoEntry: false });
      if (!stat) continue;
      if (Date.now() - stat.mtimeMs > TOUCH_AFTER_MS && !touched(path)) continue;
      return path;
    }
    return undefined;
  }

  #write(name: string, bytes: Buffer, flush: boolean): Promise<void> {
    return this.#drafted(async (fd, publish) => {
      await writeAll(fd, bytes);
      const path = publish(name);
      this.#add(bytes.length);
      if (flush) this.#flushing.addNew(path);
    });
  }

  /** Fills a new file, which gets its name when `fill` publishes it; removes the file when that fails. */
  async #drafted<T>(fill: (fd: number, publish: (name: string) => string) => Promise<T>): Promise<T> {
    const draft = join(this.#folders.make('store'), `.new-${randomBytes(10).toString('hex')}`);
    const publish = (name: string) => {
      const path = join(this.#directory, 'store', name);
      fs.renameSync(draft, path);
      return path;
    };
    openDrafts.add(draft);
    try {
      const fd = await this.#openDraft(draft);
      try {
        return await fill(fd, publish);
      } finally {
        fs.closeSync(fd);
      }
    } catch (error) {
      fs.rmSync(draft, { force: true });
      throw error;
    } finally {
      openDrafts.delete(draft);
    }
  }

  /** Creates the directory again if somebody removed it. */
  async #openDraft(draft: string): Promise<number> {
    const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
    try {
      return await open(draft, flags, 0o600);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      this.#folders.forget();
      this.#folders.make('store');
      return open(draft, flags, 0o600);
    }
  }
}

/** Renews the time stamp; false when the file has just gone. */
function touched(path: string): boolean {
  try {
    fs.utimesSync(path, new Date(), new Date());
    return true;
  } catch {
    return false;
  }
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return fs.readFileSync(path);
  } catch {
    return undefined;
  }
}

function ignore(): void {}
