/** The parent directories that a walk made, each with the directory that it is in, so that they can be removed again. */
import type { Dir } from './directory/dir.ts';

/** Of this many directories that were made below each other, one keeps its descriptor. */
const MADE_A_DESCRIPTOR = 16;

export interface MadeParent {
  dir: Dir;
  name: string;
}

export class MadeParents {
  /** Outermost first. */
  readonly list: MadeParent[] = [];

  /** `parent`: where the directory was made, the root or at the end of these names below it. It stays held. */
  add(parent: Dir, name: string, { root, names }: { root: Dir; names: readonly string[] }): void {
    this.list.push({ dir: parent === root ? parent.again() : this.#parked(parent, names), name });
  }

  holds(dir: Dir): boolean {
    return this.list.some((made) => made.dir === dir);
  }

  /** Removes and closes all of them. */
  remove(): void {
    for (const { dir, name } of this.list.reverse()) {
      try {
        dir.rmdir(name);
      } catch {
        // Somebody put something there meanwhile: it stays.
      }
      dir.close();
    }
  }

  /** A deep path may make a thousand directories: of those above them only some keep their descriptors. */
  #parked(parent: Dir, names: readonly string[]): Dir {
    const since = this.list.length % MADE_A_DESCRIPTOR;
    if (since > 0) {
      const from = this.list[this.list.length - since]!.dir;
      parent.mayPark?.({ from, names: names.slice(-since), used: () => {} });
      parent.park?.();
    }
    return parent;
  }
}
