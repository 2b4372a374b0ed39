/** Changes to a text as a list of pieces: only what is named changes, everything else stays as it is. */
export interface Splice {
  start: number;
  end: number;
  text: string;
}

/** So many pieces are kept apart: each takes more memory than the few characters that it may hold. */
const MOST_APART = 64 * 1024;

/** Applies splices that are in order and do not overlap. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  const joined: string[] = [];
  let parts: string[] = [];
  let at = 0;
  for (const splice of splices) {
    parts.push(text.slice(at, splice.start), splice.text);
    at = splice.end;
    if (parts.length < MOST_APART) continue;
    joined.push(parts.join(''));
    parts = [];
  }
  return [...joined, ...parts, text.slice(at)].join('');
}
