/** One queue a key: holders in one process wait here for each other before they ask other processes. */

export type Release = () => void;

export class LockQueues {
  /** The last task of each key. */
  readonly #last = new Map<string, Promise<void>>();

  has(key: string): boolean {
    return this.#last.has(key);
  }

  /** Waits until all who came before have left; gives the function that leaves the queue. */
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
