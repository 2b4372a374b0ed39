/** One search thread: starts jobs on it, passes on its messages, and reports when it is idle or has ended. */
import { Worker } from 'node:worker_threads';
import { workerSource } from '../../confine/protect/own-package.ts';
import { EngineFailure } from '../../failures.ts';
import type { AnyJob, ThreadData, ThreadMessage } from './jobs.ts';

/** What a thread allocates soon becomes garbage: with more memory, V8 would only collect it later. */
const YOUNG_MIB = 3;

export class SearchThread {
  readonly #worker: Worker;
  readonly #onIdle: (thread: SearchThread) => void;
  /** Why the thread ended; undefined while it runs. */
  #end: Error | undefined;
  /** The job that the thread has not reported as done. */
  #job: number | undefined;
  #onMessage: ((message: ThreadMessage) => void) | undefined;
  #onGone: ((error: Error) => void) | undefined;
  /** The shared memory that the thread has already received, by slot. */
  readonly #known: SharedArrayBuffer[] = [];

  constructor(
    file: string | undefined,
    data: ThreadData,
    onIdle: (thread: SearchThread) => void,
    onExit: (thread: SearchThread) => void,
    onOnline: () => void,
  ) {
    this.#onIdle = onIdle;
    const options = {
      execArgv: [],
      env: {},
      name: 'search',
      eval: file === undefined,
      workerData: data,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
    };
    this.#worker = new Worker(file ?? workerSource('search-worker.cjs'), options);
    this.#worker.once('online', onOnline);
    this.#worker.on('message', (message: ThreadMessage) => this.#received(message));
    this.#worker.on('error', (error) => {
      this.#end = asShortage(error as Error);
      this.#fail(this.#end);
    });
    this.#worker.on('exit', () => {
      this.#end ??= new Error('a search thread ended');
      this.#fail(this.#end);
      onExit(this);
    });
    this.#worker.unref();
  }

  /** Whether the thread is still at work on this job. If not, it may be at work for another search. */
  isAt(job: number): boolean {
    return this.#job === job;
  }

  /** Starts a job. Calls `onGone` if the thread ends before it has reported the job as done. */
  start(job: AnyJob, onMessage: (message: ThreadMessage) => void, onGone: (error: Error) => void): void {
    this.#job = job.id;
    this.#onMessage = onMessage;
    this.#onGone = onGone;
    this.#worker.ref();
    if (this.#end) this.#fail(this.#end);
    else this.#worker.postMessage({ ...job, queue: this.#unknownMemory(job.queue) });
  }

  /** Call this when the work of the job was done before the thread came to it. Ignores its later messages about it. */
  release(job: number): void {
    if (this.isAt(job)) this.#becomeIdle();
  }

  /** Terminates the thread. A search that still waits for it is cancelled. */
  async end(): Promise<void> {
    this.#fail(new EngineFailure({ kind: 'cancelled' }));
    await this.#worker.terminate();
  }

  /** A thread keeps the memory that it receives, so it is sent only once. */
  #unknownMemory({ slot, shared }: AnyJob['queue']): AnyJob['queue'] {
    if (shared === undefined || this.#known[slot] === shared) return { slot, shared: undefined };
    this.#known[slot] = shared;
    return { slot, shared };
  }

  #received(message: ThreadMessage): void {
    if (message.id !== this.#job) return;
    const onMessage = this.#onMessage;
    if (message.kind !== 'found') this.#becomeIdle();
    onMessage?.(message);
  }

  #becomeIdle(): void {
    this.#job = undefined;
    this.#onMessage = undefined;
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

/** If a thread cannot start for lack of descriptors or memory, only the message of its error says so. */
function asShortage(error: Error): Error {
  const code = /\b(?:EMFILE|ENFILE|ENOMEM)\b/.exec(error.message)?.[0];
  return code === undefined ? error : new EngineFailure({ kind: 'io', path: '.', action: 'search', code });
}
