/** Matches whole paths against a glob without braces: one pattern for each name, and `**` for any number of names. */
import type { NameGlob } from './name-glob.ts';

export const GLOBSTAR = '**';
export type Segment = NameGlob | typeof GLOBSTAR;
/** No two `**` are adjacent. One at the end matches at least one name, any other may match none. */
export type PathGlob = readonly Segment[];

/** Matches the first `length` segments. It backtracks only to the last `**`: retrying earlier ones finds no more. */
export function matchPath(segments: PathGlob, length: number, names: readonly string[]): boolean {
  let at = 0;
  let next = 0;
  let afterGlobstar = -1;
  let globstarEnd = 0;
  while (at < names.length) {
    const segment = next < length ? segments[next] : undefined;
    if (segment === GLOBSTAR) {
      if (next === length - 1) return true;
      afterGlobstar = ++next;
      globstarEnd = at;
    } else if (segment?.matches(names[at]!)) {
      next++;
      at++;
    } else {
      if (afterGlobstar < 0) return false;
      next = afterGlobstar;
      at = ++globstarEnd;
    }
  }
  return next === length;
}
