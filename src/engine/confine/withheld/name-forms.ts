/** The forms in which a file system may treat two names as the same: Unicode normalisation and letter case. */
import { isAscii, rawOf, textOf } from '../scan/raw-names.ts';
import { foldCase, upper } from './letter-case.ts';

const IS_WINDOWS = process.platform === 'win32';
/** Whether a directory ignores letter case if nothing shows it: on these systems it does by default. */
export const IGNORES_CASE: boolean = IS_WINDOWS || process.platform === 'darwin';

/** Characters that HFS+ ignores when it compares names. */
export const HFS_IGNORED: RegExp = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** The composed form of a raw name or path. */
export function composed(raw: string): string {
  return isAscii(raw) ? raw : rawOf(textOf(raw).normalize('NFC'));
}

/** Equal for all raw paths that a file system could treat as one if it ignores letter case. */
export function folded(raw: string): string {
  const text = isAscii(raw) ? raw.toLowerCase() : foldedText(textOf(raw));
  // Windows drops dots and spaces at the end of a name.
  return IS_WINDOWS ? text.replace(/(?<![. ])[. ]+(?=\/|$)/g, '') : text;
}

function foldedText(text: string): string {
  // Through upper case, so that the long s becomes S and then s.
  const upperCase = [...text.normalize('NFC').replace(HFS_IGNORED, '')].map(upper).join('');
  return rawOf(foldCase(upperCase).normalize('NFC'));
}

/** The same raw name in another letter case; undefined when it has no letters with two cases. */
export function otherCase(raw: string): string | undefined {
  const text = textOf(raw);
  const other = [text.toUpperCase(), text.toLowerCase()].find((each) => each !== text);
  return other === undefined ? undefined : rawOf(other);
}
