/** Lets the event loop go on while somebody reads a long log or walks through the store. */
import { setImmediate as nextTurn } from 'node:timers/promises';

const TURN_MS = 10;

export class Pace {
  #began = performance.now();

  /** Whether a pause would be one: to ask costs less than to wait for nothing. */
  get isDue(): boolean {
    return performance.now() - this.#began >= TURN_MS;
  }

  async pause(): Promise<void> {
    if (!this.isDue) return;
    await nextTurn();
    this.#began = performance.now();
  }
}
