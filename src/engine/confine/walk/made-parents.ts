/** The parent directories that a walk made, each with the directory that it is in, so that they can be removed again. */
import type { Dir } from '../directory/dir.ts';

/** One in this many nested new directories keeps its descriptor. */
const MADE_A_DESCRIPTOR = 16;

export interface MadeParent {
  dir: Dir;
  name: string;
}

export class MadeParents {
  /** Outermost first. */
  readonly list: MadeParent[] = [];

  /** Adds a directory that was made in `parent`, which `names` lead to from `root`. `parent` stays held. */
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
        // Somebody put something into it meanwhile: leave it.
      }
      dir.close();
    }
  }

  /** A deep path may need a thousand new directories, so only some of their parents keep a descriptor. */
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
