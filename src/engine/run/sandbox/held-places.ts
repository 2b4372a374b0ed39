/** Checks that roots and guarded places are still where they were, and holds the directories between nested ones. */

import type { Dir, Entered } from '../../confine/directory/dir.ts';
import { LinuxDir } from '../../confine/directory/linux-dir.ts';
import { innermostAround, isBelow } from '../../confine/roots.ts';
import { identityOf } from '../../confine/stat.ts';
import { fail } from '../../failures.ts';

/** A directory or a file that must stay where it was when the server started. */
export interface SandboxPlace {
  /** The path with all links resolved, as they were at the start. */
  path: string;
  /** `dev:ino`. */
  identity: string;
  /** An open descriptor of the place, so that the path is not looked up again. Undefined: there is none. */
  fd: number | undefined;
  writable: boolean;
}

/** A directory between a place and another place inside it. */
export interface DirectoryBetween {
  path: string;
  dir: Dir;
  /** The same as `writable` of the place around it. */
  writable: boolean;
}

/**
 * Walks to every place without following links, and holds the directories between a place and those inside it. The
 * caller releases them. Fails when a place is no longer where it was: a mount there would show something else, and the
 * place itself would be unprotected under its new name.
 */
export function holdDirectoriesBetween(places: readonly SandboxPlace[]): DirectoryBetween[] {
  const between = new Map<string, DirectoryBetween>();
  try {
    for (const place of places) walkTo(place, placeAround(place, places), between);
  } catch (thrown) {
    releaseDirectories([...between.values()]);
    throw thrown;
  }
  return [...between.values()];
}

export function releaseDirectories(between: readonly DirectoryBetween[]): void {
  for (const { dir } of between) dir.close();
}

function placeAround({ path }: SandboxPlace, places: readonly SandboxPlace[]): SandboxPlace | undefined {
  return innermostAround(
    path,
    places.filter((other) => other.path !== path),
  );
}

function walkTo(
  place: SandboxPlace,
  around: SandboxPlace | undefined,
  between: Map<string, DirectoryBetween>,
): void {
  const names = place.path.split('/').filter(Boolean);
  const last = names.pop();
  let dir: Dir = LinuxDir.hold('/');
  let path = '';
  const held = () => [...between.values()].some((one) => one.dir === dir);
  try {
    for (const name of names) {
      const inner = directoryOf(dir.enter(name)) ?? moved(place);
      if (!held()) dir.close();
      dir = inner;
      path += `/${name}`;
      const isBetween = around !== undefined && isBelow(path, around.path);
      if (isBetween && !between.has(path)) between.set(path, { path, dir, writable: around.writable });
    }
    const found = last === undefined ? dir.stat() : dir.lstat(last);
    if (found === undefined || identityOf(found) !== place.identity) moved(place);
  } finally {
    if (!held()) dir.close();
  }
}

function directoryOf(entered: Entered): Dir | undefined {
  return typeof entered === 'string' || 'linkTarget' in entered ? undefined : entered;
}

function moved({ path }: SandboxPlace): never {
  const reason = `${path} is not where it was when the server started: put it back, or restart the server`;
  return fail({ kind: 'no-sandbox', reason });
}
