/** Makes the parent directories that a path lacks, and keeps them, so that they can be removed again. */
import { fail } from '../../failures.ts';
import { limits } from '../../limits.ts';
import type { Dir } from '../directory/dir.ts';
import { attempt, failFrom } from '../errno.ts';
import { readsAsGit } from '../protect/git-control.ts';
import type { ProtectedPlaces } from '../protect/protected-places.ts';
import type { Root } from '../roots.ts';
import type { WalkOptions } from '../wall.ts';
import { requireNotOwnerFile } from '../withheld/owner-files.ts';

/** One in this many nested new directories keeps its descriptor. */
const DIRECTORIES_A_DESCRIPTOR = 16;

export interface MadeParent {
  /** The directory that it was made in. */
  dir: Dir;
  name: string;
}

/** A directory that a path leads through and that is not there. */
interface MissingParent {
  root: Root;
  /** The directory to make it in, which stays held. */
  parent: Dir;
  /** The names that lead from the root to that directory. */
  parentNames: readonly string[];
  name: string;
  /** Absolute, with all links resolved. */
  path: string;
  /** The whole path as it was sent. */
  shown: string;
  /** How many names of the path come after it. */
  namesBelow: number;
}

export class MadeParents {
  /** Outermost first. */
  readonly list: MadeParent[] = [];

  /** Makes a directory and enters it. Undefined when something else appeared there meanwhile. */
  make(
    { root, parent, parentNames, name, path, shown, namesBelow }: MissingParent,
    protectedPlaces: ProtectedPlaces,
    options: Pick<WalkOptions, 'onMake'>,
  ): Dir | undefined {
    if (root.readOnly) fail({ kind: 'read-only', path: shown, why: root.readOnly });
    // In a directory that the walk just made, only the name can be protected. `Place.requireWritable` checks the whole
    // path later.
    if (this.list.length === 0 || readsAsGit(name)) {
      // A deeper tree could not be walked afterwards, and making and removing thousands of directories holds up other
      // calls.
      if (namesBelow > limits.treeDepth) fail({ kind: 'bad-path', path: shown, why: 'too-deep' });
      requireNotOwnerFile({ root, name, path, shown });
      protectedPlaces.requireChangeable({ dir: parent, name, path, shown });
    }
    options.onMake?.(path, root.real);
    try {
      parent.mkdir(name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
      failFrom(error, shown, 'create');
    }
    const made = attempt(shown, 'open', () => parent.enter(name));
    if (typeof made === 'string' || 'linkTarget' in made) return undefined;
    // The parent stays held until the place is closed, so that the new directory can be removed again.
    this.list.push({
      dir: parent === root.dir ? parent.duplicate() : this.#parked(parent, parentNames),
      name,
    });
    return made;
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
    const since = this.list.length % DIRECTORIES_A_DESCRIPTOR;
    if (since > 0) {
      const from = this.list[this.list.length - since]!.dir;
      parent.mayPark?.({ from, names: names.slice(-since), used: () => {} });
      parent.park?.();
    }
    return parent;
  }
}
