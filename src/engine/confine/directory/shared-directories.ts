/**
 * The directories of one change of many files. Each is held once, however many of the files are in it, and only some
 * have an open descriptor at a time: a process may be limited to 256 descriptors, and other calls need some.
 */
import type { Dir } from './dir.ts';

/** A step uses two at a time. The others save walking to the same directories again. */
const MOST_DESCRIPTORS = 32;

export class SharedDirectories {
  readonly #byIdentity = new Map<string, Dir>();
  /** The directories with an open descriptor, the least recently used one first. */
  readonly #open = new Set<Dir>();

  /** Takes ownership of a directory, which `names` lead to from `from`. Returns the one to use in its place. */
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
