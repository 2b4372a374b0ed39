/**
 * Turns a path that a client sent into a held directory and one name: the only access to the served directories.
 *
 * The wall walks a path one component at a time on held directories. It reads and resolves links itself, takes `..` to
 * where the walk really came from, and fails with `outside` before it reads anything beyond the roots. It never hands a
 * whole path to the system twice.
 */
import { resolve as resolvePath } from 'node:path';
import { atOnce, type Steps } from '../event-loop.ts';
import { fail } from '../failures.ts';
import { closing } from './closing.ts';
import type { Dir } from './directory/dir.ts';
import { requireShortPath } from './long-path.ts';
import type { Place } from './place.ts';
import { findGitPlaces, type GitPlaces, type GitPlacesOptions } from './protect/git-places.ts';
import { ProtectedPlaces } from './protect/protected-places.ts';
import { chooseOpener, type DirectoryOpener, type Protection } from './protection.ts';
import { holdRoot, innerRoot, isBelow, type Root, type RootSpec, rootInside } from './roots.ts';
import { PathWalk } from './walk/walk.ts';
import { readWithheld, type WithheldGlobs } from './withheld/read-rules.ts';
import type { Withheld } from './withheld/withheld.ts';

const MAX_RESTARTS = 32;

export interface WalkOptions {
  /** Whether to follow a link at the last name. Default: true. */
  follow?: boolean;
  /** For the server's own work: ignores what the owner withholds from tools. */
  includeWithheld?: boolean;
  /**
   * Follows no links at all: a link on the way is a `not-a-directory` failure. For paths that had no links when they
   * were recorded.
   */
  straight?: boolean;
  /** Whether to make missing parent directories. Undefined for a call that creates nothing. */
  makeParents?: boolean;
  /** Where a relative path starts: an absolute path inside the roots. Default: the first root. */
  base?: string;
  /** The path is a guess at what the caller meant: if nothing is there, one more guess is enough. */
  isGuess?: boolean;
  /** Called before the walk makes a missing parent directory, with its path and the root's. */
  onMake?(path: string, root: string): void;
}

/** For paths that had no links when they were recorded: a link there now would lead elsewhere. */
export const STRAIGHT = { straight: true } as const satisfies WalkOptions;

export interface WallOptions {
  /** Nothing may be changed in any root. */
  readOnly?: boolean;
  protection?: 'strongest' | 'verified';
  /** Git's configuration and hooks may be changed. */
  allowGitConfig?: boolean;
  /** Allows a wall without directories: every path is then outside. */
  mayBeEmpty?: boolean;
  /**
   * What the owner withholds, in addition to each .cofferdamignore. If undefined, nothing is withheld, whatever those
   * files say.
   */
  globs?: WithheldGlobs | undefined;
}

/** Roots that are open already, and what belongs to them. */
interface HeldRoots {
  roots: readonly Root[];
  opener: DirectoryOpener;
  protectedPlaces: ProtectedPlaces;
  withheld: Withheld | undefined;
}

export class Wall {
  readonly roots: readonly Root[];
  readonly protection: Protection;
  /** What no tool may change, although its root allows changes. */
  readonly protectedPlaces: ProtectedPlaces;
  /** What the owner denies or hides; undefined when that is nothing. */
  readonly withheld: Withheld | undefined;
  readonly #owns: boolean;
  readonly #opener: DirectoryOpener;
  /** The most components that a root has: the wall need not compare deeper paths with the roots. */
  readonly #deepest: number;
  readonly #byIdentity: ReadonlyMap<string, Root>;

  constructor(given: readonly RootSpec[] | HeldRoots, options: WallOptions = {}) {
    const held = 'opener' in given ? given : hold(given, options);
    const { roots, opener } = held;
    this.protectedPlaces = held.protectedPlaces;
    this.withheld = held.withheld;
    this.#owns = held !== given;
    this.#opener = opener;
    this.protection = opener.protection;
    this.roots = roots;
    this.#deepest = Math.max(...roots.flatMap(namesOf).map((name) => name.split('/').length));
    this.#byIdentity = new Map([...this.roots].reverse().map((root) => [root.dir.identity, root]));
  }

  close(): void {
    for (const root of this.roots) root.dir.close();
    if (this.#owns) this.protectedPlaces.close();
  }

  /** A narrower wall around one directory of this wall. Nothing else can be reached through it. */
  within(place: Place): Wall {
    return this.#narrower((roots) => {
      roots.push(this.#rootAt(place));
      for (const root of this.rootsBelow(place.path)) roots.push(rootInside(root));
    });
  }

