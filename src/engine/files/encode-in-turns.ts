/** Texts of the caller's as bytes: a long one is encoded piece by piece, while others work. */
import type { Yielder } from '../event-loop.ts';

/** Shorter texts are encoded at once. */
const PIECE = 256 * 1024;

export async function utf8InTurns(text: string, yielder: Yielder): Promise<Buffer> {
  if (text.length <= PIECE) return Buffer.from(text, 'utf8');
  const pieces: Buffer[] = [];
  let length = 0;
  for (let at = 0; at < text.length; ) {
    const end = pieceEnd(text, at);
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

/** Never splits a surrogate pair: each half would become a replacement character. */
function pieceEnd(text: string, from: number): number {
  const end = from + PIECE;
  if (end >= text.length) return text.length;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
