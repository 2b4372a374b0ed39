/**
 * Calls that touch the same path take effect in the order in which they arrived, so that a client may send a write and
 * then a read without waiting for the first answer. Calls on other paths do not wait.
 *
 * This is about order only; locks.ts makes sure that two changes never overwrite each other. So no call waits for long
 * behind one that makes no progress, such as an edit with a pattern that runs away.
 */
import type { Arrival } from '../caller.ts';

/**
 * How long a call waits without progress, in short spans. On a busy machine, each span takes longer by the time that
 * this process waits for the processor, and so does the work that the call waits for.
 */
const PATIENCE_SPANS = 20;
const SPAN_MS = 100;

export type Verb = 'read' | 'change';

/** A running call. Other calls wait for few of them, so the promise of its end exists only once a call waits for it. */
class RunningCall {
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

/** A call that has arrived but has not named its paths. Its promise, too, exists only once a call waits for it. */
class UnnamedCall implements Arrival {
  readonly number: number;
  readonly #unnamed: Set<UnnamedCall>;
  #isNamed = false;
  #named: Promise<void> | undefined;
  #settle: (() => void) | undefined;

  constructor(number: number, unnamed: Set<UnnamedCall>) {
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

  markNamed(): void {
    if (this.#isNamed) return;
    this.#isNamed = true;
    this.#unnamed.delete(this);
    this.#settle?.();
  }
}

export class CallOrder {
  /** In order of arrival. */
  readonly #running = new Set<RunningCall>();
  #arrivals = 0;
  /** The calls that have not named their paths yet, in order of arrival. */
  readonly #unnamed = new Set<UnnamedCall>();

  /** Registers a call as soon as it arrives, before anything waits. Call its `markNamed` in the end. */
  arrive(): Arrival {
    return new UnnamedCall(this.#arrivals++, this.#unnamed);
  }

  /** Settles when every earlier call has named its paths; undefined when all of them have. */
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
    const own = new RunningCall(new Set(paths), verb);
    const earlier = this.#endOf((other) => collide(own.paths, verb, other));
    this.#running.add(own);
    try {
      // Waits even if no earlier call collides, so that calls that arrive together all read their arguments before the
      // first one reaches for the disk. Running each call to its end before the next takes a sixth longer.
      await earlier;
      const result = call();
      return result instanceof Promise ? await result : result;
    } finally {
      this.#running.delete(own);
      own.end();
    }
  }

  /** Settles when the earlier changes have ended; undefined when there are none. No call waits for this one. */
  changesDone(): Promise<void> | undefined {
    return this.#endOf(({ verb }) => verb === 'change');
  }

  /**
   * Settles when all of these calls have ended; undefined when there are none. Whenever one of them ends, or a call
   * that arrived before them, the wait starts anew: a slow disk is not a standstill.
   */
  #endOf(isAwaited: (call: RunningCall) => boolean): Promise<void> | undefined {
    let awaited: RunningCall[] | undefined;
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

/** Waits until all is done, but gives up after a time without progress. */
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

function collide(paths: ReadonlySet<string>, verb: Verb, other: RunningCall): boolean {
  if (verb === 'read' && other.verb === 'read') return false;
  return anyIsWithin(paths, other.paths) || anyIsWithin(other.paths, paths);
}

/** Whether one of `inner` is one of `outer` or is below it. With thousands of paths, comparing pairs is too slow. */
function anyIsWithin(inner: ReadonlySet<string>, outer: ReadonlySet<string>): boolean {
  if (outer.has('/')) return true;
  for (const path of inner) {
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      if (outer.has(path.slice(0, end))) return true;
    }
  }
  return false;
}
