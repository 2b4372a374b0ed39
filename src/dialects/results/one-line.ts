import { quoted } from './hidden-characters.ts';

/** Quotes a name that holds a line break or another control character, so that each line of a list is one entry. */
export function onOneLine(name: string): string {
  return /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(name) ? quoted(name) : name;
}
