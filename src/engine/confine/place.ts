/** Where a path has led: a held directory and one name in it, never a path to be looked up again. */
import { EngineFailure, fail } from '../failures.ts';
import { nearNames } from '../text/similar.ts';
import { isTemporary } from './content/drafts.ts';
import type { Dir, Stat } from './dir.ts';
import { attempt, failMissing } from './errno.ts';
import type { ProtectedPlaces } from './protect/protected-places.ts';
import type { Root } from './roots.ts';
import { textOf } from './scan/raw-names.ts';

/** Where a path leads: a held directory and a name in it that is not a link (unless links were not followed). */
export class Place {
  readonly root: Root;
  /** Empty when the place is a root itself. */
  readonly name: string;
  /** The path as it was sent, for answers and errors. */
  readonly shown: string;
  /** Absolute, with all links resolved. */
  readonly path: string;
  readonly #dir: Dir;
  /** The names of the parent directories that were made on the way, outermost first. */
  readonly #made: readonly { dir: Dir; name: string }[];
  readonly #owned: boolean;
  readonly #protectedPlaces: ProtectedPlaces;

  constructor(at: {
    root: Root;
    dir: Dir;
    owned: boolean;
    name: string;
    shown: string;
    path: string;
    made: { dir: Dir; name: string }[];
    protectedPlaces: ProtectedPlaces;
  }) {
    this.root = at.root;
    this.#dir = at.dir;
    this.#owned = at.owned;
    this.name = at.name;
    this.shown = at.shown;
    this.path = at.path;
    this.#made = at.made;
    this.#protectedPlaces = at.protectedPlaces;
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

  /** What stands here, or a `not-found` failure that names similar entries. */
  mustExist(wanted: 'file' | 'directory' | 'entry'): Stat {
    return (
      this.lstat() ?? failMissing(this.shown, wanted, similarPaths(this.#dir, this.shown, this.name, ''))
    );
  }

  /** Holds the directory that this place is; the caller closes it. */
  enter(): Dir {
    const found = attempt(this.shown, 'open', () =>
      this.isRoot ? this.#dir.again() : this.#dir.enter(this.name),
    );
    if (found === 'missing') {
      return failMissing(this.shown, 'directory', similarPaths(this.#dir, this.shown, this.name, ''));
    }
    if (found === 'not-a-directory') return fail({ kind: 'not-a-directory', path: this.shown });
    if ('linkTarget' in found) return fail({ kind: 'unstable', path: this.shown });
    return found;
  }

  requireWritable(): void {
    if (this.root.readOnly) fail({ kind: 'read-only', path: this.shown, why: this.root.readOnly });
    this.#protectedPlaces.requireChangeable(this);
  }

  /** Takes back the parent directories that were made for this place, as far as they are still empty. */
  undoParents(): void {
    for (const { dir, name } of [...this.#made].reverse()) {
      try {
        dir.rmdir(name);
      } catch {
        return;
      }
    }
  }

  close(): void {
    if (this.#owned) this.#dir.close();
    for (const { dir } of this.#made) dir.close();
  }
}

/** What was probably meant: entries of the same directory with a similar name, written like the path sent. */
export function similarPaths(dir: Dir, shown: string, name: string, rest: string): string[] {
  const end = shown.lastIndexOf(name);
  if (name === '' || end < 0) return [];
  try {
    return nearNames(name, firstNames(dir)).map((near) => shown.slice(0, end) + near + rest);
  } catch (error) {
    if (error instanceof EngineFailure) throw error;
    return [];
  }
}

/** Of a larger directory only so many names are looked at. */
const MOST_NAMES = 5000;
/** What was read last: a call may miss many names of one directory. It only helps to guess, so it may be old. */
let lastRead: { state: string; names: readonly string[] } | undefined;

function firstNames(dir: Dir): readonly string[] {
  const { dev, ino, mtimeNs, ctimeNs } = dir.stat();
  const state = [dev, ino, mtimeNs, ctimeNs].join(':');
  if (lastRead?.state === state) return lastRead.names;
  const names: string[] = [];
  for (const batch of dir.rawNameBatches()) {
    for (const name of batch) if (!isTemporary(name, 'file')) names.push(textOf(name));
    if (names.length >= MOST_NAMES) break;
  }
  lastRead = { state, names };
  return names;
}