  /**
   * A narrower wall around several directories of this wall. A directory inside another one of them is still one place.
   * Neither a link nor the name of a root that is left out leads anywhere else.
   */
  withinAll(places: readonly Place[]): Wall {
    return this.#narrower((roots) => {
      for (const place of places) {
        const { root } = place;
        if (roots.some((other) => other.real === place.path)) continue;
        roots.push(place.isRoot ? { ...root, dir: root.dir.duplicate() } : this.#rootAt(place));
      }
      for (const { real } of [...roots]) {
        for (const below of this.rootsBelow(real))
          if (!roots.some((other) => other.real === below.real)) roots.push(rootInside(below));
      }
    });
  }

  /** A wall around the roots that `collect` adds to its list, under the same rules. */
  #narrower(collect: (roots: Root[]) => void): Wall {
    const roots: Root[] = [];
    try {
      collect(roots);
      const { protectedPlaces, withheld } = this;
      return new Wall({ roots, opener: this.#opener, protectedPlaces, withheld });
    } catch (error) {
      for (const root of roots) root.dir.close();
      throw error;
    }
  }

  /** The directory at a place as a root of its own. */
  #rootAt(place: Place): Root {
    const { root: outer, path: real, shown: sent } = place;
    return innerRoot({ outer, dir: place.enter(), real, sent, first: this.roots[0]! });
  }

  /** The root that `dir` is, if any. Walks use it to notice a root inside another one. */
  rootOf(dir: Dir): Root | undefined {
    return this.#byIdentity.get(dir.identity);
  }

  /** The roots below this path: removing or moving it would take them along. */
  rootsBelow(path: string): Root[] {
    return this.roots.filter((root) => isBelow(root.real, path));
  }

  /** Finds Git's configuration and hooks in the roots; undefined when they are not protected. */
  gitPlaces(cwd: string, options: GitPlacesOptions): Promise<GitPlaces> | undefined {
    return this.protectedPlaces.git ? findGitPlaces(this.roots, cwd, options) : undefined;
  }

  /** Resolves a path, runs `use` on the place, and always closes it. */
  at<T>(path: string, options: WalkOptions, use: (place: Place) => T): T {
    return closing(this.resolve(path, options), use);
  }

  /** Makes a path absolute by its text alone, from the first root, without reading the disk. */
  absolute(path: string): string {
    requireShortPath(path);
    return isPlain(path) ? path : resolvePath(this.roots[0]?.given ?? '/', path);
  }

  resolve(path: string, options: WalkOptions = {}): Place {
    return atOnce(this.walking(path, options));
  }

  /** The same as `resolve`, in steps, so that the walk of a long path can yield. */
  *walking(path: string, options: WalkOptions = {}): Steps<Place> {
    if (path === '') fail({ kind: 'bad-path', path, why: 'empty' });
    requireShortPath(path);
    if (path.includes('\0')) fail({ kind: 'bad-path', path, why: 'nul' });
    if (this.roots.length === 0) fail({ kind: 'outside', path });
    for (let restart = 0; restart < MAX_RESTARTS; restart++) {
      const walk = new PathWalk(this, path, options);
      try {
        const place = yield* walk.run();
        if (place) return place;
      } catch (error) {
        walk.abandon();
        throw error;
      }
      walk.abandon();
    }
    return fail({ kind: 'unstable', path });
  }

  /**
   * Finds the root that an absolute list of components leads to, without touching the disk. `straight`: only by the
   * root's real path, not by a path that led there over a link.
   */
  locate(components: readonly string[], shown: string, straight = false): { root: Root; rest: string[] } {
    const above: string[] = [];
    for (let i = 0; ; i++) {
      const root =
        above.length < this.#deepest ? this.#rootNamed(`/${above.join('/')}`, straight) : undefined;
      if (root) return { root, rest: components.slice(i) };
      const next = components[i];
      if (next === undefined) return fail({ kind: 'outside', path: shown });
      if (next === '..') above.pop();
      else above.push(next);
    }
  }

  #rootNamed(path: string, straight: boolean): Root | undefined {
    return this.roots.find(({ real, knownAs }) => (straight ? real === path : knownAs.includes(path)));
  }
}

/** Whether an absolute path is already in the form that `resolve` gives it: most are, and this is quicker. */
function isPlain(path: string): boolean {
  if (process.platform === 'win32' || !path.startsWith('/')) return false;
  return !path.includes('//') && !path.includes('/.') && !path.endsWith('/');
}

function namesOf({ real, knownAs }: Root): string[] {
  return [real, ...knownAs];
}

function hold(specs: readonly RootSpec[], options: WallOptions): HeldRoots {
  if (specs.length === 0 && !options.mayBeEmpty) throw new Error('a wall needs at least one directory');
  const opener = chooseOpener(options.protection);
  const held: Root[] = [];
  let withheld: Withheld | undefined;
  try {
    for (const spec of specs) held.push(holdRoot(spec, opener, options.readOnly ?? false));
    withheld = options.globs && readWithheld(held, options.globs);
  } catch (error) {
    for (const { dir } of held) dir.close();
    throw error;
  }
  // A directory that was given twice, once as read-only, is read-only.
  const rules = new Map(
    held.filter((root) => root.readOnly).map((root) => [root.dir.identity, root.readOnly]),
  );
  return {
    opener,
    withheld,
    roots: held.map((root) => ({ ...root, readOnly: rules.get(root.dir.identity) })),
    protectedPlaces: new ProtectedPlaces(opener, { git: options.allowGitConfig !== true }),
  };
}
