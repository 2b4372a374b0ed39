/** Lets a number of calls in at once; the others wait their turn in the order in which they came. */

/** Each call may hold a few descriptors and buffers: a flood of calls waits instead of taking them all. */
const CALLS_AT_ONCE = 64;

export class Gate {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #inside = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** The calls inside and those that wait. */
  get load(): number {
    return this.#inside + this.#waiting.length;
  }

  async pass<T>(call: () => Promise<T>): Promise<T> {
    if (this.#inside >= this.#most) await new Promise<void>((enter) => this.#waiting.push(enter));
    else this.#inside++;
    try {
      return await call();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#inside--;
    }
  }
}

/** For the calls of one client. */
export function callsGate(): Gate {
  return new Gate(CALLS_AT_ONCE);
}
