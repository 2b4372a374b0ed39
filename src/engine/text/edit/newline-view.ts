/**
 * A text in which every `\r\n` reads as `\n`, and the way back to the real positions.
 *
 * Searching happens in the view, so that `\n` in a search text finds `\r\n`; changes are made to the real
 * text, so that nothing but the matched part is touched.
 */
export interface NewlineView {
  text: string;
  /** The position in the real text of a position in the view. */
  toReal(at: number): number;
}

export function newlineView(real: string): NewlineView {
  if (!real.includes('\r\n')) return { text: real, toReal: (at) => at };
  /** Positions in the view of the newlines that stand for two characters. */
  const folded: number[] = [];
  for (let at = real.indexOf('\r\n'); at >= 0; at = real.indexOf('\r\n', at + 2)) {
    folded.push(at - folded.length);
  }
  return { text: real.replaceAll('\r\n', '\n'), toReal: (at) => at + countBelow(folded, at) };
}

/** How many of the ascending numbers are smaller than `limit`. */
function countBelow(ascending: readonly number[], limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
