/** The one order in which names and paths are listed: byte-wise, as their UTF-8 would be compared. */

/** UTF-16 units sort like UTF-8 bytes, except that surrogates come before U+E000 and above: this moves them behind. */
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
