/** The forms under which a file system may take two names for the same: Unicode normalisation and letter case. */
import { foldCase, upper } from '../../glob/letter-case.ts';
import { rawOf, textOf } from '../scan/raw-names.ts';

const IS_WINDOWS = process.platform === 'win32';
/** Where nothing says whether a directory ignores letter case: these systems do by default. */
export const IGNORES_CASE: boolean = IS_WINDOWS || process.platform === 'darwin';

/** Characters that HFS+ leaves out when it compares names. */
const LEFT_OUT = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** The composed form of a raw name or path. */
export function composed(raw: string): string {
  return isAscii(raw) ? raw : rawOf(textOf(raw).normalize('NFC'));
}

/** Equal for all raw paths that a file system that ignores letter case could take for one. */
export function folded(raw: string): string {
  const text = isAscii(raw) ? raw.toLowerCase() : foldedText(textOf(raw));
  // Windows drops dots and spaces at the end of a name.
  return IS_WINDOWS ? text.replace(/(?<![. ])[. ]+(?=\/|$)/g, '') : text;
}

function foldedText(text: string): string {
  // By way of the upper case: the long s becomes S, and then s.
  const upperCase = [...text.normalize('NFC').replace(LEFT_OUT, '')].map(upper).join('');
  return rawOf(foldCase(upperCase).normalize('NFC'));
}

/** The same raw name in other letters; undefined when it has none with two cases. */
export function otherCase(raw: string): string | undefined {
  const text = textOf(raw);
  const other = [text.toUpperCase(), text.toLowerCase()].find((each) => each !== text);
  return other === undefined ? undefined : rawOf(other);
}

function isAscii(text: string): boolean {
  return /^[\x00-\x7f]*$/.test(text);
}
