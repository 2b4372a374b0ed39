/**
 * How many threads each search gets, so that none of them keeps the others waiting.
 *
 * Searches that surely end (listings, texts that are only looked up) and those whose pattern may run away are
 * counted apart. While some have held their threads for long, newcomers get one besides the usual ones; no
 * client alone can take all of those.
 */

/** So many searches of each kind get all the threads that they want. */
const SEARCHES_AT_ONCE = 4;
const MOST_BESIDES = 16;
const MOST_BESIDES_FOR_ONE_CLIENT = 8;
/** After so long a search is asked for the threads that it has no work for; later, others get some besides. */
const SPARING_MS = 500;
const LONG_MS = 1000;

export interface Searcher {
  /** Whose search it is. */
  client: string;
  /** Whether there is no pattern that could keep it from ending. */
  surelyEnds: boolean;
}

interface Share<S> {
  searcher: S;
  since: number;
  besides: boolean;
}

export class Shares<S extends Searcher, Thread> {
  readonly #size: number;
  readonly #now: () => number;
  /** Each thread that is at work, with the share of the search that it works for. */
  readonly #held = new Map<Thread, Share<S>>();

  /** `size` is how many threads a search wants. */
  constructor(size: number, now: () => number = () => performance.now()) {
    this.#size = size;
    this.#now = now;
  }

  /** How many threads a search may take now. */
  roomFor(searcher: Searcher): number {
    const usual = this.#size * SEARCHES_AT_ONCE - this.#alike(searcher, false).length;
    return usual > 0 ? Math.min(usual, this.#size) : Number(this.#hasRoomBesides(searcher));
  }

  hold(searcher: S, threads: readonly Thread[]): void {
    const besides = this.#alike(searcher, false).length >= this.#size * SEARCHES_AT_ONCE;
    const share = { searcher, since: this.#now(), besides };
    for (const thread of threads) this.#held.set(thread, share);
  }

  release(thread: Thread): void {
    this.#held.delete(thread);
  }

  /** The searches that are to give back the threads that they have no work for. */
  sparing(): Set<S> {
    const shares = [...this.#held.values()].filter((share) => this.#ageOf(share) >= SPARING_MS);
    return new Set(shares.map(({ searcher }) => searcher));
  }

  /** In how many milliseconds the age of a search will make a difference; undefined when none will. */
  get nextChangeIn(): number | undefined {
    const left = [...this.#held.values()]
      .flatMap((share) => [SPARING_MS, LONG_MS].map((ms) => ms - this.#ageOf(share)))
      .filter((ms) => ms > 0);
    return left.length === 0 ? undefined : Math.min(...left);
  }

  #hasRoomBesides(searcher: Searcher): boolean {
    const taken = this.#alike(searcher, true);
    if (taken.length >= MOST_BESIDES) return false;
    const own = taken.filter((share) => share.searcher.client === searcher.client);
    if (own.length >= MOST_BESIDES_FOR_ONE_CLIENT) return false;
    return this.#alike(searcher, false).some((share) => this.#ageOf(share) >= LONG_MS);
  }

  /** A share for each thread that searches of the same kind hold. */
  #alike({ surelyEnds }: Searcher, besides: boolean): Share<S>[] {
    return [...this.#held.values()].filter(
      (share) => share.searcher.surelyEnds === surelyEnds && share.besides === besides,
    );
  }

  #ageOf({ since }: Share<S>): number {
    return this.#now() - since;
  }
}
