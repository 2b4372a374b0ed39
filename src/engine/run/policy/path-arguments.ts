/** Resolves the path arguments of a command through the wall, in the way the command itself would. */

import { statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import type { Stat } from '../../confine/directory/dir.ts';
import { isWithin } from '../../confine/roots.ts';
import type { Wall } from '../../confine/wall.ts';
import type { Yielder } from '../../event-loop.ts';
import { EngineFailure, fail } from '../../failures.ts';
import type { PathArgument, ResolvePath } from './declaration.ts';

/** How often to check a path that keeps changing during the check. */
const MAX_ATTEMPTS = 4;

/** `cwd` is the real path of the directory in which the command runs. */
export function pathsThroughWall(wall: Wall, cwd: string): ResolvePath {
  return (operand) => ({ path: throughRoot(wall, operand), ...foundAt(wall, cwd, operand) });
}

/** Looks these operands up in advance, yielding to other calls in between: a call may have thousands of them. */
export async function lookedUpInTurns(
  resolvePath: ResolvePath,
  operands: readonly string[],
  yielder: Yielder,
): Promise<ResolvePath> {
  const known = new Map<string, () => PathArgument>();
  for (const operand of new Set(operands)) {
    if (yielder.isDue) await yielder.pause();
    try {
      const found = resolvePath(operand);
      known.set(operand, () => found);
    } catch (thrown) {
      // Thrown only when the check asks for this operand: not every argument is a path.
      known.set(operand, () => {
        throw thrown;
      });
    }
  }
  return (operand) => known.get(operand)?.() ?? resolvePath(operand);
}

/**
 * What is at the operand. The command will look it up by itself, so the kernel must find the same file as the wall.
 * They can differ: the wall never follows a link that leads outside, where `..` would lead elsewhere, and a path that
 * is too long for the wall need not be too long for the kernel.
 */
function foundAt(wall: Wall, cwd: string, operand: string): Omit<PathArgument, 'path'> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const found = throughWall(wall, cwd, operand);
    const reached = byKernel(cwd, operand);
    if (found && (!reached || (found.dev === reached.dev && found.ino === reached.ino))) {
      return { type: found.type, real: found.real };
    }
    // A hidden file does not exist for the wall, and the sandbox masks it.
    if (!reached || (!found && wall.withheld)) return { type: 'missing' };
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

/** Fails when the operand leads outside, or to what the owner denies. The command itself reports any other problem. */
function requireInside(wall: Wall, cwd: string, operand: string, thrown: unknown): void {
  if (!(thrown instanceof EngineFailure)) throw thrown;
  const { kind } = thrown.facts;
  if (kind === 'outside' || kind === 'unstable' || kind === 'denied') throw thrown;
  const written = resolve(cwd, operand);
  if (!wall.roots.some(({ real, given }) => isWithin(written, real) || isWithin(written, given))) {
    fail({ kind: 'outside', path: operand }, thrown);
  }
}

/** What the kernel finds at the operand. Undefined when it finds nothing: then the command finds nothing, either. */
function byKernel(cwd: string, operand: string): { dev: bigint; ino: bigint } | undefined {
  if (operand === '') return undefined;
  try {
    return statSync(isAbsolute(operand) ? operand : `${cwd}/${operand}`, { bigint: true });
  } catch {
    return undefined;
  }
}

/** Rewrites an absolute path that goes through a link to a root into a path in the root itself. */
function throughRoot(wall: Wall, operand: string): string {
  if (!isAbsolute(operand)) return operand;
  const root = wall.roots.find(({ real, given }) => given !== real && isWithin(operand, given));
  return root ? root.real + operand.slice(root.given.length) : operand;
}
