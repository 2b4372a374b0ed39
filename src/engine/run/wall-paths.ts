/** Sends the path arguments of a command through the wall, as the command itself would resolve them. */

import { isAbsolute, resolve } from 'node:path';
import { isWithin } from '../confine/roots.ts';
import type { Wall } from '../confine/wall.ts';
import { EngineFailure, fail } from '../failures.ts';
import type { ResolvePath, SeenPath } from './policy/declaration.ts';

/** `cwd` is the real path of the directory in which the command runs. */
export function pathsThroughWall(wall: Wall, cwd: string): ResolvePath {
  return (operand) => {
    const path = asVisible(wall, operand);
    try {
      const found = wall.at(operand, { base: cwd }, (place) => place.lstat());
      return { path, type: found?.type ?? 'missing' };
    } catch (thrown) {
      return { path, type: typeAfter(wall, cwd, operand, thrown) };
    }
  };
}

/** Only what leads outside is the wall's affair: about the rest the command complains in its own words. */
function typeAfter(wall: Wall, cwd: string, operand: string, thrown: unknown): SeenPath['type'] {
  if (!(thrown instanceof EngineFailure)) throw thrown;
  const { kind } = thrown.facts;
  if (kind === 'outside' || kind === 'unstable') throw thrown;
  const written = resolve(cwd, operand);
  if (!wall.roots.some(({ real, given }) => isWithin(written, real) || isWithin(written, given))) {
    fail({ kind: 'outside', path: operand }, thrown);
  }
  return 'missing';
}

/** An absolute path through a link to a root, as it reads inside the root itself. */
function asVisible(wall: Wall, operand: string): string {
  if (!isAbsolute(operand)) return operand;
  const root = wall.roots.find(({ real, given }) => given !== real && isWithin(operand, given));
  return root ? root.real + operand.slice(root.given.length) : operand;
}
