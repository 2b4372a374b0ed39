/**
 * Calls that touch the same path take effect in the order in which they came, so that a client may send a write and
 * then a read without waiting for the first answer. Calls on other paths do not wait.
 *
 * This is about order only; locks.ts sees to it that two changes never lose each other. So no call waits for long
 * behind one that makes no progress, such as an edit with a pattern that runs away.
 */
import type { Arrival } from '../caller.ts';

/**
 * How long a call waits without progress, in short spans: on a busy machine a span takes as long as this process has to
 * wait for the processor, and so does the work that the call waits for.
 */
const PATIENCE_SPANS = 20;
const SPAN_MS = 100;

export type Verb = 'read' | 'change';

/** A call under way. Other calls wait for few of them, so the promise of the end exists only once one does. */
class Running {
  readonly paths: ReadonlySet<string>;
  readonly verb: Verb;
  #ended: Promise<void> | undefined;
  #end: (() => void) | undefined;

  constructor(paths: ReadonlySet<string>, verb: Verb) {
    this.paths = paths;
    this.verb = verb;
  }

  get ended(): Promise<void> {
    this.#ended ??= new Promise((resolve) => {
      this.#end = resolve;
    });
    return this.#ended;
  }

  end(): void {
    this.#end?.();
  }
}

/** The same for a call that has not named its paths. */
class Unnamed implements Arrival {
  readonly number: number;
  readonly #unnamed: Set<Unnamed>;
  #isNamed = false;
  #named: Promise<void> | undefined;
  #settle: (() => void) | undefined;

  constructor(number: number, unnamed: Set<Unnamed>) {
    this.number = number;
    this.#unnamed = unnamed;
    unnamed.add(this);
  }

  get named(): Promise<void> {
    this.#named ??= new Promise((resolve) => {
      if (this.#isNamed) resolve();
      else this.#settle = resolve;
    });
    return this.#named;
  }

  name(): void {
    if (this.#isNamed) return;
    this.#isNamed = true;
    this.#unnamed.delete(this);
    this.#settle?.();
  }
}

export class CallOrder {
  /** In the order in which they came. */
  readonly #running = new Set<Running>();
  #arrivals = 0;
  /** Those that have not named their paths yet, in the order in which they came. */
  readonly #unnamed = new Set<Unnamed>();

  /** Call this when a call comes, before you wait for anything, and call its `name` in the end. */
  arrive(): Arrival {
    return new Unnamed(this.#arrivals++, this.#unnamed);
  }

  /** Settles when every call that came before has named its paths; undefined when all of them have. */
  earlierNamed(arrival: Arrival | undefined): Promise<void> | undefined {
    const [first] = this.#unnamed;
    if (first === undefined || first === arrival) return undefined;
    const earlier: Promise<void>[] = [];
    for (const each of this.#unnamed) {
      if (each === arrival) break;
      earlier.push(each.named);
    }
    return withPatience(Promise.all(earlier), earlier);
  }

  /** Runs `call` once every earlier call that it could collide with has ended. */
  async run<T>(paths: readonly string[], verb: Verb, call: () => T | Promise<T>): Promise<T> {
    const own = new Running(new Set(paths), verb);
    const earlier = this.#endOf((other) => collide(own.paths, verb, other));
    this.#running.add(own);
    try {
      // Waits also where no earlier call collides: calls that came together all read their arguments before the first one
      // reaches for the disk. Going through all of a call at once, and then through the next, takes a sixth more.
      await earlier;
      const result = call();
      return result instanceof Promise ? await result : result;
    } finally {
      this.#running.delete(own);
      own.end();
    }
  }

  /** Settles when the earlier changes have ended, undefined when there are none; no call waits for this one. */
  changesDone(): Promise<void> | undefined {
    return this.#endOf(({ verb }) => verb === 'change');
  }

  /**
   * Settles when all of these calls have ended; undefined when there are none. Whenever one of them ends, or a call that
   * came before them, the patience begins again: a slow disk is no standstill.
   */
  #endOf(isAwaited: (call: Running) => boolean): Promise<void> | undefined {
    let awaited: Running[] | undefined;
    for (const call of this.#running) {
      if (!isAwaited(call)) continue;
      awaited ??= [];
      awaited.push(call);
    }
    if (!awaited) return undefined;
    const progress: Promise<void>[] = [];
    for (const call of this.#running) {
      progress.push(call.ended);
      if (call === awaited.at(-1)) break;
    }
    return withPatience(Promise.all(awaited.map(({ ended }) => ended)), progress);
  }
}

/** Waits until all is done, but for no longer than the patience lasts without progress. */
function withPatience(done: Promise<unknown>, progress: readonly Promise<void>[]): Promise<void> {
  return new Promise((resolve) => {
    let left = PATIENCE_SPANS;
    const end = () => {
      clearInterval(patience);
      resolve();
    };
    const patience = setInterval(() => --left > 0 || end(), SPAN_MS);
    const begin = () => {
      left = PATIENCE_SPANS;
    };
    for (const each of progress) void each.then(begin);
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
