/**
 * Decides how many threads each search gets, so that no search keeps the others waiting.
 *
 * It counts two kinds of searches separately: those that surely end (listings, and searches for plain texts) and those
 * whose regular expression may run away. When the searches of a kind hold all its regular threads, and some have held
 * them for long, a new search gets one extra thread. A single client cannot take all extra threads.
 */

/** How many searches of each kind get all the threads that they want. */
const SEARCHES_AT_ONCE = 4;
const MOST_EXTRA = 16;
const MOST_EXTRA_FOR_ONE_CLIENT = 8;
/** A search that has held threads for this long gives back the idle ones when another search waits. */
const RELEASE_IDLE_AFTER_MS = 500;
/** When a search has held threads for this long, new searches get extra ones. */
const EXTRA_AFTER_MS = 1000;

export interface Searcher {
  /** The client that called. */
  client: string;
  /** Whether the search takes bounded time: it has no regular expression that could run away. */
  surelyEnds: boolean;
}

/** A thread that a search holds. */
interface Hold<S> {
  searcher: S;
  since: number;
  isExtra: boolean;
}

export class Scheduler<S extends Searcher, Thread> {
  readonly #size: number;
  readonly #now: () => number;
  /** Has an entry for each thread at work. */
  readonly #holds = new Map<Thread, Hold<S>>();

  /** `size` is how many threads a search wants. */
  constructor(size: number, now: () => number = () => performance.now()) {
    this.#size = size;
    this.#now = now;
  }

  /** How many threads a search may take now. */
  threadsAllowed(searcher: Searcher): number {
    const regular = this.#size * SEARCHES_AT_ONCE - this.#holdsLike(searcher, false).length;
    return regular > 0 ? Math.min(regular, this.#size) : Number(this.#mayTakeExtra(searcher));
  }

  hold(searcher: S, threads: readonly Thread[]): void {
    const isExtra = this.#holdsLike(searcher, false).length >= this.#size * SEARCHES_AT_ONCE;
    const hold = { searcher, since: this.#now(), isExtra };
    for (const thread of threads) this.#holds.set(thread, hold);
  }

  release(thread: Thread): void {
    this.#holds.delete(thread);
  }

  /** The searches that have run for so long that they must give back their idle threads. */
  longRunning(): Set<S> {
    const long = [...this.#holds.values()].filter((hold) => this.#ageOf(hold) >= RELEASE_IDLE_AFTER_MS);
    return new Set(long.map(({ searcher }) => searcher));
  }

  /** In how many milliseconds the age of a search will next change what is allowed; undefined if it never will. */
  get nextChangeIn(): number | undefined {
    const left = [...this.#holds.values()]
      .flatMap((hold) => [RELEASE_IDLE_AFTER_MS, EXTRA_AFTER_MS].map((ms) => ms - this.#ageOf(hold)))
      .filter((ms) => ms > 0);
    return left.length === 0 ? undefined : Math.min(...left);
  }

  #mayTakeExtra(searcher: Searcher): boolean {
    const extra = this.#holdsLike(searcher, true);
    if (extra.length >= MOST_EXTRA) return false;
    const own = extra.filter((hold) => hold.searcher.client === searcher.client);
    if (own.length >= MOST_EXTRA_FOR_ONE_CLIENT) return false;
    return this.#holdsLike(searcher, false).some((hold) => this.#ageOf(hold) >= EXTRA_AFTER_MS);
  }

  /** The threads that searches of the same kind hold, either the regular or the extra ones. */
  #holdsLike({ surelyEnds }: Searcher, isExtra: boolean): Hold<S>[] {
    return [...this.#holds.values()].filter(
      (hold) => hold.searcher.surelyEnds === surelyEnds && hold.isExtra === isExtra,
    );
  }

  #ageOf({ since }: Hold<S>): number {
    return this.#now() - since;
  }
}
