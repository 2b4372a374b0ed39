/**
 * Calls that touch the same path take effect in the order in which they came, so that a client may send
 * a write and then a read without waiting for the first answer. Calls on other paths are not held up.
 *
 * This is about order only; that two changes never lose each other is the business of turns.ts. So nobody
 * waits for long behind a call that does not get done, such as an edit with a pattern that runs away.
 */
const PATIENCE_MS = 2000;

export type Doing = 'look' | 'change';

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
      if (ahead.length > 0) await allGone(ahead);
      return await call();
    } finally {
      for (const arrival of mine) this.#present.delete(arrival);
      leave();
    }
  }

  /** Waits until the changes that came before are through; nobody waits for the caller. */
  async changesDone(): Promise<void> {
    const ahead = [...this.#present].filter((other) => other.doing === 'change');
    if (ahead.length > 0) await allGone(ahead);
  }
}

/** Waits for as long as there is progress: each call that gets done renews the patience with the rest. */
function allGone(ahead: readonly Arrival[]): Promise<void> {
  return new Promise((resolve) => {
    let left = ahead.length;
    const patience = setTimeout(resolve, PATIENCE_MS);
    const oneLess = () => {
      left--;
      if (left > 0) {
        patience.refresh();
        return;
      }
      clearTimeout(patience);
      resolve();
    };
    for (const other of ahead) void other.gone.then(oneLess);
  });
}

function collide(path: string, doing: Doing, other: Arrival): boolean {
  if (doing === 'look' && other.doing === 'look') return false;
  return overlaps(path, other.path) || overlaps(other.path, path);
}

function overlaps(outer: string, inner: string): boolean {
  return inner === outer || outer === '/' || inner.startsWith(`${outer}/`);
}
