/** Lets the event loop go on while a long walk through the store is under way. */
import { setImmediate as nextTurn } from 'node:timers/promises';

const TURN_MS = 10;

export class Pace {
  #began = performance.now();

  async pause(): Promise<void> {
    if (performance.now() - this.#began < TURN_MS) return;
    await nextTurn();
    this.#began = performance.now();
  }
}
