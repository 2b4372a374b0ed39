/** Finds programs once, at the start, on a PATH that no root can reach. */

import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { isWithin } from '../confine/roots.ts';
import { fail } from '../failures.ts';

const USUAL_PATH = ['/usr/local/bin', '/usr/bin', '/bin'];

export interface ProgramSearch {
  /** The server's PATH. */
  path: string | undefined;
  /** The roots with links resolved: nothing in them is ever a program. */
  roots: readonly string[];
  /** Programs that are taken from elsewhere than the PATH when they are there, as the package's own rg. */
  given?: Readonly<Record<string, string>>;
}

export interface GivenProgram {
  /** Where it is installed. */
  path: string;
  /** Where its content is read from, which nobody can have changed. */
  from: string;
}

export interface Programs {
  /** The directories that were searched, for the environment of commands. */
  path: string;
  /** The absolute path of each program that was found. */
  found: ReadonlyMap<string, string>;
  /** Where those were seen that lie in a root only, and are not used for that. */
  inRoots: ReadonlyMap<string, string>;
}

/** Resolves each name to an absolute path outside of every root, or leaves it out. */
export function resolvePrograms(names: readonly string[], search: ProgramSearch): Programs {
  const directories = trustedDirectories(search);
  const found = new Map<string, string>();
  const inRoots = new Map<string, string>();
  for (const name of names) {
    const given = search.given?.[name] ?? [];
    const candidates = [given, directories.map((directory) => join(directory, name))].flat();
    const program = candidates.find((candidate) => isProgramOutside(candidate, search.roots));
    if (program) found.set(name, program);
    else {
      const seen = namedDirectories(search)
        .map((directory) => join(directory, name))
        .find(isProgram);
      if (seen) inRoots.set(name, seen);
    }
  }
  return { path: directories.join(':'), found, inRoots };
}

/** The program of this name, which was allowed before. */
export function programNamed(programs: Programs, command: string): string {
  return programs.found.get(command) ?? fail({ kind: 'command-not-installed', command });
}

/** A command that is chosen by its bare name from a list. */
export function requireAllowed(command: string, allowed: readonly string[]): void {
  if (command.includes('/') || !allowed.includes(command)) {
    fail({ kind: 'command-not-allowed', command, allowed });
  }
}

/**
 * Programs of the package itself, when it is installed inside a root: they are copied at the start, so that
 * nothing which is written to the root later can take their place.
 */
export function adoptPrograms(
  given: Readonly<Record<string, GivenProgram>>,
  roots: readonly string[],
  into: string,
): Record<string, string> {
  const adopted: Record<string, string> = {};
  for (const [name, { path, from }] of Object.entries(given)) {
    adopted[name] = path;
    if (!leadsInto(path, roots) || !existsSync(from)) continue;
    adopted[name] = join(into, name);
    mkdirSync(into, { recursive: true });
    copyFileSync(from, adopted[name]);
    chmodSync(adopted[name], 0o755);
  }
  return adopted;
}

function trustedDirectories(search: ProgramSearch): string[] {
  return namedDirectories(search).filter((directory) => !leadsInto(directory, search.roots));
}

function namedDirectories({ path }: ProgramSearch): string[] {
  const directories = path?.split(':').filter((entry) => isAbsolute(entry)) ?? [];
  return [...new Set(directories.length > 0 ? directories : USUAL_PATH)];
}

function isProgramOutside(path: string, roots: readonly string[]): boolean {
  return isProgram(path) && !leadsInto(path, roots);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Whether a path lies in a root, as it is written or with its links resolved. */
function leadsInto(path: string, roots: readonly string[]): boolean {
  let real = path;
  try {
    real = realpathSync(path);
  } catch {
    // A directory that is not there holds no programs.
  }
  return roots.some((root) => isWithin(path, root) || isWithin(real, root));
}
