/** Lets other calls run while a long walk goes on, and notices when the call was cancelled. */
import { fail } from '../failures.ts';

const SLICE_MS = 10;

export class Breathing {
  readonly #signal: AbortSignal | undefined;
  #since = performance.now();

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  async pause(): Promise<void> {
    if (performance.now() - this.#since < SLICE_MS) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (this.#signal?.aborted) fail({ kind: 'cancelled' });
    this.#since = performance.now();
  }
}
