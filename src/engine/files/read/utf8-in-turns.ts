/** Encodes and decodes UTF-8, piece by piece if it is long, without blocking other work. */
import { pieceEnd } from '../../../utf16.ts';
import type { Yielder } from '../../event-loop.ts';

/** Shorter texts are converted at once, longer ones in pieces of this length. */
export const PIECE: number = 256 * 1024;

export async function utf8InTurns(text: string, yielder: Yielder): Promise<Buffer> {
  if (text.length <= PIECE) return Buffer.from(text, 'utf8');
  const pieces: Buffer[] = [];
  let length = 0;
  for (let at = 0; at < text.length; ) {
    const end = pieceEnd(text, at, PIECE);
    const piece = Buffer.from(text.slice(at, end), 'utf8');
    pieces.push(piece);
    length += piece.length;
    at = end;
    await yielder.pause();
  }
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  for (const piece of pieces) {
    at += piece.copy(bytes, at);
    await yielder.pause();
  }
  return bytes;
}

/** For bytes that are known to be UTF-8. Returns a short text at once, not as a promise. */
export function textInTurns(bytes: Buffer, yielder: Yielder): string | Promise<string> {
  return bytes.length <= PIECE ? bytes.toString('utf8') : longTextInTurns(bytes, yielder);
}

async function longTextInTurns(bytes: Buffer, yielder: Yielder): Promise<string> {
  await yielder.pause();
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    let end = Math.min(at + PIECE, bytes.length);
    // Never splits a character.
    while ((bytes[end]! & 0xc0) === 0x80) end++;
    pieces.push(bytes.toString('utf8', at, end));
    at = end;
    await yielder.pause();
  }
  return pieces.join('');
}
