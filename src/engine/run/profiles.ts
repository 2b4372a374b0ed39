/** The three kinds of commands, with the limits of each. A caller may set lower ones. */

import type { ResourceLimits } from './process/resource-limits.ts';
import { MAX_PROCESSES } from './process/resource-limits.ts';

export interface Profile {
  timeoutMs: number;
  /** The cap on each of the two streams. */
  maxOutputBytes: number;
  /** Whether the command may write to the writable roots. */
  writes: boolean;
  /** Whether the command may start other processes, so that the server must look for leftovers. */
  forks: boolean;
  /** Whether the command is a shell, which reports a signal as 128 + its number, just as bubblewrap does. */
  shell: boolean;
  limits: ResourceLimits;
  /** Room for temporary files in a sandbox, in MiB. */
  temporaryMiB: number;
}

/** grep, sed, find and the like: they only read, and start no other programs. */
export const readingProfile: Profile = {
  timeoutMs: 30_000,
  maxOutputBytes: 1024 * 1024,
  writes: false,
  forks: false,
  shell: false,
  limits: { addressSpaceMiB: 1024, fileMiB: 256, openFiles: 1024 },
  temporaryMiB: 256,
};

/** node, npm, python3 and the like: programs that reserve far more memory than they use. */
export const developerProfile: Profile = {
  timeoutMs: 15_000,
  maxOutputBytes: 64 * 1024,
  writes: true,
  forks: true,
  shell: false,
  limits: { dataMiB: 4096, fileMiB: 2048, processes: MAX_PROCESSES },
  temporaryMiB: 512,
};

/** A line for /bin/sh. */
export const shellProfile: Profile = {
  ...developerProfile,
  timeoutMs: 30_000,
  maxOutputBytes: 512 * 1024,
  shell: true,
};

/** The developer tools that anybody may run, with any arguments. */
export const developerCommands: readonly string[] = ['node', 'npm', 'npx', 'python3', 'pytest', 'tsc'];
