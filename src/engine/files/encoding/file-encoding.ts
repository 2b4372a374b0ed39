/** Finds the encoding of an open file of any size, in little memory. */
import { type Encoding, markedEncoding, UTF8 } from '../../charset/codec.ts';
import { encodingOf, type Judged } from '../../charset/encoding-of.ts';
import { type Charset, isUtf8Name } from '../../charset/names.ts';
import { characterEnd, Utf8Check } from '../../charset/utf8.ts';
import { readBytes, readChunk } from '../../confine/content/read.ts';
import type { OpenFile } from '../../confine/directory/dir.ts';
import { fail, failIfCancelled } from '../../failures.ts';
import { indexOf } from '../lines/line-index.ts';

/** How many bytes at the beginning of a large file show whether it is text. */
export const JUDGED_BYTES = 8192;
const PIECE_BYTES = 1024 * 1024;

/**
 * A large file is judged by its beginning. All of it is read only if another encoding is declared for it: then it is
 * UTF-8 if all of it is valid UTF-8.
 */
export async function fileEncoding(
  file: OpenFile,
  declared: () => Charset | undefined,
  signal: AbortSignal | undefined,
): Promise<Judged> {
  const start = await readBytes(file, JUDGED_BYTES, signal);
  if (start.length < JUDGED_BYTES) return encodingOf(start, declared);
  const marked = markedEncoding(start);
  if (marked && marked.charset !== 'utf-8') return encodingOf(start, declared);
  const whole = start.subarray(0, characterEnd(start));
  const charset = marked ? undefined : declared();
  if (charset === undefined || isUtf8Name(charset)) return encodingOf(whole, () => undefined);
  if (await isUtf8Throughout(file, signal)) return UTF8;
  const judged = encodingOf(start, () => charset);
  const beginsAsUtf8 = !('notText' in judged) && judged.charset === 'utf-8';
  return beginsAsUtf8 ? { charset, mark: false } : judged;
}

export function requireText(judged: Judged, path: string): Encoding {
  if ('notText' in judged) return fail({ kind: 'not-text', path, why: judged.notText });
  return judged;
}

/** Whether the whole file is UTF-8 without a NUL; the answer is cached with the line index of the file. */
async function isUtf8Throughout(file: OpenFile, signal: AbortSignal | undefined): Promise<boolean> {
  const index = indexOf(file);
  index.isUtf8 ??= await looksLikeUtf8(file, signal);
  return index.isUtf8;
}

async function looksLikeUtf8(file: OpenFile, signal: AbortSignal | undefined): Promise<boolean> {
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  const check = new Utf8Check();
  for (let at = 0; ; ) {
    const got = await readChunk(file.fd, piece, 0, piece.length, at);
    failIfCancelled(signal);
    if (got === 0) return check.isWhole;
    if (!check.takes(piece.subarray(0, got))) return false;
    at += got;
  }
}
