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
  paths: ReadonlySet<string>;
  verb: Verb;
  ended: Promise<void>;
}

export class CallOrder {
  readonly #running = new Set<Running>();

  /** Runs `call` once every earlier call that it could collide with has ended. */
  async run<T>(paths: readonly string[], verb: Verb, call: () => Promise<T>): Promise<T> {
    const mine = new Set(paths);
    const before = [...this.#running];
    const earlier = before.filter((other) => collide(mine, verb, other));
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const own = { paths: mine, verb, ended };
    this.#running.add(own);
    try {
      if (earlier.length > 0) await allEnded(earlier, before);
      return await call();
    } finally {
      this.#running.delete(own);
      end();
    }
  }

  /** Waits until the earlier changes have ended; no call waits for this one. */
  async changesDone(): Promise<void> {
    const before = [...this.#running];
    const earlier = before.filter(({ verb }) => verb === 'change');
    if (earlier.length > 0) await allEnded(earlier, before);
  }
}

/**
 * Waits for as long as there is progress: each call from `before`, whatever its path, renews the patience when it
 * ends. On a slow disk a write may wait for longer than that behind writes to other paths.
 */
function allEnded(earlier: readonly Running[], before: readonly Running[]): Promise<void> {
  return new Promise((resolve) => {
    let isOver = false;
    const patience = setTimeout(resolve, PATIENCE_MS);
    for (const { ended } of before) void ended.then(() => isOver || patience.refresh());
    void Promise.all(earlier.map(({ ended }) => ended)).then(() => {
      isOver = true;
      clearTimeout(patience);
      resolve();
    });
  });
}

function collide(paths: ReadonlySet<string>, verb: Verb, other: Running): boolean {
  if (verb === 'read' && other.verb === 'read') return false;
  return anyIsWithin(paths, other.paths) || anyIsWithin(other.paths, paths);
}

/** Whether one of `inner` is one of `outer` or lies below it. Both may have thousands: no pairs are compared. */
function anyIsWithin(inner: ReadonlySet<string>, outer: ReadonlySet<string>): boolean {
  if (outer.has('/')) return true;
  for (const path of inner) {
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      if (outer.has(path.slice(0, end))) return true;
    }
  }
  return false;
}
