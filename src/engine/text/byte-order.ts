/** The one order in which names and paths are listed: byte-wise, as their UTF-8 would be compared. */

/** Code units order like bytes except where surrogates meet U+E000 and above: those are lifted. */
export function byBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit >= 0xe000 ? unit - 0x2000 : unit + 0x2000;
}
