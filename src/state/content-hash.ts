/** The name of a content: the SHA-256 of its bytes. */
import { createHash, webcrypto } from 'node:crypto';

/** Up to here it is quicker than a trip through the thread pool. */
const SYNC_BYTES = 128 * 1024;

/** Large contents are hashed beside the main thread. */
export async function hashOf(bytes: Buffer): Promise<string> {
  if (bytes.length <= SYNC_BYTES) return createHash('sha256').update(bytes).digest('hex');
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes)).toString('hex');
}
