/** A queue for each key: tasks of one process wait here for each other before they compete with other processes. */

export type Release = () => void;

/** One function that releases everything, the last first. */
export function releaseAll(held: readonly Release[]): Release {
  return () => {
    for (const release of held.toReversed()) release();
  };
}

export class LockQueues {
  /** Settles when the last task in the queue of a key has left it. */
  readonly #last = new Map<string, Promise<void>>();

  has(key: string): boolean {
    return this.#last.has(key);
  }

  /** Waits until all earlier tasks have left the queue; returns the function that leaves it. */
  async enter(key: string): Promise<Release> {
    const before = this.#last.get(key);
    let leave: Release = () => {};
    const mine = new Promise<void>((resolve) => {
      leave = resolve;
    });
    this.#last.set(key, mine);
    await before;
    return () => {
      if (this.#last.get(key) === mine) this.#last.delete(key);
      leave();
    };
  }
}
