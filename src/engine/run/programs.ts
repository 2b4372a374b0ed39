/** Finds programs, once at the start, in the directories of the PATH that are outside every root. */

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
import { statAt } from '../confine/probe-path.ts';
import { isWithin } from '../confine/roots.ts';
import { fail } from '../failures.ts';

const USUAL_PATH = ['/usr/local/bin', '/usr/bin', '/bin'];

export interface ProgramSearch {
  /** The server's PATH. */
  path: string | undefined;
  /** The roots, with links resolved. The server never runs a program that is inside one. */
  roots: readonly string[];
  /** The paths of programs that come with the package, such as rg. They win over those of the PATH. */
  bundled?: Readonly<Record<string, string>>;
}

export interface BundledProgram {
  /** Where it is installed. */
  path: string;
  /** The path of a private copy of its content, which nothing can have changed. */
  copy: string;
}

export interface Programs {
  /** The directories that the server searched, as the PATH of commands. */
  path: string;
  /** The absolute path of each program that was found. */
  found: ReadonlyMap<string, string>;
  /** Programs that exist but that the server does not use, each with the reason. */
  passedOver: ReadonlyMap<string, string>;
}

/** Resolves each name to an absolute path outside every root, or leaves it out. */
export function resolvePrograms(names: readonly string[], search: ProgramSearch): Programs {
  const directories = trustedDirectories(search);
  const found = new Map<string, string>();
  const passedOver = new Map<string, string>();
  for (const name of names) {
    const bundled = search.bundled?.[name] ?? [];
    const candidates = [bundled, directories.map((directory) => join(directory, name))].flat();
    const program = candidates.find((candidate) => isProgramOutside(candidate, search.roots));
    if (program) found.set(name, program);
    else {
      const why = whyPassedOver(namedDirectories(search).map((directory) => join(directory, name)));
      if (why !== undefined) passedOver.set(name, why);
    }
  }
  return { path: directories.join(':'), found, passedOver };
}

/** The path of an allowed command. Fails when it is not installed. */
export function programNamed(programs: Programs, command: string): string {
  return programs.found.get(command) ?? fail({ kind: 'command-not-installed', command });
}

/** Fails unless the command is the bare name of an allowed one. */
export function requireAllowed(command: string, allowed: readonly string[]): void {
  if (command.includes('/') || !allowed.includes(command)) {
    fail({ kind: 'command-not-allowed', command, allowed });
  }
}

/**
 * The paths of the programs that come with the package. If the package is installed inside a root, the server copies
 * them at the start, so that nothing a tool writes to the root later can replace them.
 */
export function copyBundledPrograms(
  bundled: Readonly<Record<string, BundledProgram>>,
  roots: readonly string[],
  into: string,
): Record<string, string> {
  const paths: Record<string, string> = {};
  for (const [name, { path, copy }] of Object.entries(bundled)) {
    paths[name] = path;
    if (!leadsInto(path, roots) || !existsSync(copy)) continue;
    paths[name] = join(into, name);
    mkdirSync(into, { recursive: true });
    copyFileSync(copy, paths[name]);
    chmodSync(paths[name], 0o755);
  }
  return paths;
}

function trustedDirectories(search: ProgramSearch): string[] {
  return namedDirectories(search).filter((directory) => !leadsInto(directory, search.roots));
}

function namedDirectories({ path }: ProgramSearch): string[] {
  const directories = path?.split(':').filter((entry) => isAbsolute(entry)) ?? [];
  return [...new Set(directories.length > 0 ? directories : USUAL_PATH)];
}

function whyPassedOver(candidates: readonly string[]): string | undefined {
  const inRoot = candidates.find(isProgram);
  if (inRoot !== undefined) return `${inRoot} is in a served directory, where it is not trusted`;
  const broken = candidates.find(isSomethingElse);
  return broken && `${broken} cannot be run by this user`;
}

/** Whether the path is anything but a directory. What this user may not see counts as missing. */
function isSomethingElse(path: string): boolean {
  return statAt(path)?.isDirectory() === false;
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

/** Whether a path is inside a root, as written or with its links resolved. */
function leadsInto(path: string, roots: readonly string[]): boolean {
  let real = path;
  try {
    real = realpathSync(path);
  } catch {
    // A directory that does not exist holds no programs.
  }
  return roots.some((root) => isWithin(path, root) || isWithin(real, root));
}
