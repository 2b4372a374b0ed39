/**
 * The pool of search threads. They start with the first search and wait for the next one without keeping the process
 * alive. When a regular expression runs away, `time-limit.ts` ends its threads, and the pool starts new ones.
 */
import { converterMemory } from '../../confine/protect/own-package.ts';
import type { WorkQueue } from '../queue/work-queue.ts';
import { SignatureStore } from '../signatures/signature-store.ts';
import type { ThreadData } from './jobs.ts';
import { Scheduler, type Searcher } from './scheduler.ts';
import { SearchThread } from './search-thread.ts';

/** A search that wants threads, and the queue that they will share. */
export interface ThreadSearcher extends Searcher {
  queue: Pick<WorkQueue, 'releaseIdleThreads'>;
}

/** How long a search waits for all the threads that it can use, if no other search waits. */
const WAIT_FOR_ALL_MS = 5;
/**
 * A search waits for a thread at work, instead of starting a new one, until no thread has come or gone for this long.
 * This process must also have used as much processor time meanwhile: on a busy machine every search takes long.
 */
const WAIT_FOR_ONE_MS = 300;
/** After this long the processor time no longer matters: a search that waits for a slow disk uses none. */
const LONGEST_WAIT_FOR_ONE_MS = 2000;
/** How often the pool checks whether a waiting search can have a thread. */
const LOOK_AGAIN_MS = 50;

interface Waiting {
  since: number;
  searcher: ThreadSearcher;
  give(threads: SearchThread[]): void;
}

export class SearchPool {
  readonly #size: number;
  readonly #settledAfterMs: number | undefined;
  #signatures: SharedArrayBuffer | undefined;
  readonly #file: string | undefined;
  readonly #all = new Set<SearchThread>();
  readonly #scheduler: Scheduler<ThreadSearcher, SearchThread>;
  #idle: SearchThread[] = [];
  /** The searches that wait for threads, in the order in which they came. */
  readonly #waiting = new Set<Waiting>();
  #nextTry: NodeJS.Timeout | undefined;
  /** When a search last took a thread or gave one back, or a new thread was ready. */
  #lastMove = 0;
  /** The processor time that this process had used then, in milliseconds. */
  #lastMoveCpu = 0;
  /** How many threads are not ready yet. */
  #starting = 0;
  /** How many threads may still start now, beyond the size of the pool. */
  #furtherNow = 0;
  /** How many threads may start beyond the size of the pool the next time that none comes back. */
  #furtherNext: number;
  #closed = false;

  /** `file` is the bundle of the search thread. Default: the one in the package. */
  constructor(size: number, file?: string, settledAfterMs?: number) {
    this.#size = size;
    this.#settledAfterMs = settledAfterMs;
    this.#file = file;
    this.#scheduler = new Scheduler(size);
    this.#furtherNext = size;
  }

  /** How many threads there are, including idle ones. */
  get threads(): number {
    return this.#all.size;
  }

