/** The name of a content: the SHA-256 of its bytes. */
import { createHash, webcrypto } from 'node:crypto';

/** Up to this size, hashing here is quicker than a trip through the thread pool. */
const SYNC_BYTES = 128 * 1024;

/** Hashes large contents in the thread pool. */
export async function hashOf(bytes: Buffer): Promise<string> {
  if (bytes.length <= SYNC_BYTES) return createHash('sha256').update(bytes).digest('hex');
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes)).toString('hex');
}
