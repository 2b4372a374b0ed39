/**
 * The threads that search. They start with the first search, wait for the next one without keeping the
 * process alive, and are ended and replaced when a pattern runs away.
 */
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { bundleDir } from '../bundle-dir.ts';
import { EngineFailure } from '../failures.ts';
import type { AnyJob, Report } from './jobs.ts';

/** A search that runs away must not keep others waiting: so many searches get threads of their own. */
const SEARCHES_AT_ONCE = 4;

export class SearchThread {
  readonly #worker: Worker;
  readonly #onIdle: (thread: SearchThread) => void;
  #gone = false;
  /** The job that it works on, or at least has not reported about. */
  #job: number | undefined;
  #onReport: ((report: Report) => void) | undefined;
  #onGone: ((error: Error) => void) | undefined;

  constructor(file: string, onIdle: (thread: SearchThread) => void, onExit: (thread: SearchThread) => void) {
    this.#onIdle = onIdle;
    this.#worker = new Worker(file, { execArgv: [], env: {}, name: 'search' });
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

export class SearchPool {
  readonly #size: number;
  readonly #file: string;
  readonly #all = new Set<SearchThread>();
  #idle: SearchThread[] = [];
  #waiting: (() => void)[] = [];
  #closed = false;

  constructor(size: number, file: string = join(bundleDir, 'search-worker.cjs')) {
    this.#size = size;
    this.#file = file;
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
  async take(signal: AbortSignal): Promise<SearchThread[]> {
    for (;;) {
      if (signal.aborted) return [];
      if (this.#closed) throw new Error('the search is closed');
      const threads = this.#idle.splice(0, this.#size);
      while (threads.length < this.#size && this.#all.size < this.#size * SEARCHES_AT_ONCE) {
        threads.push(this.#create());
      }
      if (threads.length > 0) return threads;
      await this.#turn(signal);
    }
  }

  /** Gives back threads that were taken and got no job. */
  giveBack(threads: readonly SearchThread[]): void {
    for (const thread of threads) this.#rest(thread);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const resume of this.#waiting.splice(0)) resume();
    await Promise.all([...this.#all].map((thread) => thread.end()));
  }

  async #turn(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
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
    if (this.#idle.length >= this.#size || this.#closed) void thread.end();
    else this.#idle.push(thread);
    this.#waiting.shift()?.();
  }

  #forget(thread: SearchThread): void {
    this.#all.delete(thread);
    this.#idle = this.#idle.filter((idle) => idle !== thread);
    this.#waiting.shift()?.();
  }
}
