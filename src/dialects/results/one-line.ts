import { quoted } from './hidden-characters.ts';

/** For lists of one entry a line: quotes a name that holds a line break or another control character. */
export function onOneLine(name: string): string {
  return /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(name) ? quoted(name) : name;
}
