/** Fails with the character of a text that an encoding lacks, and its line and column. */
import { fail } from '../failures.ts';
import type { Unencodable } from './codec.ts';
import type { Charset } from './names.ts';

/** `text` is the whole text that was to be written. */
export function failUnencodable(path: string, charset: Charset, text: string, found: Unencodable): never {
  const { character, at, isBroken } = found;
  const before = text.slice(0, at).replace(/^\uFEFF/, '');
  const line = before.split('\n').length;
  const column = before.length - before.lastIndexOf('\n');
  return fail({
    kind: 'not-encodable',
    path,
    charset,
    character,
    line,
    column,
    ...(isBroken && { isBroken }),
  });
}
