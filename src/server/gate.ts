/** Lets a number of calls in at once; the others wait their turn in the order in which they came. */
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
