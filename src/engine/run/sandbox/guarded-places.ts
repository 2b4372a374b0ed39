/** Turns protected paths into places in writable roots that a sandboxed command can read, but not change or move. */
import { lstatSync } from 'node:fs';
import { innermostAround, isBelow, isWithin } from '../../confine/roots.ts';
import { identityOf } from '../../confine/stat.ts';
import type { SandboxPlace } from './held-places.ts';

interface VisibleRoot {
  path: string;
  writable: boolean;
}

/** Each place is a mount, and so is every directory on the way to it. With more mounts, a command could not start. */
const MAX_PLACES = 300;

export function guardedPlaces(roots: readonly VisibleRoot[], paths: readonly string[]): SandboxPlace[] {
  const inside = [...new Set(paths)].filter((path) => {
    const root = innermostAround(path, roots);
    return root?.writable === true && root.path !== path;
  });
  // A guarded directory guards everything in it.
  const outermost = inside.filter((path) => !inside.some((each) => isBelow(path, each)));
  return outermost.slice(0, MAX_PLACES).flatMap((path) => {
    const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (!found || found.isSymbolicLink()) return [];
    return [{ path, identity: identityOf(found), fd: undefined, writable: false }];
  });
}

/** Makes a root read-only if it is protected or inside something protected. */
export function protectRoots<R extends VisibleRoot>(roots: readonly R[], paths: readonly string[]): R[] {
  return roots.map((root) =>
    paths.some((path) => isWithin(root.path, path)) ? { ...root, writable: false } : root,
  );
}
