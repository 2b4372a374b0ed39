/** Changes to a text as a list of pieces: only what is named changes, everything else stays as it is. */
export interface Splice {
  start: number;
  end: number;
  text: string;
}

/** Applies splices that are in order and do not overlap. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const splice of splices) {
    parts.push(text.slice(at, splice.start), splice.text);
    at = splice.end;
  }
  parts.push(text.slice(at));
  return parts.join('');
}
