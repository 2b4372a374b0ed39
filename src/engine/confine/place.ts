/** Where a path has led: a held directory and one name in it, never a path to be looked up again. */
import { fail } from '../failures.ts';
import type { Dir, Stat } from './directory/dir.ts';
import type { SharedDirectories } from './directory/shared-directories.ts';
import { attempt, failMissing } from './errno.ts';
import type { MadeParent } from './made-parents.ts';
import { similarPaths } from './near-paths.ts';
import type { ProtectedPlaces } from './protect/protected-places.ts';
import type { Root } from './roots.ts';
import { rawOf } from './scan/raw-names.ts';
import { requireNotOwnerFile } from './withheld/ignore-file.ts';
import { sameEntryIn } from './withheld/same-entry.ts';
import type { IsSameEntry, Verdict, Withheld } from './withheld/withheld.ts';

/** Where a path leads: a held directory and a name in it that is not a link (unless links were not followed). */
export class Place {
  readonly root: Root;
  /** Empty when the place is a root itself. */
  readonly name: string;
  /** The path as it was sent, for answers and errors. */
  readonly shown: string;
  /** Absolute, with all links resolved. */
  readonly path: string;
  #dir: Dir;
  /** The names that lead from the root to the held parent. */
  readonly #way: readonly string[];
  /** The names of the parent directories that were made on the way, outermost first. */
  #made: readonly MadeParent[];
  #owned: boolean;
  #isMadeShared = false;
  readonly #protectedPlaces: ProtectedPlaces;
  /** What the owner denies or hides, for walks below this place. */
  readonly withheld: Withheld | undefined;
  /** Why this place must not be entered if it is a directory. */
  readonly #asDirectory: Verdict | undefined;

  constructor(at: {
    root: Root;
    dir: Dir;
    owned: boolean;
    name: string;
    shown: string;
    path: string;
    way: readonly string[];
    made: readonly MadeParent[];
    protectedPlaces: ProtectedPlaces;
    withheld: Withheld | undefined;
    asDirectory: Verdict | undefined;
  }) {
    this.root = at.root;
    this.#dir = at.dir;
    this.#owned = at.owned;
    this.name = at.name;
    this.shown = at.shown;
    this.path = at.path;
    this.#way = at.way;
    this.#made = at.made;
    this.#protectedPlaces = at.protectedPlaces;
    this.withheld = at.withheld;
    this.#asDirectory = at.asDirectory;
  }

  get isRoot(): boolean {
    return this.name === '';
  }

  /** Whether the path can only mean a directory: a root, or something with a slash at its end. */
  get namesDirectory(): boolean {
    return this.isRoot || /\/\.?$/.test(this.shown);
  }

  /** The held parent; for a root, the root itself. */
  get dir(): Dir {
    return this.#dir;
  }

  lstat(): Stat | undefined {
    return attempt(this.shown, 'look at', () =>
      this.isRoot ? this.#dir.stat() : this.#dir.lstat(this.name),
    );
  }

  /** What is here, or a `not-found` failure that names similar entries. */
  mustExist(wanted: 'file' | 'directory' | 'entry'): Stat {
    return this.lstat() ?? failMissing(this.shown, wanted, this.#similar());
  }

  /** Holds the directory that this place is; the caller closes it. */
  enter(): Dir {
    const found = attempt(this.shown, 'open', () =>
      this.isRoot ? this.#dir.again() : this.#dir.enter(this.name),
    );
    if (found === 'missing') {
      return failMissing(this.shown, 'directory', this.#similar());
    }
    if (found === 'not-a-directory') return fail({ kind: 'not-a-directory', path: this.shown });
    if ('linkTarget' in found) return fail({ kind: 'unstable', path: this.shown });
    // It was no directory when the path was walked.
    if (this.#asDirectory !== undefined) {
      found.close();
      return fail({ kind: 'unstable', path: this.shown });
    }
    return found;
  }

  /** What the owner says about a raw name in the directory that this place is. */
  verdictOn(name: string, isDirectory: boolean, isSame: IsSameEntry): Verdict | undefined {
    return this.withheld?.nameIn(rawOf(this.path), name, isDirectory, isSame);
  }

  #similar(): string[] {
    const { shown, name, withheld } = this;
    const parent = rawOf(this.path.slice(0, this.path.lastIndexOf('/')) || '/');
    const isSame = sameEntryIn(this.#dir);
    const isListed = (near: string) => withheld?.nameIn(parent, rawOf(near), true, isSame) !== 'hidden';
    return similarPaths(this.#dir, { shown, name, isListed });
  }

  requireWritable(): void {
    if (this.root.readOnly) fail({ kind: 'read-only', path: this.shown, why: this.root.readOnly });
    requireNotOwnerFile(this);
    this.#protectedPlaces.requireChangeable(this);
  }

  /** Removes the parent directories that were made for this place, as far as they are still empty. */
  undoParents(): void {
    for (const { dir, name } of [...this.#made].reverse()) {
      try {
        dir.rmdir(name);
      } catch {
        return;
      }
    }
  }

  /** Leaves its directories to a change of many files, which closes them. */
  shareWith(shared: SharedDirectories): void {
    const { dir: root } = this.root;
    const depth = this.#way.length - this.#made.length;
    this.#made = this.#made.map(({ dir, name }, i) => {
      if (depth + i > 0) return { dir: shared.share(dir, root, this.#way.slice(0, depth + i)), name };
      dir.close();
      return { dir: root, name };
    });
    this.#isMadeShared = true;
    // What replaces a hidden place is its own: others in the same directory are not hidden.
    if (!this.#owned || !this.#dir.mayPark) return;
    this.#dir = shared.share(this.#dir, root, this.#way);
    this.#owned = false;
  }

  close(): void {
    if (this.#owned) this.#dir.close();
    if (this.#isMadeShared) return;
    for (const { dir } of this.#made) dir.close();
  }
}
