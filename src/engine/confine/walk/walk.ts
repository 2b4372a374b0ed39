/** Walks a path one component at a time on held directories, resolving links by hand. */
import { fail } from '../../failures.ts';
import type { Dir } from '../directory/dir.ts';
import { attempt } from '../errno.ts';
import { Place } from '../place.ts';
import type { Root } from '../roots.ts';
import { rawOf } from '../scan/raw-names.ts';
import { identityOf } from '../stat.ts';
import type { WalkOptions, Wall } from '../wall.ts';
import { HiddenDir } from '../withheld/hidden-dir.ts';
import { sameEntryIn } from '../withheld/same-entry.ts';
import { requireServedRoot } from '../withheld/served-root.ts';
import type { Verdict, Withheld } from '../withheld/withheld.ts';
import { MadeParents } from './made-parents.ts';
import { existingBelow, similarPaths } from './near-paths.ts';
import { climbsOut, components, isAbsolute, MOST_LINKS, requireShortName } from './path-components.ts';

const MAX_STEPS = 4096;

/** One attempt to walk a path. `run` returns undefined when something moved meanwhile; the caller then starts again. */
export class PathWalk {
  readonly #wall: Wall;
  readonly #shown: string;
  readonly #options: WalkOptions;
  #root: Root;
  #names: string[] = [];
  #dir: Dir;
  #todo: string[];
  #links = 0;
  #steps = 0;
  readonly #made = new MadeParents();

