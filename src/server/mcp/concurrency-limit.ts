/** Runs a limited number of calls at once; the others wait in the order of their arrival. */

/** Each call may hold a few descriptors and buffers: a flood of calls must not take them all. */
const MAX_CALLS_OF_A_CLIENT = 64;

export class ConcurrencyLimit {
  readonly #max: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** How many calls run or wait. */
  get size(): number {
    return this.#running + this.#waiting.length;
  }

  async run<T>(call: () => Promise<T>): Promise<T> {
    const waiting = this.enter();
    if (waiting) await waiting;
    try {
      return await call();
    } finally {
      this.leave();
    }
  }

  /** Settles when the call may run; undefined when it may run at once. The caller must call `leave` in the end. */
  enter(): Promise<void> | undefined {
    if (this.#running >= this.#max) return new Promise<void>((start) => this.#waiting.push(start));
    this.#running++;
    return undefined;
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#running--;
  }
}

/** The limit for the calls of one client. */
export function newCallLimit(): ConcurrencyLimit {
  return new ConcurrencyLimit(MAX_CALLS_OF_A_CLIENT);
}
