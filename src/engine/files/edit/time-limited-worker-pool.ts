/**
 * Runs jobs that can be stopped: each job runs in a worker thread, and the worker of a job that exceeds its time or is
 * cancelled is terminated. The next job gets a new one.
 */
import { Worker } from 'node:worker_threads';
import { converterMemory, type WorkerName, workerSource } from '../../confine/protect/own-package.ts';
import { yieldIfDue } from '../../event-loop.ts';
import { EngineFailure, type Failure, fail } from '../../failures.ts';
import { type MessageChunk, packed, Unpacking } from './message-chunks.ts';

/** How many idle workers are kept: each takes some megabytes, but starting one takes some 30 ms. */
const MOST_IDLE = 1;
/** If a worker became free within this time, a job waits for the next one instead of starting another. */
const WAIT_FOR_ONE_MS = 100;
/** As for the threads that search: what they allocate is soon garbage. */
const YOUNG_MIB = 3;

export interface JobLimits {
  /** How long each step of the job may take. Default: any time. */
  ms?: number;
  signal?: AbortSignal | undefined;
  /** Whether to keep the worker for the next job. */
  keep: boolean;
}

/** `begins`: the next step of the job begins, with a time limit of its own. */
type MessageFromWorker = { answer: unknown } | { chunk: MessageChunk } | { begins: true };

export class WorkerPool<Job, Answer> {
  readonly #worker: WorkerName;
  readonly #most: number;
  readonly #idle: Worker[] = [];
  readonly #busy = new Set<Worker>();
  readonly #waiting = new Set<() => void>();
  /** When a worker last became free, or a new one was ready. */
  #lastFree = 0;
  #starting = 0;
  #closed = false;

  constructor(worker: WorkerName, most: number) {
    this.#worker = worker;
    this.#most = most;
  }

  async run(job: Job, { ms, signal, keep }: JobLimits): Promise<Answer> {
    const since = performance.now();
    // Nothing may be awaited between the last check and the job: two calls would take the same slot.
    for (let wait = this.#waitFor(since); wait > 0; wait = this.#waitFor(since))
      await this.#untilFree(signal, wait);
    if (this.#closed || signal?.aborted) return fail({ kind: 'cancelled' });
    const worker = this.#idle.pop() ?? this.#start();
    this.#busy.add(worker);
    worker.ref();
    return new Promise<Answer>((resolve, reject) => {
      const finish = (healthy: boolean) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        // Not removeAllListeners: the worker has listeners of its own, without which it never gets an answer again.
        worker.off('message', onMessage).off('error', onError).off('exit', onExit);
        this.#release(worker, healthy);
      };
      const cutOff = (facts: Failure) => {
        finish(false);
        reject(new EngineFailure(facts));
      };
      const onAbort = () => cutOff({ kind: 'cancelled' });
      const onExit = () => cutOff({ kind: 'cancelled' });
      const onError = (error: Error) => {
        finish(false);
        reject(error);
      };
      const unpacking = new Unpacking();
      const onMessage = async (message: MessageFromWorker) => {
        if ('begins' in message) timer?.refresh();
        else if ('chunk' in message) {
          unpacking.add(message.chunk);
          await yieldIfDue();
          worker.postMessage({ more: true });
        } else {
          finish(keep);
          resolve(unpacking.unpacked(message.answer) as Answer);
        }
      };
      const late = () => cutOff({ kind: 'timeout', what: 'regex', ms: ms! });
      const timer = ms === undefined ? undefined : setTimeout(late, ms);
      signal?.addEventListener('abort', onAbort, { once: true });
      worker.on('message', onMessage).on('error', onError).on('exit', onExit);
      void send(worker, job, () => this.#busy.has(worker)).then(() => timer?.refresh());
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const all = [...this.#busy, ...this.#idle.splice(0)];
    await Promise.all(all.map((worker) => worker.terminate()));
  }

  #start(): Worker {
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MIB };
    const workerData = converterMemory();
    const options = { eval: true, execArgv: [], env: {}, name: 'text', resourceLimits, workerData };
    const worker = new Worker(workerSource(this.#worker), options);
    this.#starting++;
    const started = () => {
      this.#starting--;
      this.#lastFree = performance.now();
      worker.off('online', started).off('exit', started);
    };
    return worker.once('online', started).once('exit', started);
  }

  #release(worker: Worker, healthy: boolean): void {
    this.#busy.delete(worker);
    this.#lastFree = performance.now();
    if (healthy && !this.#closed && this.#idle.length < MOST_IDLE) {
      worker.unref();
      this.#idle.push(worker);
    } else {
      void worker.terminate();
    }
    const [next] = this.#waiting;
    next?.();
  }

  /** How long a job that arrived at `since` waits for a worker before it checks again; 0 if it need not wait. */
  #waitFor(since: number): number {
    if (this.#idle.length > 0 || this.#busy.size === 0) return 0;
    const left = Math.max(since, this.#lastFree) + WAIT_FOR_ONE_MS - performance.now();
    if (left > 0) return left;
    return this.#starting > 0 || this.#busy.size >= this.#most ? WAIT_FOR_ONE_MS : 0;
  }

  /** Waits until a worker becomes free, `ms` have passed, or the call is cancelled. */
  #untilFree(signal: AbortSignal | undefined, ms: number): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        this.#waiting.delete(enter);
        signal?.removeEventListener('abort', onAbort);
      };
      const enter = () => {
        leave();
        resolve();
      };
      const onAbort = () => {
        leave();
        reject(new EngineFailure({ kind: 'cancelled' }));
      };
      // If the main thread was blocked, first handle the messages of workers that became free meanwhile.
      const timer = setTimeout(() => setImmediate(enter), Math.ceil(ms));
      this.#waiting.add(enter);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }
}

/** Sends a long job in several turns of the event loop. */
async function send(worker: Worker, job: unknown, isWanted: () => boolean): Promise<void> {
  const packing = packed(job);
  for (let next = packing.next(); isWanted(); next = packing.next()) {
    if (next.done) {
      worker.postMessage({ message: next.value });
      return;
    }
    worker.postMessage({ chunk: next.value });
    await yieldIfDue();
  }
}