  /** Waits for threads for one search. Returns none if the signal aborts first. */
  async take(searcher: ThreadSearcher, signal: AbortSignal): Promise<SearchThread[]> {
    if (signal.aborted) return [];
    const threads = await new Promise<SearchThread[]>((give) => {
      const waiting = { since: performance.now(), searcher, give };
      this.#waiting.add(waiting);
      const leave = () => {
        if (this.#waiting.delete(waiting)) give([]);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#serve();
    });
    if (this.#closed) throw new Error('the search is closed');
    return threads;
  }

  /** Takes back threads that were given no job. */
  giveBack(threads: readonly SearchThread[]): void {
    for (const thread of threads) this.#addIdle(thread);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#serve();
    await Promise.all([...this.#all].map((thread) => thread.end()));
  }

  /** Gives threads to the waiting searches that may have some now. */
  #serve(): void {
    for (const waiting of this.#waiting) {
      const { searcher, give } = waiting;
      const allowed = this.#closed ? 0 : this.#scheduler.threadsAllowed(searcher);
      const threads = allowed > 0 ? this.#threadsFor(waiting, allowed) : [];
      if (threads.length === 0 && !this.#closed) continue;
      this.#scheduler.hold(searcher, threads);
      this.#waiting.delete(waiting);
      give(threads);
    }
    clearTimeout(this.#nextTry);
    if (this.#waiting.size > 0) this.#tryAgainLater();
  }

  /** Returns none if it is better to wait for threads at work. While several searches wait, each gets one thread. */
  #threadsFor({ since }: Waiting, allowed: number): SearchThread[] {
    const wanted = this.#waiting.size > 1 ? 1 : allowed;
    const free = this.#idle.length + Math.max(0, this.#size - this.#all.size);
    const now = performance.now();
    if (free > 0 && free < wanted && now - since < WAIT_FOR_ALL_MS) return [];
    if (free === 0) return this.#furtherThreads(wanted, now);
    this.#moved(now);
    const threads = this.#idle.splice(0, Math.min(free, wanted));
    while (threads.length < Math.min(free, wanted)) threads.push(this.#create());
    return threads;
  }

  /** If no thread comes back, the pool starts a few more; if none of those comes back either, twice as many. */
  #furtherThreads(wanted: number, now: number): SearchThread[] {
    if (this.#furtherNow === 0 && this.#isStuck(now)) {
      this.#furtherNow = this.#furtherNext;
      this.#furtherNext *= 2;
    }
    const count = Math.min(wanted, this.#furtherNow);
    this.#furtherNow -= count;
    return Array.from({ length: count }, () => this.#create());
  }

  #moved(now: number): void {
    this.#lastMove = now;
    this.#lastMoveCpu = processorMs();
    this.#furtherNow = 0;
  }

  /** Whether no thread has come back for so long that a lack of processor time cannot be the reason. */
  #isStuck(now: number): boolean {
    const still = now - this.#lastMove;
    if (this.#starting > 0 || still < WAIT_FOR_ONE_MS) return false;
    return still >= LONGEST_WAIT_FOR_ONE_MS || processorMs() - this.#lastMoveCpu >= WAIT_FOR_ONE_MS;
  }

  #tryAgainLater(): void {
    for (const { queue } of this.#scheduler.longRunning()) queue.releaseIdleThreads();
    const now = performance.now();
    const waits = [...this.#waiting]
      .flatMap(({ since }) => [since + WAIT_FOR_ALL_MS, this.#lastMove + WAIT_FOR_ONE_MS])
      .map((until) => until - now)
      .filter((ms) => ms > 0);
    if (!this.#isStuck(now)) waits.push(LOOK_AGAIN_MS);
    const { nextChangeIn = Number.POSITIVE_INFINITY } = this.#scheduler;
    const next = Math.min(nextChangeIn, ...waits);
    if (next === Number.POSITIVE_INFINITY) return;
    // Do not `unref` the timer: a caller waits for an answer, and nothing else may keep the process alive.
    // `setImmediate`: if the main thread was busy, it first reads the messages of threads that came back meanwhile.
    this.#nextTry = setTimeout(() => setImmediate(() => this.#serve()), Math.ceil(next));
  }

  #create(): SearchThread {
    this.#starting++;
    let isStarting = true;
    const started = () => {
      if (isStarting) this.#starting--;
      isStarting = false;
    };
    const thread = new SearchThread(
      this.#file,
      this.#threadData(),
      (idle) => this.#addIdle(idle),
      (gone) => {
        started();
        this.#forget(gone);
      },
      () => {
        started();
        this.#moved(performance.now());
      },
    );
    this.#all.add(thread);
    return thread;
  }

  #threadData(): ThreadData {
    this.#signatures ??= SignatureStore.memory();
    const settledAfterMs = this.#settledAfterMs;
    return { converter: converterMemory(), signatures: this.#signatures, settledAfterMs };
  }

  #addIdle(thread: SearchThread): void {
    if (!this.#all.has(thread) || this.#idle.includes(thread)) return;
    this.#scheduler.release(thread);
    this.#moved(performance.now());
    this.#furtherNext = this.#size;
    if (this.#idle.length >= this.#size || this.#closed) void thread.end();
    else this.#idle.push(thread);
    if (this.#signatures && this.#idle.length === this.#all.size) new SignatureStore(this.#signatures).tidy();
    this.#serve();
  }

  #forget(thread: SearchThread): void {
    this.#all.delete(thread);
    this.#scheduler.release(thread);
    this.#idle = this.#idle.filter((idle) => idle !== thread);
    this.#serve();
  }
}

/** The processor time of all threads of this process. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
