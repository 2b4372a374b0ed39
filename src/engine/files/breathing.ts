/** Lets other calls run while a long walk goes on, and notices when the call was cancelled. */
import { fail } from '../failures.ts';

const SLICE_MS = 10;

export class Breathing {
  readonly #signal: AbortSignal | undefined;
  #since = performance.now();

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  /** Whether a pause would be one: to ask costs less than to wait for nothing. */
  get isDue(): boolean {
    return performance.now() - this.#since >= SLICE_MS;
  }

  async pause(): Promise<void> {
    if (!this.isDue) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (this.#signal?.aborted) fail({ kind: 'cancelled' });
    this.#since = performance.now();
  }
}
