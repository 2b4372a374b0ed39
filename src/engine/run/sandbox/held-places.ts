/** Whether the places that commands are shown still stand where they stood, and the ways between those that lie in others. */

import type { Dir, Entered } from '../../confine/dir.ts';
import { LinuxDir } from '../../confine/linux-dir.ts';
import { isWithin } from '../../confine/roots.ts';
import { fail } from '../../failures.ts';

/** A directory or a file that is held since the start. */
export interface HeldPlace {
  /** With all links resolved, at the time of the start. */
  path: string;
  /** `dev:ino`. */
  identity: string;
  /** A descriptor of it, so that no path is looked up again; undefined where the system has none to offer. */
  fd: number | undefined;
  writable: boolean;
}

/** A directory on the way from one place to another that lies in it. */
export interface Between {
  path: string;
  dir: Dir;
  /** As the place around it. */
  writable: boolean;
}

/**
 * Walks to every place without following links, and holds the directories between a place and those inside
 * it; the caller closes them. Fails when a place is no longer where it was: what was bound there then would
 * be something else, and the place itself would stand open under its new name.
 */
export function holdWays(places: readonly HeldPlace[]): Between[] {
  const between = new Map<string, Between>();
  try {
    for (const place of places) walkTo(place, placeAround(place, places), between);
  } catch (thrown) {
    releaseWays([...between.values()]);
    throw thrown;
  }
  return [...between.values()];
}

export function releaseWays(ways: readonly Between[]): void {
  for (const { dir } of ways) dir.close();
}

function placeAround({ path }: HeldPlace, places: readonly HeldPlace[]): HeldPlace | undefined {
  const around = places.filter((other) => other.path !== path && isWithin(path, other.path));
  return around.sort((a, b) => b.path.length - a.path.length)[0];
}

function walkTo(place: HeldPlace, around: HeldPlace | undefined, between: Map<string, Between>): void {
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
      const isBetween = around !== undefined && path !== around.path && isWithin(path, around.path);
      if (isBetween && !between.has(path)) between.set(path, { path, dir, writable: around.writable });
    }
    const found = last === undefined ? dir.stat() : dir.lstat(last);
    if (found === undefined || `${found.dev}:${found.ino}` !== place.identity) moved(place);
  } finally {
    if (!held()) dir.close();
  }
}

function directoryOf(entered: Entered): Dir | undefined {
  return typeof entered === 'string' || 'linkTarget' in entered ? undefined : entered;
}

function moved({ path }: HeldPlace): never {
  const reason = `${path} is not where it was when the server started: put it back, or start the server anew`;
  return fail({ kind: 'no-sandbox', reason });
}
