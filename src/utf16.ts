/** What a text takes as UTF-8, and where it may be split: never in the middle of a surrogate pair. */

/** The most bytes that a UTF-16 unit takes as UTF-8. */
export const MOST_BYTES_A_UNIT = 3;

/** Whether a text takes at most this many bytes as UTF-8. For nearly every text there is no need to count them. */
export function fitsInBytes(text: string, most: number): boolean {
  return text.length * MOST_BYTES_A_UNIT <= most || Buffer.byteLength(text) <= most;
}

/** Where a piece of at most `length` characters ends that starts at `from`. */
export function pieceEnd(text: string, from: number, length: number): number {
  const end = from + length;
  if (end >= text.length) return text.length;
  return isFirstHalf(text.charCodeAt(end - 1)) ? end - 1 : end;
}

/** Whether a UTF-16 unit is the first half of a surrogate pair. */
export function isFirstHalf(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

/** False for a text with half of a surrogate pair, which JSON can represent and UTF-8 cannot. */
export function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}
