/** Waits in a search thread when the system has run short of descriptors or memory. */
import { isMainThread } from 'node:worker_threads';
import { isShortage } from '../errno.ts';

/** How long a search thread waits for other work to free descriptors and memory. */
const SHORTAGE_WAITS = 100;
const SHORTAGE_WAIT_MS = 20;

/** Retries an operation that fails because the system is out of descriptors or memory; the main thread does not wait. */
export function retryShortage<T>(operation: () => T): T {
  for (let attempt = 1; ; attempt++) {
    try {
      return operation();
    } catch (error) {
      if (!isShortage(error) || isMainThread || attempt === SHORTAGE_WAITS) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SHORTAGE_WAIT_MS);
    }
  }
}
