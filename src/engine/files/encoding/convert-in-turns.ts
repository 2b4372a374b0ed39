/** Encodes and decodes long texts piece by piece, without blocking other work. */

import { pieceEnd } from '../../../utf16.ts';
import { decode, type Encoding, encode, markOf, streamDecoder } from '../../charset/codec.ts';
import { failUnencodable } from '../../charset/unencodable.ts';
import type { Yielder } from '../../event-loop.ts';
import { BOM } from '../../text/encoding.ts';
import { PIECE, textInTurns, utf8InTurns } from '../read/utf8-in-turns.ts';

/** Returns the text without a byte-order mark; a short one at once, not as a promise. */
export function decodedInTurns(
  bytes: Buffer,
  encoding: Encoding,
  yielder: Yielder,
): string | Promise<string> {
  const { charset, mark } = encoding;
  if (charset === 'utf-8')
    return textInTurns(mark ? bytes.subarray(markOf(encoding).length) : bytes, yielder);
  return bytes.length <= PIECE ? decode(bytes, encoding) : longDecodedInTurns(bytes, encoding, yielder);
}

async function longDecodedInTurns(bytes: Buffer, encoding: Encoding, yielder: Yielder): Promise<string> {
  await yielder.pause();
  const decoder = streamDecoder(encoding.charset);
  const texts: string[] = [];
  for (let at = 0; at < bytes.length; at += PIECE) {
    texts.push(decoder.write(bytes.subarray(at, at + PIECE)));
    await yielder.pause();
  }
  return [...texts, decoder.end()].join('');
}

/** Puts the byte-order mark of the encoding first, once. Fails for a character that the encoding lacks. */
export async function encodedInTurns(
  text: string,
  encoding: Encoding,
  path: string,
  yielder: Yielder,
): Promise<Buffer> {
  const { charset, mark } = encoding;
  if (charset === 'utf-8') return utf8InTurns(mark && !text.startsWith(BOM) ? BOM + text : text, yielder);
  const pieces: Buffer[] = [markOf(encoding)];
  for (let at = mark && text.startsWith(BOM) ? 1 : 0; at < text.length; ) {
    const end = lineEndNear(text, at);
    const piece = encode(text.slice(at, end), charset);
    if (!Buffer.isBuffer(piece)) return failUnencodable(path, charset, text, { ...piece, at: at + piece.at });
    pieces.push(piece);
    at = end;
    await yielder.pause();
  }
  return Buffer.concat(pieces);
}

/** Ends a piece at a line end if it has one: some encodings combine two characters into one. */
function lineEndNear(text: string, from: number): number {
  const end = pieceEnd(text, from, PIECE);
  const newline = end === text.length ? -1 : text.slice(from, end).lastIndexOf('\n');
  return newline < 0 ? end : from + newline + 1;
}
