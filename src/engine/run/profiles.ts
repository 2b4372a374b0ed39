/** The three ways in which commands are run, and what each of them is held to unless the caller says less. */

import type { ResourceLimits } from './process/resource-limits.ts';
import { MAX_PROCESSES } from './process/resource-limits.ts';

export interface FrontDoor {
  timeoutMs: number;
  /** The cap on each of the two streams. */
  maxOutputBytes: number;
  /** Whether the roots may be written to, where they are writable at all. */
  writes: boolean;
  /** Whether the command may start others, so that leftovers must be looked for. */
  forks: boolean;
  /** A shell reports a signal as 128 + its number, and so does bubblewrap: only here they mean the same. */
  shell: boolean;
  limits: ResourceLimits;
  /** Room for temporary files in a sandbox, in MiB. */
  temporaryMiB: number;
}

/** grep, sed, find and their like: they read, and start nothing. */
export const readingTools: FrontDoor = {
  timeoutMs: 30_000,
  maxOutputBytes: 1024 * 1024,
  writes: false,
  forks: false,
  shell: false,
  limits: { addressSpaceMiB: 1024, fileMiB: 256, openFiles: 1024 },
  temporaryMiB: 256,
};

/** node, npm, python3 and their like: programs that reserve far more memory than they use. */
export const developerTools: FrontDoor = {
  timeoutMs: 15_000,
  maxOutputBytes: 64 * 1024,
  writes: true,
  forks: true,
  shell: false,
  limits: { dataMiB: 4096, fileMiB: 2048, processes: MAX_PROCESSES },
  temporaryMiB: 512,
};

/** A line for /bin/sh. */
export const shellLine: FrontDoor = {
  ...developerTools,
  timeoutMs: 30_000,
  maxOutputBytes: 512 * 1024,
  shell: true,
};

/** The programs that may be run by their name without a look at their arguments. */
export const developerCommands: readonly string[] = ['node', 'npm', 'npx', 'python3', 'pytest', 'tsc'];
