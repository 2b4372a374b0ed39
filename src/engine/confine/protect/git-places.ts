/** Finds Git's configuration and hooks in the directories that a command is about to see, or has left. */
import { lstatSync, readlinkSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import type { Dir } from '../directory/dir.ts';
import { exists } from '../probe-path.ts';
import { isWithin, type Root } from '../roots.ts';
import type { Absence } from '../scan/absence.ts';
import { openCursor, scanRootOf } from '../scan/cursor.ts';
import type { Listing } from '../scan/listing.ts';
import { textOf } from '../scan/raw-names.ts';
import { CONTROL, gitControl } from './git-control.ts';
import { pathsNamedBy, pathsNamedByBare } from './git-named.ts';
import { GIT } from './git-names.ts';
import { type Rebase, rebaseIn } from './git-rebase.ts';

/** Before each command, at most this many entries are searched. */
export const MOST_ENTRIES = 20_000;
/** Large, and hardly ever with repositories in it: searched last. */
const LAST = 'node_modules';
/** Large, and in a repository without others. */
const CONTENTS: ReadonlySet<string> = new Set(['objects', 'refs', 'logs']);
/** Other calls get their turn after this long. */
const TURN_MS = 10;

export interface GitPlaces {
  /** Directories of Git: what looks like a repository, and when it was made. */
  repositories: Map<string, number>;
  /** Files and directories that are there and must stay as they are. */
  fixed: Set<string>;
  /** Names that must not appear. */
  absent: Set<string>;
  /** Files called `.git`, and links that lead Git on, with what each says: a mount cannot hold a link. */
  pointers: Map<string, string>;
  /** Rebases that wait to be continued, by their repositories. */
  rebases: Map<string, Rebase>;
  /** How many entries were searched, and whether that was all. */
  entries: number;
  complete: boolean;
  /** When the search began. */
  since: number;
}

export interface GitPlacesOptions {
  /** How many entries to search. */
  most?: number;
  /** Directories that were repositories once: their configuration stays protected while they are none. */
  known?: ReadonlySet<string>;
}

/** `cwd`: where the command runs; every directory above it is always searched. */
export async function findGitPlaces(
  roots: readonly Root[],
  cwd: string,
  { most = MOST_ENTRIES, known = new Set() }: GitPlacesOptions = {},
): Promise<GitPlaces> {
  const writable = roots.filter((root) => !root.readOnly);
  const finder = new GitPlacesFinder(writable, { most, known });
  await finder.run(cwd);
  return finder.found;
}

class GitPlacesFinder {
  readonly found: GitPlaces = {
    repositories: new Map(),
    fixed: new Set(),
    absent: new Set(),
    pointers: new Map(),
    rebases: new Map(),
    entries: 0,
    complete: true,
    since: Date.now(),
  };
  readonly #roots: readonly Root[];
  readonly #most: number;
  readonly #known: ReadonlySet<string>;
  readonly #put: { root: Root; names: string[] }[] = [];
  #began = performance.now();

  constructor(roots: readonly Root[], { most, known }: Required<GitPlacesOptions>) {
    this.#roots = roots;
    this.#most = most;
    this.#known = known;
  }

  async run(cwd: string): Promise<void> {
    for (const root of this.#roots) {
      const { dir, real } = root;
      if (basename(real) !== GIT && gitControl({ dir, name: '', path: real })) this.found.fixed.add(real);
      const names = relative(root.real, cwd).split(sep).filter(Boolean);
      if (isWithin(cwd, root.real)) enterEach(root, names, (dir, path) => this.#inspect(dir, path));
      await this.#below(root.dir, root, []);
    }
    for (const { root, names } of this.#put) {
      const dir = enterEach(root, names);
      if (dir) await this.#below(dir, root, names);
      dir?.close();
    }
  }

  async #below(dir: Dir, root: Root, names: string[]): Promise<void> {
    const listing = await this.#list(dir);
    if (typeof listing === 'string') return;
    const { names: found, types } = listing;
    const path = join(root.real, ...names);
    // The names are known already: only a name that could be Git's is worth a check.
    const mayBeGit = found.some((name) => name.length === 4 && name.toLowerCase() === 'head');
    const isGit = this.#isKnown(path) || (mayBeGit && looksLikeRepository(dir));
    if (isGit || found.includes(GIT)) this.#inspect(dir, path);
    for (const [index, raw] of found.entries()) {
      if (this.found.entries >= this.#most) {
        this.found.complete = false;
        return;
      }
      this.found.entries++;
      if (types[index] !== 'directory' || (isGit && CONTENTS.has(raw))) continue;
      const name = textOf(raw);
      if (name === LAST && !names.includes(LAST)) {
        this.#put.push({ root, names: [...names, name] });
        continue;
      }
      const inner = dir.enter(name);
      if (typeof inner === 'string' || 'linkTarget' in inner) continue;
      await this.#pause();
      await this.#below(inner, root, [...names, name]);
      inner.close();
    }
  }

  /** In turns: there may be hundreds of thousands of entries. */
  async #list(dir: Dir): Promise<Listing | Absence> {
    const cursor = openCursor(scanRootOf(dir));
    try {
      return await cursor.listInTurns(() => this.#pause());
    } catch {
      return 'unreadable';
    } finally {
      cursor.close();
    }
  }

  #isKnown(path: string): boolean {
    return basename(path) === GIT || this.#known.has(path);
  }

  #pause(): Promise<void> | undefined {
    if (performance.now() - this.#began < TURN_MS) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#began = performance.now();
        resolve();
      });
    });
  }

  /** Takes note of what a directory holds, if it is a repository's worktree or its `.git`. */
  #inspect(dir: Dir, path: string): void {
    const { fixed, pointers, repositories } = this.found;
    const git = dir.lstat(GIT)?.type;
    if (git === 'symlink') pointers.set(join(path, GIT), dir.readlink(GIT));
    if (git === 'file') {
      fixed.add(join(path, GIT));
      pointers.set(join(path, GIT), dir.readAbove(0, GIT) ?? '');
    }
    if (git !== undefined) for (const named of pathsNamedBy(dir, 0, path)) this.#note(named);
    const isRepository = looksLikeRepository(dir);
    if (isRepository) repositories.set(path, dir.stat().birthtimeMs);
    if (!isRepository && !this.#isKnown(path)) return;
    for (const name of CONTROL) this.#note(join(path, name));
    for (const named of pathsNamedByBare(path)) this.#note(named);
    const rebase = rebaseIn(path);
    if (rebase) this.found.rebases.set(path, rebase);
  }

  /** What is there stays as it is, and so does the first link on the way; what is missing must stay so. */
  #note(path: string): void {
    const root = this.#roots.find(({ real }) => isWithin(path, real) && path !== real);
    if (root === undefined) return;
    const { absent, fixed, pointers } = this.found;
    let at = root.real;
    for (const name of relative(root.real, path).split(sep)) {
      at = join(at, name);
      const target = linkTarget(at);
      if (target !== undefined) {
        pointers.set(at, target);
        return;
      }
    }
    (exists(path) ? fixed : absent).add(path);
  }
}

/** Walks down by names without following links, shows each directory, and gives the last, which the caller closes. */
function enterEach(
  root: Root,
  names: readonly string[],
  show: ((dir: Dir, path: string) => void) | undefined = undefined,
): Dir | undefined {
  let dir = root.dir.again();
  let path = root.real;
  show?.(dir, path);
  for (const name of names) {
    const inner = dir.enter(name);
    dir.close();
    if (typeof inner === 'string' || 'linkTarget' in inner) return undefined;
    dir = inner;
    path = join(path, name);
    show?.(dir, path);
  }
  if (show === undefined) return dir;
  dir.close();
  return undefined;
}

function linkTarget(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}

function looksLikeRepository(dir: Dir): boolean {
  if (!dir.hasAbove(0, 'HEAD')) return false;
  return dir.hasAbove(0, 'commondir') || (dir.hasAbove(0, 'objects') && dir.hasAbove(0, 'refs'));
}
