/**
 * The search threads. They start with the first search and wait for the next one without keeping the process
 * alive. When a pattern runs away, the pool ends its threads and starts new ones.
 */
import { converterMemory } from '../../confine/protect/own-package.ts';
import type { WorkQueue } from '../queue/work-queue.ts';
import { SignatureStore } from '../signatures/signature-store.ts';
import type { ThreadData } from './jobs.ts';
import { Scheduler, type Searcher } from './scheduler.ts';
import { SearchThread } from './search-thread.ts';

/** A search that wants threads, with the queue that they will share. */
export interface ThreadSearcher extends Searcher {
  queue: Pick<WorkQueue, 'releaseIdleThreads'>;
}

/** When no other search waits, a search waits so long for all the threads that it can use. */
const WAIT_FOR_ALL_MS = 5;
/**
 * While threads came and went within this time, a search waits for one of them instead of starting a new one. This
 * process must also have had so much processor time: on a busy machine every search takes long.
 */
const WAIT_FOR_ONE_MS = 300;
/** A search that waits for a slow disk takes no processor time. */
const LONGEST_WAIT_FOR_ONE_MS = 2000;
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
  /** In the order in which they came. */
  readonly #waiting = new Set<Waiting>();
  #nextTry: NodeJS.Timeout | undefined;
  /** When a search last took a thread or gave one back, or a new one was ready. */
  #lastMove = 0;
  #lastMoveCpu = 0;
  /** Threads that are not ready yet. */
  #starting = 0;
  /** How many further threads may start although so many are at work. */
  #furtherNow = 0;
  /** How many may when next no thread comes back. */
  #furtherNext: number;
  #closed = false;

  /** `file` is the worker's bundle, where it is not the package's own. */
  constructor(size: number, file?: string, settledAfterMs?: number) {
    this.#size = size;
    this.#settledAfterMs = settledAfterMs;
    this.#file = file;
    this.#scheduler = new Scheduler(size);
    this.#furtherNext = size;
  }

  /** How many threads there are, idle ones included. */
  get threads(): number {
    return this.#all.size;
  }

  /** Waits for threads for one search; gives none when the signal aborts first. */
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

  /** Takes back threads that got no job. */
  giveBack(threads: readonly SearchThread[]): void {
    for (const thread of threads) this.#addIdle(thread);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#serve();
    await Promise.all([...this.#all].map((thread) => thread.end()));
  }

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

  /** None when it is better to wait for threads at work. While several searches wait, each gets one thread. */
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

  /** When none came back, the pool starts a few more; when none of those comes back either, twice as many. */
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

  /** Whether no thread has come back for so long that it is not for lack of processor time. */
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
    // Not `unref`: a caller waits for an answer, and nothing else may keep the process alive.
    // And only then `#serve`: when the main thread was held up, threads that have come back meanwhile say so first.
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

/** Of all threads of this process. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
