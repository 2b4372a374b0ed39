/** The order in which all names and paths are listed: by the bytes of their UTF-8 form. */

/** UTF-16 code units sort like UTF-8, except that surrogates come before U+E000 and above: `rank` moves them behind. */
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
