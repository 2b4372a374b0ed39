/** Compares lines as people do: differences in blanks and typography do not count. */
import { countLines } from '../../encoding.ts';
import { plainTypography, plainUnit } from './typography.ts';

/** Lines with equal keys are equal. A blank line has an empty key, because it occurs everywhere. */
export function keyOf(line: string): string {
  return plainTypography(line).replace(/\s+/g, ' ').trim();
}

/** How many different lines are cached: a file may be repetitive. */
const MOST_REMEMBERED = 1024;

/**
 * Numbers the keys, and each line of a text like its key; 0 for empty keys and for lines that have none of the keys.
 * Only lines whose hash equals that of a key are compared in full.
 */
export function idsOfLines(text: string, keys: readonly string[]): { text: Int32Array; wanted: number[] } {
  const numbers = new Map<string, number>([['', 0]]);
  const wanted = keys.map((key) => {
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    return number;
  });
  const hashes = new Set(keys.filter((key) => key !== '').map((key) => hashBetween(key, 0, key.length)));
  const known = new Map<string, number>();
  const idOf = (line: string): number => {
    const id = known.get(line) ?? numbers.get(keyOf(line)) ?? 0;
    if (known.size < MOST_REMEMBERED) known.set(line, id);
    return id;
  };
  const ids = new Int32Array(countLines(text));
  let from = 0;
  for (let line = 0; line < ids.length; line++) {
    const newline = text.indexOf('\n', from);
    const end = newline < 0 ? text.length : newline;
    if (hashes.has(hashBetween(text, from, end))) ids[line] = idOf(text.slice(from, end));
    from = end + 1;
  }
  return { text: ids, wanted };
}

/** The hash of all characters that are not blanks, in their plain form. */
function hashBetween(text: string, from: number, to: number): number {
  let hash = 0;
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at);
    if (unit > 32 && unit < 128) hash = (Math.imul(hash, 31) + unit) | 0;
    else if (unit > 127 ? !isWideBlank(unit) : !isNarrowBlank(unit)) {
      hash = (Math.imul(hash, 31) + plainUnit(unit)) | 0;
    }
  }
  return hash;
}

function isNarrowBlank(unit: number): boolean {
  return unit === 32 || (unit >= 9 && unit <= 13);
}

const WIDE_BLANK = /\s/;

function isWideBlank(unit: number): boolean {
  // This range has the letters of many languages and no blanks.
  if (unit > 0xa0 && unit < 0x1680) return false;
  return WIDE_BLANK.test(String.fromCharCode(unit));
}