  constructor(wall: Wall, path: string, options: WalkOptions) {
    this.#wall = wall;
    this.#shown = path;
    this.#options = options;
    const absolute = isAbsolute(path);
    const start =
      absolute || options.base !== undefined
        ? wall.locate(components(absolute ? path : `${options.base}/${path}`), path, options.straight)
        : { root: wall.roots[0]!, rest: components(path) };
    this.#root = start.root;
    this.#dir = start.root.dir;
    this.#todo = start.rest;
    requireServedRoot(start.root, this.#withheld, path);
    if (this.#todo.length > MAX_STEPS) fail({ kind: 'bad-path', path, why: 'too-deep' });
  }

  /** Yields before each name, so that other calls can run during the walk of a long path. */
  *run(): Generator<void, Place | undefined> {
    for (;;) {
      yield;
      this.#step();
      const asked = this.#todo.shift();
      if (asked === undefined) return yield* this.#placeOfDirectory();
      if (asked === '..') {
        if (!(yield* this.#goUp())) return undefined;
        continue;
      }
      requireShortName(asked, this.#shown);
      const name = this.#withheld ? this.#spelled(asked) : asked;
      if (this.#todo.length === 0) {
        const link = this.#followsLastLink ? this.#linkAt(name) : undefined;
        // A withheld name stays withheld, wherever it leads.
        if (link === undefined || this.#verdict(name, false)) return this.#placeAt(name);
        this.#follow(link);
        continue;
      }
      if (!this.#enter(name)) return undefined;
    }
  }

  /** Whether the walk follows a link at the end of the path. */
  get #followsLastLink(): boolean {
    const { follow = true, straight = false } = this.#options;
    return follow && !straight;
  }

  /** Counts every lookup, so that no path and no chain of links can hold up other calls. */
  #step(): void {
    if (++this.#steps > MAX_STEPS) fail({ kind: 'bad-path', path: this.#shown, why: 'too-deep' });
  }

  abandon(): void {
    this.#release();
    this.#made.remove();
  }

  /** Enters a component that is not the last one. False when it changed meanwhile. */
  #enter(name: string): boolean {
    const verdict = this.#verdict(name, true);
    if (verdict === 'denied') return fail({ kind: 'denied', path: this.#shown });
    if (verdict === 'hidden') this.#refuseToCreateHidden();
    const found =
      verdict === 'hidden' ? 'missing' : attempt(this.#shown, 'open', () => this.#dir.enter(name));
    if (found === 'not-a-directory') {
      return fail({ kind: 'not-a-directory', path: this.#shown, through: true });
    }
    if (found === 'missing') {
      if (climbsOut(this.#todo, this.#names.length + 1)) fail({ kind: 'outside', path: this.#shown });
      // For `new/../file`, do not make `new`: nobody asked for it.
      if (this.#options.makeParents && !this.#todo.includes('..')) return this.#make(name);
      return fail({ kind: 'not-found', path: this.#shown, wanted: 'entry', near: this.#similar(name) });
    }
    if ('linkTarget' in found) {
      if (this.#options.straight) fail({ kind: 'not-a-directory', path: this.#shown });
      this.#follow(found.linkTarget);
      return true;
    }
    this.#moveTo(found, name);
    return true;
  }

  #similar(name: string): readonly string[] {
    const directories = similarPaths(this.#dir, { shown: this.#shown, name, isListed: this.#isListed });
    const rest = this.#todo.map((each) => `/${each}`).join('');
    return existingBelow(this.#wall, directories, rest, this.#options);
  }

  get #withheld(): Withheld | undefined {
    return this.#options.includeWithheld ? undefined : this.#wall.withheld;
  }

  /** Whether the owner withholds a name in the walk's current directory. */
  #verdict(name: string, isDirectory: boolean): Verdict | undefined {
    const withheld = this.#withheld;
    if (withheld === undefined) return undefined;
    return withheld.verdictOnName(rawOf(this.#pathOf('')), rawOf(name), isDirectory, sameEntryIn(this.#dir));
  }

  readonly #isListed = (name: string): boolean => this.#verdict(name, true) !== 'hidden';

  #spelled(name: string): string {
    return attempt(this.#shown, 'look at', () => this.#dir.spelled(name));
  }

  /** Refuses to create a hidden entry. For every other call, a hidden entry is simply missing. */
  #refuseToCreateHidden(): void {
    if (this.#options.makeParents !== undefined) {
      fail({ kind: 'withheld', path: this.#shown, action: 'create' });
    }
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
    requireServedRoot(root, this.#withheld, this.#shown);
    this.#root = root;
    this.#dir = root.dir;
    this.#names = [];
  }

  #make(name: string): boolean {
    const made = this.#made.make(
      {
        root: this.#root,
        parent: this.#dir,
        parentNames: this.#names,
        name,
        path: this.#pathOf(name),
        shown: this.#shown,
        namesBelow: this.#todo.length,
      },
      this.#wall.protectedPlaces,
      this.#options,
    );
    if (made === undefined) return false;
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
    if (++this.#links > MOST_LINKS) fail({ kind: 'bad-path', path: this.#shown, why: 'link-loop' });
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

  /**
   * Handles `..`: goes back to where the walk came from. Above the root, the rest of the path must lead into a root
   * again.
   */
  *#goUp(): Generator<void, boolean> {
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
    return yield* this.#rewalk(this.#names.slice(0, -levels));
  }

  /** Walks again from the root along names that were directories a moment ago. Follows no links. */
  *#rewalk(names: readonly string[]): Generator<void, boolean> {
    this.#release();
    this.#enterRoot(this.#root);
    for (const name of names) {
      yield;
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

  *#placeOfDirectory(): Generator<void, Place | undefined> {
    const name = this.#names.at(-1);
    if (name === undefined) return this.#placeAt('');
    return (yield* this.#rewalk(this.#names.slice(0, -1))) ? this.#placeAt(name) : undefined;
  }

  #placeAt(name: string): Place {
    const nested = name !== '' && this.#wall.roots.length > 1 ? this.#nestedRoot(name) : undefined;
    if (nested) {
      this.#release();
      this.#enterRoot(nested);
      return this.#placeAt('');
    }
    const verdict = name === '' ? undefined : this.#verdict(name, false);
    // A rule such as `x/` applies only to directories, so it counts only if this is or may become one.
    const asDirectory = verdict ?? (name === '' ? undefined : this.#verdict(name, true));
    const barred = verdict ?? (asDirectory && this.#mayBeDirectory(name) ? asDirectory : undefined);
    if (barred === 'denied') fail({ kind: 'denied', path: this.#shown });
    if (barred === 'hidden') this.#refuseToCreateHidden();
    return new Place({
      root: this.#root,
      dir: barred === 'hidden' ? new HiddenDir(this.#dir, this.#shown) : this.#dir,
      withheld: this.#withheld,
      asDirectory,
      owned: this.#dir !== this.#root.dir,
      name,
      shown: this.#shown,
      path: this.#pathOf(name),
      parentNames: this.#names,
      made: this.#made.list,
      protectedPlaces: this.#wall.protectedPlaces,
    });
  }

  /** Whether there is a directory, or nothing, so that a directory could be made there. */
  #mayBeDirectory(name: string): boolean {
    const stat = attempt(this.#shown, 'look at', () => this.#dir.lstat(name));
    return stat === undefined || stat.type === 'directory';
  }

  /** The absolute path of a name in the current directory, with all links resolved. */
  #pathOf(name: string): string {
    const below = [...this.#names, name].filter((part) => part !== '');
    return [this.#root.real === '/' ? '' : this.#root.real, ...below].join('/') || '/';
  }

  #nestedRoot(name: string): Root | undefined {
    const stat = attempt(this.#shown, 'look at', () => this.#dir.lstat(name));
    if (stat?.type !== 'directory') return undefined;
    return this.#wall.roots.find((root) => root.dir.identity === identityOf(stat));
  }

  #release(): void {
    if (this.#dir !== this.#root.dir && !this.#made.holds(this.#dir)) this.#dir.close();
    this.#dir = this.#root.dir;
  }
}
