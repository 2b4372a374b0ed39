/**
 * The threads that search. They start with the first search, wait for the next one without keeping the
 * process alive, and are ended and replaced when a pattern runs away.
 */
import { Worker } from 'node:worker_threads';
import { workerSource } from '../../confine/protect/own-package.ts';
import { EngineFailure } from '../../failures.ts';
import type { WorkQueue } from '../queue/work-queue.ts';
import type { AnyJob, Report } from './jobs.ts';
import { type Searcher, Shares } from './scheduler.ts';

/** What a thread makes is soon garbage: with more room it would only be collected later. */
const YOUNG_MIB = 4;

export class SearchThread {
  readonly #worker: Worker;
  readonly #onIdle: (thread: SearchThread) => void;
  #gone = false;
  /** The job that it works on, or at least has not reported about. */
  #job: number | undefined;
  #onReport: ((report: Report) => void) | undefined;
  #onGone: ((error: Error) => void) | undefined;
  /** The shared memory that it was sent, by slot. */
  readonly #known: SharedArrayBuffer[] = [];

  constructor(
    file: string | undefined,
    onIdle: (thread: SearchThread) => void,
    onExit: (thread: SearchThread) => void,
  ) {
    this.#onIdle = onIdle;
    const options = {
      execArgv: [],
      env: {},
      name: 'search',
      eval: file === undefined,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
    };
    this.#worker = new Worker(file ?? workerSource('search-worker.cjs'), options);
    this.#worker.on('message', (report: Report) => this.#received(report));
    this.#worker.on('error', (error) => this.#fail(asShortage(error as Error)));
    this.#worker.on('exit', () => {
      this.#gone = true;
      this.#fail(new Error('a search thread ended'));
      onExit(this);
    });
    this.#worker.unref();
  }

  /** Whether it has not reported yet about this job. A thread that has may be at work for another search. */
  isAt(job: number): boolean {
    return this.#job === job;
  }

  /** Starts a job; `onGone` is called when the thread ends before it has reported that it is done. */
  start(job: AnyJob, onReport: (report: Report) => void, onGone: (error: Error) => void): void {
    this.#job = job.id;
    this.#onReport = onReport;
    this.#onGone = onGone;
    this.#worker.ref();
    if (this.#gone) this.#fail(new Error('a search thread ended'));
    else this.#worker.postMessage({ ...job, queue: this.#news(job.queue) });
  }

  /** The job's work was done before the thread came to it: what it still reports about it does not matter. */
  release(job: number): void {
    if (this.isAt(job)) this.#rest();
  }

  /** A search that still waits for it is cancelled. */
  async end(): Promise<void> {
    this.#fail(new EngineFailure({ kind: 'cancelled' }));
    await this.#worker.terminate();
  }

  #news({ slot, shared }: AnyJob['queue']): AnyJob['queue'] {
    if (shared === undefined || this.#known[slot] === shared) return { slot, shared: undefined };
    this.#known[slot] = shared;
    return { slot, shared };
  }

  #received(report: Report): void {
    if (report.id !== this.#job) return;
    const onReport = this.#onReport;
    if (report.kind !== 'found') this.#rest();
    onReport?.(report);
  }

  #rest(): void {
    this.#job = undefined;
    this.#onReport = undefined;
    this.#onGone = undefined;
    this.#worker.unref();
    this.#onIdle(this);
  }

  #fail(error: Error): void {
    const onGone = this.#onGone;
    this.#onGone = undefined;
    onGone?.(error);
  }
}

/** A thread that could not be started for want of descriptors or memory says so only in its message. */
function asShortage(error: Error): Error {
  const code = /\b(?:EMFILE|ENFILE|ENOMEM)\b/.exec(error.message)?.[0];
  return code === undefined ? error : new EngineFailure({ kind: 'io', path: '.', action: 'search', code });
}

/** A search that wants threads, with the work that they will share. */
export interface ThreadSearcher extends Searcher {
  queue: Pick<WorkQueue, 'spare'>;
}

/** A search that is alone in waiting waits so long for all the threads that it can use. */
const FOR_A_TEAM_MS = 5;
/** Any search waits for a thread that is there already, for as long as searches came and went within this time. */
const FOR_A_THREAD_MS = 300;

