/** Finds the encoding for storing a change: a file keeps its own, and a new one gets the one declared for it. */
import { isUtf8 } from 'node:buffer';
import { type Encoding, encodingOfNew, UTF8 } from '../../charset/codec.ts';
import { encodingOf } from '../../charset/encoding-of.ts';
import type { Charset } from '../../charset/names.ts';
import type { Place } from '../../confine/place.ts';
import { fail } from '../../failures.ts';
import { withFile } from '../read/with-file.ts';
import { fileEncoding } from './file-encoding.ts';

/** For completely new content. A file that was not text becomes UTF-8. */
export async function storedEncoding(
  place: Place,
  declared: () => Charset | undefined,
  signal: AbortSignal | undefined,
): Promise<Encoding> {
  const found = place.namesDirectory ? undefined : place.lstat();
  if (found === undefined) return encodingOfNew(declared());
  if (found.type !== 'file') return UTF8;
  const judged = await withFile(place, (file) => fileEncoding(file, declared, signal));
  return 'notText' in judged ? UTF8 : judged;
}

/** For an edit of existing content. Valid UTF-8 with NUL characters in it can be edited, although it is not shown. */
export function editedEncoding(bytes: Buffer, declared: () => Charset | undefined, path: string): Encoding {
  const judged = encodingOf(bytes, declared);
  if (!('notText' in judged)) return judged;
  return isUtf8(bytes) ? UTF8 : fail({ kind: 'not-text', path, why: 'not-utf8' });
}
