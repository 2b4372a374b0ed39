/** Refuses texts that are too long for a path before anybody takes them apart. */
import { fail } from '../failures.ts';

/** Many times what any system takes as a path. */
const LONGEST_PATH = 64 * 1024;
/** A name that no system takes. */
const LONG_NAME = /[^/]{256}/;
/** How much of a longer text a failure repeats. */
const SHOWN_OF_IT = 4096;

/** To split or normalise megabytes takes seconds, so this comes before every other question about a path. */
export function requireShortPath(path: string): void {
  if (path.length <= LONGEST_PATH) return;
  const why = LONG_NAME.test(path.slice(0, LONGEST_PATH)) ? 'name-too-long' : 'too-deep';
  fail({ kind: 'bad-path', path: shortPath(path), why });
}

/** The path, or the beginning of what is too long for one. */
export function shortPath(path: string): string {
  return path.length <= LONGEST_PATH ? path : `${path.slice(0, SHOWN_OF_IT)}…`;
}
