/**
 * Places inside the roots that no tool may change, each with its reason.
 *
 * The wall asks here before every change, when it has already resolved the path to a held directory and one name. A
 * protected directory is held open and known by its identity, so no rename, link, bind mount or other spelling can
 * disguise it. Moving or deleting a directory above it counts as changing it.
 */
import { basename, dirname } from 'node:path';
import { fail, type ReadOnlyReason } from '../../failures.ts';
import type { Dir } from '../directory/dir.ts';
import type { DirectoryOpener } from '../protection.ts';
import { isWithin } from '../roots.ts';
import { TurnMemo } from '../turn-memo.ts';
import { type GitPlace, gitControl, gitControlBelow, gitMadeTogether } from './git-control.ts';
import { ownPackage } from './own-package.ts';

export type ProtectedReason = Exclude<ReadOnlyReason, 'server' | 'directory'>;

/** A file or directory that the sandbox shows as read-only and keeps in its place. */
export interface ProtectedPlace {
  /** Absolute, with all links resolved. */
  path: string;
  reason: ProtectedReason;
}

export interface HeldPlace extends ProtectedPlace {
  /** The directory itself or, for a file, the directory that it is in. */
  dir: Dir;
  /** The name of a file, in lower case; undefined for a directory. */
  name?: string;
}

/**
 * What the program itself runs from. The first wall that asks opens these places, and they stay open until the process
 * ends.
 */
const ownPlaces = new Map<string, readonly HeldPlace[]>();

export class ProtectedPlaces {
  readonly #opener: DirectoryOpener;
  /** Whether Git's configuration and hooks are protected. */
  readonly git: boolean;
  readonly #added = new Set<HeldPlace>();
  readonly #ancestors = new TurnMemo<readonly string[]>();

  constructor(opener: DirectoryOpener, { git }: { git: boolean }) {
    this.#opener = opener;
    this.git = git;
  }

  /** Protects a directory of the server's own until the returned function is called. */
  add(directory: string): () => void {
    const held = holdPlace(this.#opener, directory);
    for (const place of held) this.#added.add(place);
    return () => {
      for (const place of held) {
        if (this.#added.delete(place)) place.dir.close();
      }
    };
  }

  /** Fails when nothing may be changed at this place. */
  requireChangeable(place: GitPlace & { shown: string }): void {
    const why =
      this.#whyInside(place.dir, place.name) ??
      (isWithinOwnName(place.path) ? 'program' : undefined) ??
      (this.git ? gitControl(place) : undefined);
    if (why !== undefined) fail({ kind: 'read-only', path: place.shown, why });
  }

  /** Fails when one call may change each of these places, but not all of them. */
  requireChangeableTogether(places: readonly (GitPlace & { shown: string })[]): void {
    const found = this.git && places.length > 1 ? gitMadeTogether(places) : undefined;
    if (found) fail({ kind: 'read-only', path: found.shown, why: 'git' });
  }

  /** Fails when a move from or to this place would move something that Git or the next start runs. */
  requireNothingBelow(place: GitPlace & { shown: string }): void {
    const why = isAboveOwnName(place.path) ? 'program' : this.git ? gitControlBelow(place) : undefined;
    if (why !== undefined) fail({ kind: 'read-only', path: place.shown, why });
  }

  /** Fails when the directory with this identity has something protected inside it, or is that itself. */
  requireMovable(identity: string, shown: string): void {
    const found = this.list().find(({ dir }) => dir.ancestors().includes(identity));
    if (found) fail({ kind: 'read-only', path: shown, why: found.reason });
  }

  /** Fails when the directory with this identity is protected itself. */
  requireNot(identity: string, shown: string): void {
    const found = this.list().find(({ dir }) => dir.identity === identity);
    if (found) fail({ kind: 'read-only', path: shown, why: found.reason });
  }

  /** Opens the program's own places at the first change, so that a server that only reads does not pay for it. */
  list(): readonly HeldPlace[] {
    const { kind } = this.#opener.protection;
    let own = ownPlaces.get(kind);
    if (own === undefined) {
      const { directories, files, links } = ownPackage();
      const hold = (path: string, name?: string) => holdPlace(this.#opener, path, name);
      own = [
        ...directories.flatMap((path) => hold(path)),
        ...[...files, ...links.map(({ path }) => path)].flatMap((path) => hold(path, basename(path))),
      ];
      ownPlaces.set(kind, own);
    }
    return [...own, ...this.#added];
  }

  close(): void {
    for (const { dir } of this.#added) dir.close();
    this.#added.clear();
  }

  #whyInside(dir: Dir, name: string): ProtectedReason | undefined {
    const above = this.#ancestors.get(dir.identity, () => dir.ancestors());
    const found = this.list().find((place) =>
      place.name === undefined
        ? above.includes(place.dir.identity)
        : above[0] === place.dir.identity && place.name === name.toLowerCase(),
    );
    return found?.reason;
  }
}

/**
 * Paths that decide what the next start runs. Most of them do not exist, and the directory of a link may be made again,
 * so only their text identifies them. It is in lower case, for systems that ignore case.
 */
let ownNames: readonly string[] | undefined;

function namesOfOwn(): readonly string[] {
  if (ownNames === undefined) {
    const { links, missing } = ownPackage();
    ownNames = [...missing, ...links.map(({ path }) => path)].map((path) => path.toLowerCase());
  }
  return ownNames;
}

function isWithinOwnName(path: string): boolean {
  const lower = path.toLowerCase();
  return namesOfOwn().some((each) => isWithin(lower, each));
}

function isAboveOwnName(path: string): boolean {
  const lower = path.toLowerCase();
  return namesOfOwn().some((each) => isWithin(each, lower));
}

function holdPlace(opener: DirectoryOpener, path: string, name?: string): HeldPlace[] {
  try {
    const dir = opener.hold(name === undefined ? path : dirname(path));
    return [{ path, reason: 'program', dir, ...(name !== undefined && { name: name.toLowerCase() }) }];
  } catch {
    // It does not exist, so there is nothing to change.
    return [];
  }
}
