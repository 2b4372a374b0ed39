/** From protected paths to what a sandbox guards: places inside writable roots that can be read, not changed or moved. */
import { lstatSync } from 'node:fs';
import { isWithin } from '../../confine/roots.ts';
import type { HeldPlace } from './held-places.ts';

interface ShownRoot {
  path: string;
  writable: boolean;
}

/** Each place is a mount, and so is every directory on the way to it: beyond this a command could not be started. */
const MOST_PLACES = 300;

export function guardedPlaces(roots: readonly ShownRoot[], paths: readonly string[]): HeldPlace[] {
  const inside = [...new Set(paths)].filter((path) => {
    const root = innermost(roots, path);
    return root?.writable === true && root.path !== path;
  });
  // What lies in a guarded place is guarded with it.
  const outermost = inside.filter((path) => !inside.some((each) => each !== path && isWithin(path, each)));
  return outermost.slice(0, MOST_PLACES).flatMap((path) => {
    const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (!found || found.isSymbolicLink()) return [];
    return [{ path, identity: `${found.dev}:${found.ino}`, fd: undefined, writable: false }];
  });
}

/** A root that is protected itself, or lies in what is, can only be read. */
export function withoutProtected<R extends ShownRoot>(roots: readonly R[], paths: readonly string[]): R[] {
  return roots.map((root) =>
    paths.some((path) => isWithin(root.path, path)) ? { ...root, writable: false } : root,
  );
}

function innermost(roots: readonly ShownRoot[], path: string): ShownRoot | undefined {
  const around = roots.filter((root) => isWithin(path, root.path));
  return around.sort((a, b) => b.path.length - a.path.length)[0];
}
