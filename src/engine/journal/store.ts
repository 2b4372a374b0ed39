/**
 * What the journal has kept of files: contents by their hash, and, where the state is on the same file system, files
 * and trees set aside whole. The store knows what the user had removed from it.
 */
import { type Contents, DamagedContent, type SetAside, type WholeTrees } from '../../state/contents.ts';
import { closing } from '../confine/closing.ts';
import { chunksOf, fillFile } from '../confine/content/chunks.ts';
import type { Dir, OpenFile, Stat } from '../confine/directory/dir.ts';
import type { ForgottenNames } from './entries/entry-index.ts';

export class Store {
  readonly contents: Contents;
  readonly #trees: WholeTrees | undefined;
  readonly #forgotten: () => ForgottenNames;

  /** `trees`: false to copy everything into the store and set nothing aside. */
  constructor(contents: Contents, forgotten: () => ForgottenNames, { trees = true } = {}) {
    this.contents = contents;
    this.#trees = trees ? contents.trees : undefined;
    this.#forgotten = forgotten;
  }

  put(bytes: Buffer, flush?: boolean): Promise<string> {
    return this.contents.put(bytes, flush);
  }

  putFile(file: OpenFile): Promise<{ hash: string; size: number }> {
    return this.contents.putChunks(chunksOf(file));
  }

  get(hash: string): Promise<Buffer | undefined> {
    return this.contents.get(hash);
  }

  has(hash: string): Promise<boolean> {
    return this.contents.has(hash);
  }

  /** Writes a content of any size into an open file; false when the store does not have it or it is damaged. */
  async writeInto(hash: string, fd: number): Promise<boolean> {
    const chunks = await this.contents.chunks(hash);
    if (!chunks) return false;
    try {
      await fillFile(fd, chunks);
      return true;
    } catch (error) {
      if (error instanceof DamagedContent) return false;
      throw error;
    }
  }

  /** Writes a file that was set aside into an open file. */
  async writeAsideInto(name: string, fd: number): Promise<void> {
    await closing(this.asideNamed(name).dir.open(name), (file) => fillFile(fd, chunksOf(file)));
  }

  /** Whether the user had a content or something set aside removed, and no later entry has kept it again. */
  isForgotten(name: string): boolean {
    return this.#forgotten().names.has(name);
  }

  /** The paths below something set aside that the user had removed from it. */
  forgottenInside(name: string): readonly string[] {
    return this.#forgotten().inside.get(name) ?? [];
  }

  /** A new place that the caller can move or link something to; undefined where nothing can be set aside. */
  aside(): SetAside | undefined {
    return this.#trees?.newPlace();
  }

  /** Notes that something of this size was set aside. */
  addedAside(bytes: number): void {
    this.#trees?.added(bytes);
  }

  asideNamed(name: string): SetAside {
    if (!this.#trees) throw new Error('nothing can be set aside here');
    return this.#trees.placeOf(name);
  }

  statAside(name: string): Stat | undefined {
    return this.#trees?.statOf(name);
  }

  /** Whether something on this device can be moved or linked aside. */
  isOnDevice(dev: bigint): boolean {
    return this.#trees?.isOnDevice(dev) ?? false;
  }

  /** Sets an open file aside without copying it; undefined where that is impossible. */
  linkAside(file: OpenFile, at: { dir: Dir; name: string | Buffer }): SetAside | undefined {
    if (!this.#trees?.isOnDevice(file.stat.dev)) return undefined;
    const aside = this.#trees.newPlace();
    return this.#trees.link(file, at, aside) ? aside : undefined;
  }
}
