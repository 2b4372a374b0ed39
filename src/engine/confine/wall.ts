/**
 * From a path that somebody sent to a held directory and one name: the only way to the disk.
 *
 * A path is walked one component at a time on held directories. Links are read and resolved by hand, `..`
 * goes to where the walk really came from, and whatever leaves the roots is an `outside` failure before
 * anything beyond them was looked at. No whole path is ever handed to the system twice.
 */
import { EngineFailure, fail } from '../failures.ts';
import { nearNames } from '../text/similar.ts';
import type { Dir, Stat } from './dir.ts';
import { attempt, failMissing } from './errno.ts';
import { chooseKeeper, type Keeper, type Protection } from './protection.ts';
import { holdRoot, innerRoot, isWithin, type Root, type RootSpec, rootInside } from './roots.ts';

const MAX_LINKS = 40;
const MAX_STEPS = 4096;
const MAX_NAME_BYTES = 255;
const MAX_RESTARTS = 32;

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

  constructor(at: {
    root: Root;
    dir: Dir;
    owned: boolean;
    name: string;
    shown: string;
    path: string;
    made: { dir: Dir; name: string }[];
  }) {
    this.root = at.root;
    this.#dir = at.dir;
    this.#owned = at.owned;
    this.name = at.name;
    this.shown = at.shown;
    this.path = at.path;
    this.#made = at.made;
  }

  get isRoot(): boolean {
    return this.name === '';
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

export interface WalkOptions {
  /** Whether a link at the last name is followed. Default true. */
  follow?: boolean;
  /** Makes the parent directories that are missing. */
  makeParents?: boolean;
  /** Where a relative path starts: an absolute path inside. Default: the first root. */
  base?: string;
}

export interface WallOptions {
  /** Nothing may be changed in any root. */
  readOnly?: boolean;
  protection?: 'strongest' | 'verified';
}

/** Directories that are held already, and by whom. */
interface Held {
  roots: readonly Root[];
  keeper: Keeper;
}

export class Wall {
  readonly roots: readonly Root[];
  readonly protection: Protection;
  readonly #keeper: Keeper;
  readonly #byIdentity: ReadonlyMap<string, Root>;

  constructor(given: readonly RootSpec[] | Held, options: WallOptions = {}) {
    const { roots, keeper } = 'keeper' in given ? given : hold(given, options);
    this.#keeper = keeper;
    this.protection = keeper.protection;
    this.roots = roots;
    this.#byIdentity = new Map([...this.roots].reverse().map((root) => [root.dir.identity, root]));
  }

  close(): void {
    for (const root of this.roots) root.dir.close();
  }

  /** A narrower wall around the directory that a place of this one is: nothing else can be reached through it. */
  within(place: Place): Wall {
    const { root: outer, path: real, shown: sent } = place;
    const roots = [innerRoot({ outer, dir: place.enter(), real, sent, first: this.roots[0]! })];
    try {
      for (const root of this.rootsBelow(real)) roots.push(rootInside(root));
      return new Wall({ roots, keeper: this.#keeper });
    } catch (error) {
      for (const root of roots) root.dir.close();
      throw error;
    }
  }

  /** The root whose directory `dir` is, if any: walks notice a root inside another one. */
  rootOf(dir: Dir): Root | undefined {
    return this.#byIdentity.get(dir.identity);
  }

  /** Roots that lie below this place: removing or moving it would take them along. */
  rootsBelow(path: string): Root[] {
    return this.roots.filter((root) => root.real !== path && isWithin(root.real, path));
  }

  /** Resolves, runs and always closes: the form for work that ends with the call. */
  at<T>(path: string, options: WalkOptions, use: (place: Place) => T): T {
    const place = this.resolve(path, options);
    let result: T;
    try {
      result = use(place);
    } catch (error) {
      place.close();
      throw error;
    }
    if (result instanceof Promise) return result.finally(() => place.close()) as T;
    place.close();
    return result;
  }

  resolve(path: string, options: WalkOptions = {}): Place {
    if (path === '') fail({ kind: 'bad-path', path, why: 'empty' });
    if (path.includes('\0')) fail({ kind: 'bad-path', path, why: 'nul' });
    for (let restart = 0; restart < MAX_RESTARTS; restart++) {
      const walk = new Walk(this, path, options);
      try {
        const place = walk.run();
        if (place) return place;
      } catch (error) {
        walk.abandon();
        throw error;
      }
      walk.abandon();
    }
    return fail({ kind: 'unstable', path });
  }

  /** Finds the root that an absolute list of components leads to, without touching the disk. */
  locate(components: readonly string[], shown: string): { root: Root; rest: string[] } {
    const above: string[] = [];
    for (let i = 0; ; i++) {
      const here = `/${above.join('/')}`;
      const root = this.roots.find((candidate) => candidate.knownAs.includes(here));
      if (root) return { root, rest: components.slice(i) };
      const next = components[i];
      if (next === undefined) return fail({ kind: 'outside', path: shown });
      if (next === '..') above.pop();
      else above.push(next);
    }
  }
}

function hold(specs: readonly RootSpec[], options: WallOptions): Held {
  if (specs.length === 0) throw new Error('a wall needs at least one directory');
  const keeper = chooseKeeper(options.protection);
  const held = specs.map((spec) => holdRoot(spec, keeper, options.readOnly ?? false));
  // A directory that was given twice, once as read-only, is read-only.
  const rules = new Map(
    held.filter((root) => root.readOnly).map((root) => [root.dir.identity, root.readOnly]),
  );
  return { keeper, roots: held.map((root) => ({ ...root, readOnly: rules.get(root.dir.identity) })) };
}

/** One attempt at walking a path. `run` gives undefined when something moved under it: start again. */
class Walk {
  readonly #wall: Wall;
  readonly #shown: string;
  readonly #options: WalkOptions;
  #root: Root;
  #names: string[] = [];
  #dir: Dir;
  #todo: string[];
  #links = 0;
  #steps = 0;
  #made: { dir: Dir; name: string }[] = [];

  constructor(wall: Wall, path: string, options: WalkOptions) {
    this.#wall = wall;
    this.#shown = path;
    this.#options = options;
    const absolute = isAbsolute(path);
    const start =
      absolute || options.base !== undefined
        ? wall.locate(components(absolute ? path : `${options.base}/${path}`), path)
        : { root: wall.roots[0]!, rest: components(path) };
    this.#root = start.root;
    this.#dir = start.root.dir;
    this.#todo = start.rest;
  }

  run(): Place | undefined {
    for (;;) {
      this.#step();
      const name = this.#todo.shift();
      if (name === undefined) return this.#arrivedAtDirectory();
      if (name === '..') {
        if (!this.#up()) return undefined;
        continue;
      }
      this.#checkName(name);
      if (this.#todo.length === 0) {
        const link = this.#options.follow === false ? undefined : this.#linkAt(name);
        if (link === undefined) return this.#arrived(name);
        this.#follow(link);
        continue;
      }
      if (!this.#into(name)) return undefined;
    }
  }

  /** Every lookup counts, so that no path and no link, however it is wound, can keep the others waiting. */
  #step(): void {
    if (++this.#steps > MAX_STEPS) fail({ kind: 'bad-path', path: this.#shown, why: 'too-deep' });
  }

  abandon(): void {
    this.#release();
    for (const { dir, name } of this.#made.reverse()) {
      try {
        dir.rmdir(name);
      } catch {
        // Somebody put something there meanwhile: it stays.
      }
      dir.close();
    }
  }

  #checkName(name: string): void {
    if (Buffer.byteLength(name) > MAX_NAME_BYTES) {
      fail({ kind: 'bad-path', path: this.#shown, why: 'name-too-long' });
    }
  }

  /** Steps into a directory that is not the last component. False when it changed under the walk. */
  #into(name: string): boolean {
    const found = attempt(this.#shown, 'open', () => this.#dir.enter(name));
    if (found === 'not-a-directory') return fail({ kind: 'not-a-directory', path: this.#shown });
    if (found === 'missing') {
      if (this.#options.makeParents) return this.#make(name);
      const near = similarPaths(this.#dir, this.#shown, name, this.#todo.map((rest) => `/${rest}`).join(''));
      return failMissing(this.#shown, 'entry', near);
    }
    if ('linkTarget' in found) {
      this.#follow(found.linkTarget);
      return true;
    }
    this.#moveTo(found, name);
    return true;
  }

  #moveTo(dir: Dir, name: string): void {
    this.#release();
    this.#dir = dir;
    this.#names.push(name);
    const root = this.#wall.roots.length > 1 ? this.#wall.rootOf(dir) : undefined;
    if (root === undefined || root === this.#root) return;
    dir.close();
    this.#enterRoot(root);
  }

  #enterRoot(root: Root): void {
    this.#root = root;
    this.#dir = root.dir;
    this.#names = [];
  }

  #make(name: string): boolean {
    if (this.#root.readOnly) fail({ kind: 'read-only', path: this.#shown, why: this.#root.readOnly });
    try {
      this.#dir.mkdir(name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      attempt(this.#shown, 'create', () => {
        throw error;
      });
    }
    const parent = this.#dir;
    const made = parent.enter(name);
    if (typeof made === 'string' || 'linkTarget' in made) return false;
    // The parent stays held until the place is closed, so that the new directory can be taken back.
    this.#made.push({ dir: parent === this.#root.dir ? parent.again() : parent, name });
    this.#dir = made;
    this.#names.push(name);
    return true;
  }

  #linkAt(name: string): string | undefined {
    const stat = attempt(this.#shown, 'look at', () => this.#dir.lstat(name));
    if (stat?.type !== 'symlink') return undefined;
    try {
      return this.#dir.readlink(name);
    } catch {
      return undefined;
    }
  }

  #follow(link: string): void {
    if (++this.#links > MAX_LINKS) fail({ kind: 'bad-path', path: this.#shown, why: 'link-loop' });
    const next = components(link);
    if (!isAbsolute(link)) {
      this.#todo.unshift(...next);
      return;
    }
    const { root, rest } = this.#wall.locate(next, this.#shown);
    this.#release();
    this.#enterRoot(root);
    this.#todo.unshift(...rest);
  }

  /** `..`: back to where the walk came from; above a root only the way to another root is open. */
  #up(): boolean {
    if (this.#names.length === 0) {
      const parent = components(this.#root.real).slice(0, -1);
      const { root, rest } = this.#wall.locate([...parent, ...this.#todo], this.#shown);
      this.#release();
      this.#enterRoot(root);
      this.#todo = rest;
      return true;
    }
    let levels = 1;
    while (levels < this.#names.length && this.#todo[0] === '..') {
      this.#todo.shift();
      levels++;
    }
    return this.#rewalk(this.#names.slice(0, -levels));
  }

  /** Goes again from the root to names that were directories a moment ago; links are not followed. */
  #rewalk(names: readonly string[]): boolean {
    this.#release();
    this.#enterRoot(this.#root);
    for (const name of names) {
      this.#step();
      const found = attempt(this.#shown, 'open', () => this.#dir.enter(name));
      if (typeof found === 'string' || 'linkTarget' in found) return false;
      if (this.#wall.roots.length > 1 && this.#wall.rootOf(found)) {
        // Another root was moved here meanwhile: it has rules of its own.
        found.close();
        return false;
      }
      this.#release();
      this.#dir = found;
      this.#names.push(name);
    }
    return true;
  }

  #arrivedAtDirectory(): Place | undefined {
    const name = this.#names.at(-1);
    if (name === undefined) return this.#arrived('');
    return this.#rewalk(this.#names.slice(0, -1)) ? this.#arrived(name) : undefined;
  }

  #arrived(name: string): Place {
    const nested = name !== '' && this.#wall.roots.length > 1 ? this.#nestedRoot(name) : undefined;
    if (nested) {
      this.#release();
      this.#enterRoot(nested);
      return this.#arrived('');
    }
    const below = [...this.#names, name].filter((part) => part !== '');
    return new Place({
      root: this.#root,
      dir: this.#dir,
      owned: this.#dir !== this.#root.dir,
      name,
      shown: this.#shown,
      path: [this.#root.real === '/' ? '' : this.#root.real, ...below].join('/') || '/',
      made: this.#made,
    });
  }

  #nestedRoot(name: string): Root | undefined {
    const stat = this.#dir.lstat(name);
    if (stat?.type !== 'directory') return undefined;
    return this.#wall.roots.find((root) => root.dir.identity === `${stat.dev}:${stat.ino}`);
  }

  #release(): void {
    const held = this.#made.some(({ dir }) => dir === this.#dir);
    if (this.#dir !== this.#root.dir && !held) this.#dir.close();
    this.#dir = this.#root.dir;
  }
}

function isAbsolute(path: string): boolean {
  return path.startsWith('/') || (process.platform === 'win32' && /^[A-Za-z]:[\\/]/.test(path));
}

function components(path: string): string[] {
  const parts = process.platform === 'win32' ? path.split(/[\\/]/) : path.split('/');
  return parts.filter((part) => part !== '' && part !== '.');
}

/** What was probably meant: entries of the same directory with a similar name, written like the path sent. */
function similarPaths(dir: Dir, shown: string, name: string, rest: string): string[] {
  const end = shown.lastIndexOf(name);
  if (name === '' || end < 0) return [];
  try {
    const names = dir.entries().map((entry) => entry.name);
    return nearNames(name, names).map((near) => shown.slice(0, end) + near + rest);
  } catch (error) {
    if (error instanceof EngineFailure) throw error;
    return [];
  }
}
