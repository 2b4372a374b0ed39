/** Sends the path arguments of a command through the wall, as the command itself would resolve them. */

import { statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import type { Stat } from '../../confine/dir.ts';
import { isWithin } from '../../confine/roots.ts';
import type { Wall } from '../../confine/wall.ts';
import { EngineFailure, fail } from '../../failures.ts';
import type { ResolvePath, SeenPath } from './declaration.ts';

/** How often a path is looked at again that changed while it was looked at. */
const MAX_LOOKS = 4;

/** `cwd` is the real path of the directory in which the command runs. */
export function pathsThroughWall(wall: Wall, cwd: string): ResolvePath {
  return (operand) => ({ path: asVisible(wall, operand), ...foundAt(wall, cwd, operand) });
}

/**
 * What stands at the operand. The command will look it up by itself, so the system must get to the very thing
 * that the wall has found: behind a link outside `..` may lead elsewhere than the wall, which never goes there,
 * takes for granted, and a path that is too long for the wall need not be too long for the system.
 */
function foundAt(wall: Wall, cwd: string, operand: string): Omit<SeenPath, 'path'> {
  for (let look = 0; look < MAX_LOOKS; look++) {
    const found = throughWall(wall, cwd, operand);
    const reached = bySystem(cwd, operand);
    if (found && (!reached || (found.dev === reached.dev && found.ino === reached.ino))) {
      return { type: found.type, real: found.real };
    }
    if (!reached) return { type: 'missing' };
  }
  return fail({ kind: 'outside', path: operand });
}

function throughWall(wall: Wall, cwd: string, operand: string): (Stat & { real: string }) | undefined {
  try {
    return wall.at(operand, { base: cwd }, (place) => {
      const stat = place.lstat();
      return stat && { ...stat, real: place.path };
    });
  } catch (thrown) {
    requireInside(wall, cwd, operand, thrown);
    return undefined;
  }
}

/** Only what leads outside is the wall's affair: about the rest the command complains in its own words. */
function requireInside(wall: Wall, cwd: string, operand: string, thrown: unknown): void {
  if (!(thrown instanceof EngineFailure)) throw thrown;
  const { kind } = thrown.facts;
  if (kind === 'outside' || kind === 'unstable') throw thrown;
  const written = resolve(cwd, operand);
  if (!wall.roots.some(({ real, given }) => isWithin(written, real) || isWithin(written, given))) {
    fail({ kind: 'outside', path: operand }, thrown);
  }
}

/** Where the system gets to; undefined when it gets nowhere, and then no command will. */
function bySystem(cwd: string, operand: string): { dev: bigint; ino: bigint } | undefined {
  if (operand === '') return undefined;
  try {
    return statSync(isAbsolute(operand) ? operand : `${cwd}/${operand}`, { bigint: true });
  } catch {
    return undefined;
  }
}

/** An absolute path through a link to a root, as it reads inside the root itself. */
function asVisible(wall: Wall, operand: string): string {
  if (!isAbsolute(operand)) return operand;
  const root = wall.roots.find(({ real, given }) => given !== real && isWithin(operand, given));
  return root ? root.real + operand.slice(root.given.length) : operand;
}
