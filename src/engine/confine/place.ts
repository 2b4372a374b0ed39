/** A resolved path: a held directory and one name in it, so that no operation looks the path up again. */
import { dirname } from 'node:path';
import { fail } from '../failures.ts';
import { closing } from './closing.ts';
import type { Dir, Stat } from './directory/dir.ts';
import type { SharedDirectories } from './directory/shared-directories.ts';
import { attempt } from './errno.ts';
import type { ProtectedPlaces } from './protect/protected-places.ts';
import type { Root } from './roots.ts';
import { rawOf } from './scan/raw-names.ts';
import type { MadeParent } from './walk/made-parents.ts';
import { similarPaths } from './walk/near-paths.ts';
import { requireNotOwnerFile } from './withheld/owner-files.ts';
import { sameEntryIn } from './withheld/same-entry.ts';
import type { Verdict, Withheld } from './withheld/withheld.ts';

/** A held directory and a name in it. The name is not a link, unless the walk was told not to follow links. */
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
  readonly #parentNames: readonly string[];
  /** The parent directories that the walk made, outermost first. */
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
    parentNames: readonly string[];
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
    this.#parentNames = at.parentNames;
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

  /** Returns what is here, or fails with `not-found` and the names of similar entries. */
  mustExist(wanted: 'file' | 'directory' | 'entry'): Stat {
    return this.lstat() ?? this.#failMissing(wanted);
  }

  /** Opens the directory at this place; the caller closes it. */
  enter(): Dir {
    const found = attempt(this.shown, 'open', () =>
      this.isRoot ? this.#dir.duplicate() : this.#dir.enter(this.name),
    );
    if (found === 'missing') return this.#failMissing('directory');
    if (found === 'not-a-directory') return fail({ kind: 'not-a-directory', path: this.shown });
    if ('linkTarget' in found) return fail({ kind: 'unstable', path: this.shown });
    // It was not a directory when the walk checked the rules.
    if (this.#asDirectory !== undefined) {
      found.close();
      return fail({ kind: 'unstable', path: this.shown });
    }
    return found;
  }

  /** Enters the directory at this place, runs `use`, and always closes the directory. */
  inside<T>(use: (dir: Dir) => T): T {
    return closing(this.enter(), use);
  }

  #failMissing(wanted: 'file' | 'directory' | 'entry'): never {
    fail({ kind: 'not-found', path: this.shown, wanted, near: this.#similar() });
  }

  #similar(): string[] {
    const { shown, name, withheld } = this;
    const parent = rawOf(dirname(this.path));
    const isSame = sameEntryIn(this.#dir);
    const isListed = (near: string) =>
      withheld?.verdictOnName(parent, rawOf(near), true, isSame) !== 'hidden';
    return similarPaths(this.#dir, { shown, name, isListed });
  }

  requireWritable(): void {
    if (this.root.readOnly) fail({ kind: 'read-only', path: this.shown, why: this.root.readOnly });
    requireNotOwnerFile(this);
    this.#protectedPlaces.requireChangeable(this);
  }

  /** Removes the parent directories that the walk made, up to the first one that is no longer empty. */
  undoParents(): void {
    for (const { dir, name } of [...this.#made].reverse()) {
      try {
        dir.rmdir(name);
      } catch {
        return;
      }
    }
  }

  /** Hands the directories of this place over to a change of many files, which closes them. */
  shareWith(shared: SharedDirectories): void {
    const { dir: root } = this.root;
    const depth = this.#parentNames.length - this.#made.length;
    this.#made = this.#made.map(({ dir, name }, i) => {
      if (depth + i > 0) return { dir: shared.share(dir, root, this.#parentNames.slice(0, depth + i)), name };
      dir.close();
      return { dir: root, name };
    });
    this.#isMadeShared = true;
    // A `HiddenDir` stays with its place: other names in the same directory are not hidden.
    if (!this.#owned || !this.#dir.mayPark) return;
    this.#dir = shared.share(this.#dir, root, this.#parentNames);
    this.#owned = false;
  }

  close(): void {
    if (this.#owned) this.#dir.close();
    if (this.#isMadeShared) return;
    for (const { dir } of this.#made) dir.close();
  }
}
