/**
 * Caches answers until the next turn of the event loop: a change of thousands of files asks the same questions about
 * its few directories. More time than that passes between the check and the change anyway.
 */
export class TurnMemo<T> {
  readonly #known = new Map<string, T>();

  get(key: string, find: () => T): T {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#known.size === 0) setImmediate(() => this.#known.clear());
    const found = find();
    this.#known.set(key, found);
    return found;
  }
}
