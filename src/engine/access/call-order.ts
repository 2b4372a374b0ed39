/**
 * Calls that touch the same path take effect in the order in which they came, so that a client may send a write and
 * then a read without waiting for the first answer. Calls on other paths do not wait.
 *
 * This is about order only; locks.ts sees to it that two changes never lose each other. So no call waits for long
 * behind one that makes no progress, such as an edit with a pattern that runs away.
 */
const PATIENCE_MS = 2000;

export type Verb = 'read' | 'change';

interface Running {
  path: string;
  verb: Verb;
  ended: Promise<void>;
}

export class CallOrder {
  readonly #running = new Set<Running>();

  /** Runs `call` once every earlier call that it could collide with has ended. */
  async run<T>(paths: readonly string[], verb: Verb, call: () => Promise<T>): Promise<T> {
    const earlier = [...this.#running].filter((other) => paths.some((path) => collide(path, verb, other)));
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const own = paths.map((path) => ({ path, verb, ended }));
    for (const each of own) this.#running.add(each);
    try {
      if (earlier.length > 0) await allEnded(earlier);
      return await call();
    } finally {
      for (const each of own) this.#running.delete(each);
      end();
    }
  }

  /** Waits until the earlier changes have ended; no call waits for this one. */
  async changesDone(): Promise<void> {
    const earlier = [...this.#running].filter(({ verb }) => verb === 'change');
    if (earlier.length > 0) await allEnded(earlier);
  }
}

/** Waits for as long as there is progress: each call that ends renews the patience with the rest. */
function allEnded(earlier: readonly Running[]): Promise<void> {
  return new Promise((resolve) => {
    let left = earlier.length;
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
    for (const { ended } of earlier) void ended.then(oneLess);
  });
}

function collide(path: string, verb: Verb, other: Running): boolean {
  if (verb === 'read' && other.verb === 'read') return false;
  return contains(path, other.path) || contains(other.path, path);
}

function contains(outer: string, inner: string): boolean {
  return inner === outer || outer === '/' || inner.startsWith(`${outer}/`);
}
