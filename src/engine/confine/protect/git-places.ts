/** Finds Git's configuration and hooks in the served directories, before a command runs and after it. */
import { basename, join, relative, sep } from 'node:path';
import { Yielder } from '../../event-loop.ts';
import { asOwner } from '../directory/as-owner.ts';
import type { Dir } from '../directory/dir.ts';
import { exists, targetOf } from '../probe-path.ts';
import { isBelow, isWithin, type Root } from '../roots.ts';
import type { Absence } from '../scan/absence.ts';
import { childPath } from '../scan/child-path.ts';
import { type Cursor, openCursor, scanRootOf } from '../scan/cursor.ts';
import type { Listing } from '../scan/listing.ts';
import { rawOf, shownRaw } from '../scan/raw-names.ts';
import { CONTROL, gitControl, looksLikeRepository } from './git-control.ts';
import { pathsNamedBy, pathsNamedByBare } from './git-named-paths.ts';
import { GIT } from './git-names.ts';
import { type Rebase, rebaseIn } from './git-rebase.ts';

/** How many entries to search before each command at most. */
export const MOST_ENTRIES = 20_000;
/** How many of the directories in which Git was found before are searched again: a command could make very many. */
const MOST_SEARCHED_AGAIN = 1000;
/** Searched last: it is large, and hardly ever has repositories in it. */
const SEARCHED_LAST = 'node_modules';
/** Not searched in a repository: these are large, and hold no other repositories. */
const NOT_SEARCHED: ReadonlySet<string> = new Set(['objects', 'refs', 'logs']);

/**
 * A directory, by the raw names that lead to it from its root. A path could not name it, since names need not be UTF-8.
 */
export interface PlaceInRoot {
  root: Root;
  /** Raw names with `/` between them; empty for the root. */
  rawPath: string;
}

export interface Repository extends PlaceInRoot {
  /** When the directory was made. */
  born: number;
}

export interface GitPlaces {
  /** Directories that look like a repository, by path. */
  repositories: Map<string, Repository>;
  /** Directories in which Git was found: worktrees and repositories. */
  holders: Set<string>;
  /** Files and directories that exist and must stay as they are, the most important ones first. */
  fixed: Set<string>;
  /** Paths where nothing may appear. */
  absent: Set<string>;
  /** Files called `.git`, and links that Git follows, with the content of each: a mount cannot protect a link. */
  pointers: Map<string, string>;
  /** Unfinished rebases, by the paths of their repositories. */
  rebases: Map<string, Rebase>;
  /** How many entries were searched. */
  entries: number;
  /** Directories that were not searched, because there were too many entries. */
  unseen: Set<string>;
  /** When the search began. */
  since: number;
}

export interface GitPlacesOptions {
  /** How many entries to search at most. */
  most?: number;
  /** Directories that were repositories once: their configuration stays protected when they no longer look like one. */
  known?: ReadonlySet<string>;
  /** Directories in which Git was found before: searched first, however many entries there are by now. */
  first?: ReadonlySet<string>;
}

/** `cwd`: where the command runs; every directory above it is always searched. */
export async function findGitPlaces(
  roots: readonly Root[],
  cwd: string,
  { most = MOST_ENTRIES, known = new Set(), first = new Set() }: GitPlacesOptions = {},
): Promise<GitPlaces> {
  const writable = roots.filter((root) => !root.readOnly);
  const finder = new GitPlacesFinder(writable, { most, known, first });
  await finder.run(cwd);
  return finder.found;
}

/** Opens the directory without following links, and runs `use`. Undefined if it is missing or cannot be used. */
export function withHeld<T>({ root, rawPath }: PlaceInRoot, use: (dir: Dir) => T): T | undefined {
  let dir = root.dir.duplicate();
  try {
    for (const name of rawPath === '' ? [] : rawPath.split('/')) {
      const outer = dir;
      const inner = outer.enterRaw(Buffer.from(name, 'latin1'));
      if (inner === undefined) return undefined;
      dir = inner;
      outer.close();
    }
    return use(dir);
  } catch {
    return undefined;
  } finally {
    dir.close();
  }
}

class GitPlacesFinder {
  readonly found: GitPlaces = {
    repositories: new Map(),
    holders: new Set(),
    fixed: new Set(),
    absent: new Set(),
    pointers: new Map(),
    rebases: new Map(),
    entries: 0,
    unseen: new Set(),
    since: Date.now(),
  };
  readonly #roots: readonly Root[];
  readonly #most: number;
  readonly #known: ReadonlySet<string>;
  readonly #first: ReadonlySet<string>;
  /** Whether each directory that was inspected is Git's own. */
  readonly #inspected = new Map<string, boolean>();
  /** Files called `.git`. Each is compared after the command too, so they come last in `fixed`. */
  readonly #files: string[] = [];
  readonly #yielder = new Yielder(undefined);

  constructor(roots: readonly Root[], { most, known, first }: Required<GitPlacesOptions>) {
    this.#roots = roots;
    this.#most = most;
    this.#known = known;
    this.#first = first;
  }

