/**
 * What files held before they were changed, each content once under its own hash, and what was set aside
 * whole.
 *
 *     store/HASH          a content as it is        store/HASH.z       the same, deflated
 *     aside/NAME          a file or tree, moved or linked here as it was
 *     leaving/…           what nothing needs any more, kept a while longer
 *     forgetting/…        what is being removed for good
 */
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Dir, OpenFile, Stat } from '../../engine/confine/dir.ts';
import { chooseKeeper } from '../../engine/confine/protection.ts';
import type { ForgottenNames } from '../../engine/journal/entries/read-entries.ts';
import { FlushSoon } from './flush-soon.ts';
import { linkAside } from './link-aside.ts';
import { makeDirectory } from './make-directory.ts';
import { chunksOf, deflateInto, hashOf, pack, pourInto, pourStored, unpack, writeAll } from './packing.ts';
import { Ledger } from './usage.ts';

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = fs.constants;
const ASIDE_NAME = /^[0-9a-f]{20}$/;
/** What is used again looks young for at least this long, so that it is not taken for left over. */
const TOUCH_AFTER_MS = 60_000;

const fsync = promisify(fs.fsync);
/** To make a file may wait for the flush of another one: that is no reason for the main thread to wait. */
const open = promisify(fs.open);

export { hashOf };

export interface SetAside {
  dir: Dir;
  name: string;
}

export class Store {
  readonly directory: string;
  #aside: Dir | undefined;
  readonly #made = new Set<string>();
  readonly #flushing = new FlushSoon();
  readonly #later = new Set<Promise<void>>();
  /** By hash: whoever wants to keep the same waits for it. */
  readonly #beingPut = new Map<string, Promise<void>>();
  readonly #ledger: Ledger;
  /** Bytes that this process has added, and those that it is about to add while nobody waits. */
  added = 0;
  #coming = 0;

  /** Bytes that it is about to keep while nobody waits. */
  get coming(): number {
    return this.#coming;
  }

  readonly #forgotten: () => ForgottenNames;

  /** `forgotten`: what the user had removed. */
  constructor(directory: string, forgotten: () => ForgottenNames) {
    this.directory = directory;
    this.#forgotten = forgotten;
    this.#ledger = new Ledger(directory);
  }

  /** Bytes that are kept, by all who share the directory, and will be. */
  get weight(): number {
    return this.#ledger.sum() + this.#coming;
  }

  /** The same, looked at closely. Only one process at a time may do this. */
  measured(): number {
    return this.#ledger.measure(true) + this.#coming;
  }

  /** Whether the user had a content or something set aside removed, and it was not kept again since. */
  isForgotten(name: string): boolean {
    return this.#forgotten().names.has(name) && !this.has(name) && !this.#isAside(name);
  }

  /** What the user had removed within something that was set aside, by paths below it. */
  forgottenInside(name: string): readonly string[] {
    return this.#forgotten().inside.get(name) ?? [];
  }

