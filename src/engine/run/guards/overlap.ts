/**
 * What existed before the first of several overlapping commands. Each of them compares with that: what one of them made
 * is new to the others, too.
 */
export class Overlap<Before> {
  #current: { running: number; before?: Before } | undefined;

  /** Runs a command as a part of the overlap. The first one to know what existed before sets `before`. */
  async during<T>(run: (overlap: { before?: Before }) => Promise<T>): Promise<T> {
    this.#current ??= { running: 0 };
    const current = this.#current;
    current.running++;
    try {
      return await run(current);
    } finally {
      current.running--;
      if (current.running === 0) this.#current = undefined;
    }
  }
}
