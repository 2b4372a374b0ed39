/** Suggests similar names for one that does not exist, in words that four dialects share. */
import { onOneLine } from './one-line.ts';

/** `. Did you mean a.txt or b.txt?`, or nothing when no name is similar. */
export function didYouMean(near: readonly string[]): string {
  return near.length === 0 ? '' : `. Did you mean ${near.map(onOneLine).join(' or ')}?`;
}