  #isAside(name: string): boolean {
    return ASIDE_NAME.test(name) && this.statAside(name) !== undefined;
  }

  /**
   * Keeps a content. With a flush it is there once `stored` has settled, and soon survives a power cut; without,
   * it is there when this settles.
   */
  async put(bytes: Buffer, flush = true): Promise<string> {
    const hash = await hashOf(bytes);
    const there = this.#beingPut.has(hash) ? undefined : this.#pathThere(hash);
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
      const packed = await pack(bytes);
      await this.#write(packed ? `${hash}.z` : hash, packed ?? bytes, flush);
    };
    const putting = writing().finally(() => this.#beingPut.delete(hash));
    // Whoever needs it asks after it, and hears of a failure then.
    putting.catch(() => {});
    this.#beingPut.set(hash, putting);
    return putting;
  }

  /**
   * Keeps a content that nobody waits for: what a file has become, to be shown, and what its next change will
   * find there.
   */
  putLater(bytes: Buffer): void {
    this.#coming += bytes.length;
    const turn = new Promise((resolve) => setImmediate(resolve));
    const kept = turn.then(async () => this.stored([await this.put(bytes)]));
    const done = kept.then(
      () => {},
      () => {},
    );
    this.#later.add(done);
    void done.then(() => {
      this.#coming -= bytes.length;
      this.#later.delete(done);
    });
  }

  /** Settles when nothing is left to be written. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#later);
    await this.#flushing.now();
  }

  /**
   * Settles when these contents are in the store. They are flushed soon after, and nobody waits for that: it
   * would make every change half as long again, and only a power cut in that moment can tell the difference.
   */
  async stored(hashes: Iterable<string>): Promise<void> {
    await Promise.all([...hashes].map((hash) => this.#beingPut.get(hash)));
    this.#flushing.requireWell();
  }

  /** Keeps the content of an open file of any size, deflated, in bounded memory. */
  async putFile(file: OpenFile): Promise<{ hash: string; size: number }> {
    const { draft, fd } = await this.#draft();
    try {
      const { hash, size } = await deflateInto(fd, file);
      await fsync(fd);
      this.#publish(draft, `${hash}.z`);
      this.weighs(fs.fstatSync(fd).size);
      return { hash, size };
    } catch (error) {
      fs.rmSync(draft, { force: true });
      throw error;
    } finally {
      fs.closeSync(fd);
    }
  }

  /** The content with this hash, or undefined when it is not kept or no longer what it was. */
  async get(hash: string): Promise<Buffer | undefined> {
    await Promise.allSettled(this.#later);
    const stored = this.#read(hash) ?? (await this.#readPacked(hash));
    return stored && (await hashOf(stored)) === hash ? stored : undefined;
  }

  /** Writes a content of any size to an open file; false when it is not kept or no longer what it was. */
  async pour(hash: string, fd: number): Promise<boolean> {
    const path = this.#places(hash).find((place) => fs.existsSync(place));
    return path !== undefined && (await pourStored(path, fd)) === hash;
  }

  /** The same for what was set aside. */
  async pourAside(name: string, fd: number): Promise<void> {
    const file = this.asideNamed(name).dir.open(name);
    try {
      await pourInto(fd, chunksOf(file));
    } finally {
      file.close();
    }
  }

  has(hash: string): boolean {
    if (this.#beingPut.has(hash)) return true;
    return this.#places(hash).some((path) => fs.existsSync(path));
  }

  /** A new name beside the store, for something that is moved or linked there. */
  aside(): SetAside {
    return { dir: this.#asideDir(), name: randomBytes(10).toString('hex') };
  }

  /** Something of this size was set aside. */
  weighs(bytes: number): void {
    this.added += bytes;
    this.#ledger.add(bytes);
  }

  asideNamed(name: string): SetAside {
    if (!ASIDE_NAME.test(name)) throw new Error(`not a name of something set aside: ${name}`);
    return { dir: this.#asideDir(), name };
  }

  /** What was set aside under this name, if it is still there. Nothing is made for looking. */
  statAside(name: string): Stat | undefined {
    return fs.existsSync(join(this.directory, 'aside')) ? this.asideNamed(name).dir.lstat(name) : undefined;
  }

  /** Whether something on this device can be moved or linked here. */
  isOnDevice(dev: bigint): boolean {
    return this.#asideDir().stat().dev === dev;
  }

  /** Sets an open file aside without copying it; false where that cannot be, see link-aside.ts. */
  linkAside(file: OpenFile, at: { dir: Dir; name: string }, aside: SetAside): boolean {
    const linked = linkAside(file, at, aside, join(this.directory, 'aside', aside.name));
    if (linked) this.weighs(file.stat.size);
    return linked;
  }

  close(): void {
    this.#ledger.close();
    this.#letGoOfAside();
  }

  #letGoOfAside(): void {
    this.#aside?.close();
    this.#aside = undefined;
  }

  #asideDir(): Dir {
    if (this.#aside?.fd !== undefined && fs.fstatSync(this.#aside.fd).nlink === 0) {
      this.#letGoOfAside();
      this.#made.clear();
    }
    this.#aside ??= chooseKeeper().hold(fs.realpathSync(this.#folder('aside')));
    return this.#aside;
  }

  #folder(...names: string[]): string {
    const path = join(this.directory, ...names);
    if (!this.#made.has(path)) {
      makeDirectory(path);
      this.#made.add(path);
    }
    return path;
  }

  /** A new file in the store. Somebody may have removed the directory: then it is made again. */
  async #draft(): Promise<{ draft: string; fd: number }> {
    const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
    const draft = join(this.#folder('store'), temporary());
    try {
      return { draft, fd: await open(draft, flags, 0o600) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      this.#made.clear();
      this.#folder('store');
      return { draft, fd: await open(draft, flags, 0o600) };
    }
  }

  #places(hash: string): string[] {
    const at = blobPath(hash);
    const leaving = join(this.directory, 'leaving', hash);
    return [at, `${at}.z`].map((path) => join(this.directory, path)).concat(leaving, `${leaving}.z`);
  }

  #pathThere(hash: string): string | undefined {
    for (const path of this.#places(hash).slice(0, 2)) {
      const stat = fs.statSync(path, { throwIfNoEntry: false });
      if (!stat) continue;
      if (Date.now() - stat.mtimeMs > TOUCH_AFTER_MS && !touched(path)) continue;
      return path;
    }
    return undefined;
  }

  #read(hash: string): Buffer | undefined {
    const [plain, , leaving] = this.#places(hash);
    return readIfThere(plain!) ?? readIfThere(leaving!);
  }

  async #readPacked(hash: string): Promise<Buffer | undefined> {
    const [, plain, , leaving] = this.#places(hash);
    const packed = readIfThere(plain!) ?? readIfThere(leaving!);
    return packed && unpack(packed);
  }

  async #write(name: string, bytes: Buffer, flush: boolean): Promise<void> {
    const { draft, fd } = await this.#draft();
    try {
      await writeAll(fd, bytes);
      this.#publish(draft, name);
      this.weighs(bytes.length);
      if (flush) this.#flushing.add(join(this.directory, blobPath(name)));
    } catch (error) {
      fs.rmSync(draft, { force: true });
      throw error;
    } finally {
      fs.closeSync(fd);
    }
  }

  #publish(draft: string, name: string): void {
    fs.renameSync(draft, join(this.directory, blobPath(name)));
  }
}

export function blobPath(name: string): string {
  return join('store', name);
}

/** False when it has left in this moment. */
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

function temporary(): string {
  return `.new-${randomBytes(10).toString('hex')}`;
}
