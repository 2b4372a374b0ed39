/**
 * The threads that search. They start with the first search, wait for the next one without keeping the
 * process alive, and are ended and replaced when a pattern runs away.
 */
import { Worker } from 'node:worker_threads';
import { workerSource } from '../confine/own-package.ts';
import { EngineFailure } from '../failures.ts';
import type { AnyJob, Report } from './jobs.ts';
import type { WorkQueue } from './queue.ts';
import { type Searcher, Shares } from './shares.ts';

export class SearchThread {
  readonly #worker: Worker;
  readonly #onIdle: (thread: SearchThread) => void;
  #gone = false;
  /** The job that it works on, or at least has not reported about. */
  #job: number | undefined;
  #onReport: ((report: Report) => void) | undefined;
  #onGone: ((error: Error) => void) | undefined;

  constructor(
    file: string | undefined,
    onIdle: (thread: SearchThread) => void,
    onExit: (thread: SearchThread) => void,
  ) {
    this.#onIdle = onIdle;
    const options = { execArgv: [], env: {}, name: 'search', eval: file === undefined };
    this.#worker = new Worker(file ?? workerSource('search-worker.cjs'), options);
    this.#worker.on('message', (report: Report) => this.#received(report));
    this.#worker.on('error', (error) => this.#fail(error as Error));
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
    else this.#worker.postMessage(job);
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

/** A search that wants threads, with the work that they will share. */
export interface ThreadSearcher extends Searcher {
  queue: Pick<WorkQueue, 'spare'>;
}

interface Waiting {
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

  /** Starts the threads before they are needed. */
  warm(): void {
    while (!this.#closed && this.#all.size < this.#size) this.#idle.push(this.#create());
  }

  /** Threads for one search, as soon as there are some; none when it was aborted meanwhile. */
  async take(searcher: ThreadSearcher, signal: AbortSignal): Promise<SearchThread[]> {
    if (signal.aborted) return [];
    const threads = await new Promise<SearchThread[]>((give) => {
      const waiting = { searcher, give };
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
      if (room === 0 && !this.#closed) continue;
      const threads = this.#idle.splice(0, room);
      while (threads.length < room) threads.push(this.#create());
      this.#shares.hold(searcher, threads);
      this.#waiting.delete(waiting);
      give(threads);
    }
    clearTimeout(this.#nextLook);
    if (this.#waiting.size > 0) this.#awaitRoom();
  }

  #awaitRoom(): void {
    for (const { queue } of this.#shares.sparing()) queue.spare();
    const { nextChangeIn } = this.#shares;
    if (nextChangeIn === undefined) return;
    this.#nextLook = setTimeout(() => this.#serve(), Math.ceil(nextChangeIn));
    this.#nextLook.unref();
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
