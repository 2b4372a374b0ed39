/** Which directories a program needs to see that lives outside of the system's own places. */

import { readlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { isWithin } from '../confine/roots.ts';

/** Stores of packages that refer to each other by absolute paths: one needs them all. */
const STORES = ['/nix/store', '/gnu/store'];
/** Directories under which programs and their libraries stand, and nothing personal. */
const PROGRAM_PARTS = ['bin', 'lib', 'lib64', 'libexec'];

/**
 * The directories to show read-only for these programs. Never a home directory, never what contains a root,
 * and of a shared prefix like ~/.local only what holds programs.
 */
export function installationsOf(
  programs: Iterable<string>,
  system: readonly string[],
  roots: readonly string[],
): string[] {
  const shown = new Set<string>();
  for (const program of programs) {
    for (const hop of linkChain(program)) {
      if (system.some((directory) => isWithin(hop, directory))) continue;
      for (const directory of installationOf(hop, roots)) shown.add(directory);
    }
  }
  return [...shown].filter((one) => ![...shown].some((other) => other !== one && isWithin(one, other)));
}

/** A program and every link on the way to it. */
function linkChain(program: string): string[] {
  const chain = [program];
  while (chain.length < 20) {
    const last = chain.at(-1)!;
    try {
      chain.push(resolve(dirname(last), readlinkSync(last)));
    } catch {
      return chain;
    }
  }
  return chain;
}

function installationOf(program: string, roots: readonly string[]): string[] {
  const store = STORES.find((one) => isWithin(program, one));
  if (store) return [store];
  const directory = dirname(program);
  const prefix = dirname(directory);
  const isPrivate = (path: string) => isWithin(homedir(), path) || roots.some((root) => isWithin(root, path));
  if (isPrivate(directory)) return [program];
  if (isPrivate(prefix)) return [directory];
  if (basename(prefix) === '.local') return PROGRAM_PARTS.map((part) => join(prefix, part));
  return ['bin', 'sbin', 'shims', 'libexec'].includes(basename(directory)) ? [prefix] : [directory];
}
