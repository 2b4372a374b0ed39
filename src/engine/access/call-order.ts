/**
 * Calls that touch the same path take effect in the order in which they came, so that a client may send a write and
 * then a read without waiting for the first answer. Calls on other paths do not wait.
 *
 * This is about order only; locks.ts sees to it that two changes never lose each other. So no call waits for long
 * behind one that makes no progress, such as an edit with a pattern that runs away.
 */
import type { Arrival } from '../caller.ts';

const PATIENCE_MS = 2000;

export type Verb = 'read' | 'change';

interface Running {
  paths: ReadonlySet<string>;
  verb: Verb;
  ended: Promise<void>;
  /** The calls that ran when this one came, until it ends: while they get done, it may be getting closer to its turn. */
  before: readonly Running[];
}

export class CallOrder {
  readonly #running = new Set<Running>();
  /** Those that have not named their paths yet, in the order in which they came. */
  readonly #unnamed = new Set<Arrival>();

  /** To be called when a call comes, before anything is waited for. Its `name` must be called in the end. */
  arrive(): Arrival {
    let settle = () => {};
    const named = new Promise<void>((resolve) => {
      settle = resolve;
    });
    const arrival = {
      named,
      name: () => {
        this.#unnamed.delete(arrival);
        settle();
      },
    };
    this.#unnamed.add(arrival);
    return arrival;
  }

  /** Settles when every call that came before has named its paths; undefined when all of them have. */
  earlierNamed(arrival: Arrival | undefined): Promise<void> | undefined {
    const earlier: Promise<void>[] = [];
    for (const each of this.#unnamed) {
      if (each === arrival) break;
      earlier.push(each.named);
    }
    return earlier.length === 0 ? undefined : withPatience(Promise.all(earlier), earlier);
  }

  /** Runs `call` once every earlier call that it could collide with has ended. */
  async run<T>(paths: readonly string[], verb: Verb, call: () => Promise<T>): Promise<T> {
    const mine = new Set(paths);
    const before = [...this.#running];
    const earlier = before.filter((other) => collide(mine, verb, other));
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const own: Running = { paths: mine, verb, ended, before };
    this.#running.add(own);
    try {
      if (earlier.length > 0) await allEnded(earlier);
      return await call();
    } finally {
      this.#running.delete(own);
      own.before = [];
      end();
    }
  }

  /** Waits until the earlier changes have ended; no call waits for this one. */
  async changesDone(): Promise<void> {
    const earlier = [...this.#running].filter(({ verb }) => verb === 'change');
    if (earlier.length > 0) await allEnded(earlier);
  }
}

/** Whenever one of them ends, or a call that came before them, the patience begins anew: a slow disk is no standstill. */
function allEnded(earlier: readonly Running[]): Promise<void> {
  const progress = new Set(earlier.flatMap((each) => [each, ...each.before]));
  return withPatience(
    Promise.all(earlier.map(({ ended }) => ended)),
    [...progress].map(({ ended }) => ended),
  );
}

/** Waits until all is done, but for no longer than the patience lasts without progress. */
function withPatience(done: Promise<unknown>, progress: readonly Promise<void>[]): Promise<void> {
  return new Promise((resolve) => {
    let isOver = false;
    const end = () => {
      isOver = true;
      clearTimeout(patience);
      resolve();
    };
    const patience = setTimeout(end, PATIENCE_MS);
    for (const each of progress) void each.then(() => isOver || patience.refresh());
    void done.then(end);
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
