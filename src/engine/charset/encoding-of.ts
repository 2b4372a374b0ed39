/**
 * Decides which encoding a file has: by its mark, as UTF-8, by what is declared for it, or that it is not text at all.
 */
import { whyBinary } from '../text/encoding.ts';
import { type Encoding, markedEncoding, UTF8 } from './codec.ts';
import { type Charset, isUtf8Name, isUtf16 } from './names.ts';

export type Judged = Encoding | { notText: 'not-utf8' | 'nul' };

/**
 * `declared` is called only for bytes that are neither marked nor UTF-8. No text has a NUL character, whatever its
 * encoding, so a picture stays one where a project declares an encoding for all of its files.
 */
export function encodingOf(bytes: Uint8Array, declared: () => Charset | undefined): Judged {
  const marked = markedEncoding(bytes);
  if (marked) return unlessBinary(bytes, marked);
  const why = whyBinary(bytes);
  if (why === undefined) return UTF8;
  const charset = declared();
  if (charset === undefined || isUtf8Name(charset)) return { notText: why };
  return unlessBinary(bytes, { charset, mark: false });
}

function unlessBinary(bytes: Uint8Array, encoding: Encoding): Judged {
  if (encoding.charset === 'utf-8') {
    const why = whyBinary(bytes);
    return why === undefined ? encoding : { notText: why };
  }
  const hasNul = isUtf16(encoding.charset) ? hasNulUnit(bytes) : bytes.includes(0);
  return hasNul ? { notText: 'nul' } : encoding;
}

function hasNulUnit(bytes: Uint8Array): boolean {
  // An array of two-byte units must begin at an even address; in either byte order, NUL is the same.
  const aligned = bytes.byteOffset % 2 === 0 ? bytes : new Uint8Array(bytes);
  return new Uint16Array(aligned.buffer, aligned.byteOffset, aligned.length >> 1).includes(0);
}
