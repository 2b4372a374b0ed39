/** Computes the short hash of content, piece by piece if it is long, without blocking other work. */
import crypto from 'node:crypto';
import { pieceEnd } from '../../../utf16.ts';
import { Yielder } from '../../event-loop.ts';
import { shortHashOf } from '../../text/short-hash.ts';

/** How many bytes are hashed between two checks of the clock. */
const PIECE = 1024 * 1024;
/** The same for a text, in characters: they must be encoded first. */
const TEXT_PIECE = 256 * 1024;
const AT_ONCE = 64 * 1024;

export function shortContentHash(content: Uint8Array | string): string | Promise<string> {
  // Takes half as long as a hash in pieces; older versions of Node 20 lack it.
  if (crypto.hash && content.length <= AT_ONCE) return shortHashOf(crypto.hash('sha256', content, 'hex'));
  return hashInTurns(content);
}

async function hashInTurns(content: Uint8Array | string): Promise<string> {
  const yielder = new Yielder(undefined);
  const hash = crypto.createHash('sha256');
  for (let at = 0; at < content.length; ) {
    const end =
      typeof content === 'string' ? pieceEnd(content, at, TEXT_PIECE) : Math.min(at + PIECE, content.length);
    hash.update(typeof content === 'string' ? content.slice(at, end) : content.subarray(at, end));
    at = end;
    await yielder.pause();
  }
  return shortHashOf(hash.digest('hex'));
}
