/**
 * Calls that touch the same path take effect in the order in which they came, so that a client may send
 * a write and then a read without waiting for the first answer. Calls on other paths are not held up.
 *
 * This is about order only; that two changes never lose each other is the business of turns.ts.
 */
type Doing = 'look' | 'change';

interface Arrival {
  path: string;
  doing: Doing;
  gone: Promise<void>;
}

export class Arrivals {
  readonly #present = new Set<Arrival>();

  /** Runs `call` once everything earlier that it could collide with is through. */
  async inOrder<T>(paths: readonly string[], doing: Doing, call: () => Promise<T>): Promise<T> {
    const ahead = [...this.#present].filter((other) => paths.some((path) => collide(path, doing, other)));
    let leave = () => {};
    const gone = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const mine = paths.map((path) => ({ path, doing, gone }));
    for (const arrival of mine) this.#present.add(arrival);
    try {
      if (ahead.length > 0) await Promise.all(ahead.map((other) => other.gone));
      return await call();
    } finally {
      for (const arrival of mine) this.#present.delete(arrival);
      leave();
    }
  }
}

function collide(path: string, doing: Doing, other: Arrival): boolean {
  if (doing === 'look' && other.doing === 'look') return false;
  return overlaps(path, other.path) || overlaps(other.path, path);
}

function overlaps(outer: string, inner: string): boolean {
  return inner === outer || outer === '/' || inner.startsWith(`${outer}/`);
}