interface Waiting {
  since: number;
  searcher: ThreadSearcher;
  give(threads: SearchThread[]): void;
}

export class SearchPool {
  readonly #size: number;
  readonly #file: string | undefined;
  readonly #all = new Set<SearchThread>();
  readonly #shares: Shares<ThreadSearcher, SearchThread>;
  #idle: SearchThread[] = [];
  /** In the order in which they came. */
  readonly #waiting = new Set<Waiting>();
  #nextLook: NodeJS.Timeout | undefined;
  /** When a thread was taken or came back from its work. */
  #lastMove = 0;
  #closed = false;

  /** `file`: another worker than the package's own. */
  constructor(size: number, file?: string) {
    this.#size = size;
    this.#file = file;
    this.#shares = new Shares(size);
  }

  /** How many threads there are, idle ones included. */
  get threads(): number {
    return this.#all.size;
  }

  /** Threads for one search, as soon as there are some; none when it was aborted meanwhile. */
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

  /** Gives back threads that were taken and got no job. */
  giveBack(threads: readonly SearchThread[]): void {
    for (const thread of threads) this.#rest(thread);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#serve();
    await Promise.all([...this.#all].map((thread) => thread.end()));
  }

  #serve(): void {
    for (const waiting of this.#waiting) {
      const { searcher, give } = waiting;
      const room = this.#closed ? 0 : this.#shares.roomFor(searcher);
      const threads = room > 0 ? this.#threadsFor(waiting, room) : [];
      if (threads.length === 0 && !this.#closed) continue;
      this.#shares.hold(searcher, threads);
      this.#waiting.delete(waiting);
      give(threads);
    }
    clearTimeout(this.#nextLook);
    if (this.#waiting.size > 0) this.#awaitRoom();
  }

  /** None when it is better to wait for those that are at work. While others wait too, each gets one. */
  #threadsFor({ since }: Waiting, room: number): SearchThread[] {
    const wanted = this.#waiting.size > 1 ? 1 : room;
    const free = this.#idle.length + Math.max(0, this.#size - this.#all.size);
    const now = performance.now();
    if (free === 0 && now - this.#lastMove < FOR_A_THREAD_MS) return [];
    if (free > 0 && free < wanted && now - since < FOR_A_TEAM_MS) return [];
    // Threads that were started because none comes back do not keep the next ones waiting.
    if (free > 0) this.#lastMove = now;
    const count = free > 0 ? Math.min(free, wanted) : wanted;
    const threads = this.#idle.splice(0, count);
    while (threads.length < count) threads.push(this.#create());
    return threads;
  }

  #awaitRoom(): void {
    for (const { queue } of this.#shares.sparing()) queue.spare();
    const now = performance.now();
    const patience = [...this.#waiting]
      .flatMap(({ since }) => [since + FOR_A_TEAM_MS, this.#lastMove + FOR_A_THREAD_MS])
      .map((until) => until - now)
      .filter((ms) => ms > 0);
    const { nextChangeIn = Number.POSITIVE_INFINITY } = this.#shares;
    const next = Math.min(nextChangeIn, ...patience);
    if (next === Number.POSITIVE_INFINITY) return;
    // Not `unref`: somebody waits for an answer, maybe with nothing else that keeps the process alive.
    this.#nextLook = setTimeout(() => this.#serve(), Math.ceil(next));
  }

  #create(): SearchThread {
    const thread = new SearchThread(
      this.#file,
      (idle) => this.#rest(idle),
      (gone) => this.#forget(gone),
    );
    this.#all.add(thread);
    return thread;
  }

  #rest(thread: SearchThread): void {
    if (!this.#all.has(thread) || this.#idle.includes(thread)) return;
    this.#shares.release(thread);
    this.#lastMove = performance.now();
    if (this.#idle.length >= this.#size || this.#closed) void thread.end();
    else this.#idle.push(thread);
    this.#serve();
  }

  #forget(thread: SearchThread): void {
    this.#all.delete(thread);
    this.#shares.release(thread);
    this.#idle = this.#idle.filter((idle) => idle !== thread);
    this.#serve();
  }
}
