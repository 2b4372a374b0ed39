/**
 * Remembers answers until the next turn of the event loop: a change of thousands of files asks the same about each of
 * their few directories. Between asking and changing lies more time than this anyway.
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
