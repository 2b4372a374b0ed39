/** Refuses texts that are too long to be a path, before other code takes them apart. */
import { fail } from '../failures.ts';

/** Many times longer than any path that a system accepts. */
const LONGEST_PATH = 64 * 1024;
/** A name that is too long for every system. */
const LONG_NAME = /[^/]{256}/;
/** How many characters of a longer text a failure repeats. */
const SHOWN_CHARACTERS = 4096;

/** Splitting or normalising megabytes takes seconds, so this check comes before everything else that reads a path. */
export function requireShortPath(path: string): void {
  if (path.length <= LONGEST_PATH) return;
  const why = LONG_NAME.test(path.slice(0, LONGEST_PATH)) ? 'name-too-long' : 'too-deep';
  fail({ kind: 'bad-path', path: shortPath(path), why });
}

/** The path itself, or the beginning of a text that is too long to be one. */
export function shortPath(path: string): string {
  return path.length <= LONGEST_PATH ? path : `${path.slice(0, SHOWN_CHARACTERS)}…`;
}
