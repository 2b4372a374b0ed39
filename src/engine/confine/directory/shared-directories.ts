/**
 * The directories of one change of many files: each is held once, however many of the files lie in it, and only so
 * many have a descriptor at a time. A process may have no more than 256 descriptors, and other calls need some.
 */
import type { Dir } from './dir.ts';

/** One step may use two of them, and each waits for its turn on its own; a few more keep the walks rare. */
const MOST_DESCRIPTORS = 32;

export class SharedDirectories {
  readonly #byIdentity = new Map<string, Dir>();
  /** Those with a descriptor, the one that was used last at the end. */
  readonly #open = new Set<Dir>();

  /** Takes over a directory, which lies `names` below `from`; gives the one to use in its place. */
  share(dir: Dir, from: Dir, names: readonly string[]): Dir {
    const known = this.#byIdentity.get(dir.identity);
    if (known) {
      dir.close();
      return known;
    }
    this.#byIdentity.set(dir.identity, dir);
    dir.mayPark?.({ from, names, used: () => this.#used(dir) });
    this.#used(dir);
    return dir;
  }

  close(): void {
    for (const dir of this.#byIdentity.values()) dir.close();
  }

  #used(dir: Dir): void {
    this.#open.delete(dir);
    this.#open.add(dir);
    if (this.#open.size <= MOST_DESCRIPTORS) return;
    const [longestUnused] = this.#open;
    this.#open.delete(longestUnused!);
    longestUnused!.park?.();
  }
}