  async run(cwd: string): Promise<void> {
    for (const { dir, real } of this.#roots) {
      if (basename(real) !== GIT && gitControl({ dir, name: '', path: real })) this.found.fixed.add(real);
    }
    for (const path of [...this.#pathsTo(cwd), ...[...this.#first].slice(0, MOST_SEARCHED_AGAIN)]) {
      await this.#yielder.pause();
      for (const root of this.#roots) {
        if (isWithin(path, root.real)) this.#inspect({ root, rawPath: rawOf(relative(root.real, path)) });
      }
    }
    const cursors = new Map(this.#roots.map((root) => [root, openCursor(scanRootOf(root.dir))]));
    try {
      await this.#below(cursors);
    } finally {
      for (const cursor of cursors.values()) cursor.close();
    }
    for (const path of this.#files) this.found.fixed.add(path);
  }

  /** Searches upper directories first, so that nothing deep down, however much it is, hides what is higher up. */
  async #below(cursors: ReadonlyMap<Root, Cursor>): Promise<void> {
    let waiting = this.#roots.map((root): PlaceInRoot => ({ root, rawPath: '' }));
    for (let last: PlaceInRoot[] = []; waiting.length > 0; waiting = last, last = []) {
      for (const place of waiting) {
        if (this.found.entries >= this.#most) {
          this.found.unseen.add(pathOf(place));
          continue;
        }
        await this.#yielder.pause();
        for (const inner of await this.#directoriesIn(place, cursors.get(place.root)!)) {
          const isLast = inner.rawPath.endsWith(`/${SEARCHED_LAST}`) || inner.rawPath === SEARCHED_LAST;
          (isLast && !place.rawPath.split('/').includes(SEARCHED_LAST) ? last : waiting).push(inner);
        }
      }
    }
  }

  /** Searches a directory, and returns those in it that may hold more. */
  async #directoriesIn(place: PlaceInRoot, cursor: Cursor): Promise<PlaceInRoot[]> {
    const { root, rawPath } = place;
    const listing = await this.#list(place, cursor);
    if (typeof listing === 'string') return [];
    const { names, types } = listing;
    this.found.entries += names.length;
    // The names are known already: only a name that could be Git's is worth a check.
    const mayBeGit = names.some(
      (name) => name === GIT || (name.length === 4 && name.toLowerCase() === 'head'),
    );
    const isGit = (mayBeGit || this.#isKnown(pathOf(place))) && this.#inspect(place);
    return names
      .filter((name, index) => types[index] === 'directory' && !(isGit && NOT_SEARCHED.has(name)))
      .map((name) => ({ root, rawPath: childPath(rawPath, name) }));
  }

  /** Lists in turns, since there may be hundreds of thousands of entries. */
  async #list(place: PlaceInRoot, cursor: Cursor): Promise<Listing | Absence> {
    try {
      const listing = cursor.goTo(place.rawPath) ?? (await cursor.listInTurns(() => this.#yielder.pause()));
      // Git opens its files by name, even in a directory that nobody may list.
      return listing === 'unreadable'
        ? (withHeld(place, (dir) => asOwner(dir, () => cursor.list())) ?? listing)
        : listing;
    } catch {
      return 'unreadable';
    }
  }

  #pathsTo(cwd: string): string[] {
    return this.#roots.flatMap(({ real }) => {
      if (!isWithin(cwd, real)) return [];
      const names = relative(real, cwd).split(sep).filter(Boolean);
      return [real, ...names.map((_, index) => join(real, ...names.slice(0, index + 1)))];
    });
  }

  #isKnown(path: string): boolean {
    return basename(path) === GIT || this.#known.has(path);
  }

  /** Records what a directory holds, once. Returns whether it is a repository. */
  #inspect(place: PlaceInRoot): boolean {
    const path = pathOf(place);
    const inspected =
      this.#inspected.get(path) ??
      withHeld(place, (dir) => this.#inspectDirectory(dir, path, place)) ??
      false;
    this.#inspected.set(path, inspected);
    return inspected;
  }

  /** Returns whether the directory is a repository, or was one. Records the `.git` of a worktree too. */
  #inspectDirectory(dir: Dir, path: string, place: PlaceInRoot): boolean {
    const { holders, pointers, rebases, repositories } = this.found;
    const git = dir.lstat(GIT)?.type;
    if (git === 'symlink') pointers.set(join(path, GIT), dir.readlink(GIT));
    if (git === 'file') {
      this.#files.push(join(path, GIT));
      pointers.set(join(path, GIT), dir.readAbove(0, GIT) ?? '');
    }
    if (git !== undefined) for (const named of pathsNamedBy(dir, 0, path)) this.#note(named);
    const isRepository = looksLikeRepository(dir, 0);
    if (isRepository) repositories.set(path, { ...place, born: dir.stat().birthtimeMs });
    if (isRepository || git !== undefined) holders.add(path);
    if (!isRepository && !this.#isKnown(path)) return false;
    for (const name of CONTROL) this.#note(join(path, name));
    for (const named of pathsNamedByBare(path)) this.#note(named);
    const rebase = rebaseIn(path);
    if (rebase) rebases.set(path, rebase);
    return true;
  }

  /**
   * Records that what is there must stay as it is, and so must the first link on the way. What is missing must not
   * appear.
   */
  #note(path: string): void {
    const root = this.#roots.find(({ real }) => isBelow(path, real));
    if (root === undefined) return;
    const { absent, fixed, pointers } = this.found;
    let at = root.real;
    for (const name of relative(root.real, path).split(sep)) {
      at = join(at, name);
      const target = targetOf(at);
      if (target !== undefined) {
        pointers.set(at, target);
        return;
      }
    }
    (exists(path) ? fixed : absent).add(path);
  }
}

/** Only for display if a name on the way is not valid UTF-8: then nothing is at this path. */
function pathOf({ root, rawPath }: PlaceInRoot): string {
  return join(root.real, shownRaw(rawPath).text);
}
