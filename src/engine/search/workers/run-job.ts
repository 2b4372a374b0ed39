/** Runs one job on the threads of a pool until its work is done, its time is up or it is cancelled. */
import { EngineFailure, type Failure } from '../../failures.ts';
import type { SearchCall } from '../query.ts';
import type { QueueMemory } from '../queue/queue-memory.ts';
import type { WorkQueue } from '../queue/work-queue.ts';
import type { Account, AnyJob, FoundFile, Report } from './jobs.ts';
import type { SearchPool, SearchThread } from './pool.ts';

/** Threads that are asked to stop do so at the next file; one that is stuck in a pattern never does. */
const GRACE_MS = 25;
const PROGRESS_EVERY_MS = 200;
/** Most searches of a few files are over before a second thread could be of help. */
const HELP_AFTER_MS = 3;

/** Distributes over a union, so that each kind of job keeps its own fields. */
type Unnumbered<T> = T extends unknown ? Omit<T, 'id' | 'queue' | 'round' | 'own'> : never;
export type JobTemplate = Unnumbered<AnyJob>;

/** One call's time and its cancellation, over all the steps of a search. */
export class Limits {
  readonly #call: SearchCall;
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #cancel = () => this.#stop({ kind: 'cancelled' });
  /** Why the search must end, once it must. */
  failure: Failure | undefined;

  constructor(call: SearchCall) {
    this.#call = call;
    const { timeoutMs, signal } = call;
    if (timeoutMs !== undefined) {
      const late: Failure = { kind: 'timeout', what: 'search', ms: timeoutMs };
      this.#timer = setTimeout(() => this.#stop(late), timeoutMs);
    }
    if (signal?.aborted) this.#stop({ kind: 'cancelled' });
    signal?.addEventListener('abort', this.#cancel, { once: true });
  }

  /** Aborted when the search must end. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  check(): void {
    if (this.failure) throw new EngineFailure(this.failure);
  }

  release(): void {
    clearTimeout(this.#timer);
    this.#call.signal?.removeEventListener('abort', this.#cancel);
  }

  #stop(failure: Failure): void {
    this.failure ??= failure;
    this.#controller.abort();
  }
}

export interface Team {
  pool: SearchPool;
  queue: WorkQueue;
  memory: QueueMemory;
  /** Units that the queue had no room for when the work was paused. */
  left: readonly string[];
  limits: Limits;
  client: string;
  onProgress: SearchCall['onProgress'];
}

let lastId = 0;

/**
 * The accounts of all threads that took part. When `pauseAfterMs` is over the threads stop where they are, and
 * what they did not get to stays in the queue.
 */
export async function workTogether(
  team: Team,
  template: JobTemplate,
  onFound: (files: readonly FoundFile[]) => void,
  pauseAfterMs?: number,
): Promise<Account[]> {
  const { pool, queue, limits, client } = team;
  limits.check();
  const threads = await pool.take({ client, surelyEnds: surelyEnds(template), queue }, limits.signal);
  if (limits.failure) {
    pool.giveBack(threads);
    limits.check();
  }
  // Only a thread that surely comes in time can be given units of its own: one that works alone.
  pool.giveBack(team.left.length > 0 ? threads.splice(1) : []);
  const { memory, left: own } = team;
  const job = { ...template, id: ++lastId, queue: memory, round: queue.round, own } as AnyJob;
  const pause = pauseAfterMs === undefined ? undefined : setTimeout(() => queue.end(), pauseAfterMs);
  const progress =
    team.onProgress &&
    setInterval(() => team.onProgress!({ files: queue.files, matches: queue.matches }), PROGRESS_EVERY_MS);
  try {
    const accounts = await outcomeOf(threads, job, team, onFound);
    if (accounts.length > 0) team.left = accounts.flatMap(({ left }) => left);
    return accounts;
  } finally {
    clearTimeout(pause);
    clearInterval(progress);
  }
}

/** No name or glob can run away, and neither can a text that is only looked up. */
function surelyEnds(template: JobTemplate): boolean {
  return template.kind === 'list' || template.recipe.candidatesMatch;
}

async function outcomeOf(
  threads: readonly SearchThread[],
  job: AnyJob,
  { pool, queue, limits }: Team,
  onFound: (files: readonly FoundFile[]) => void,
): Promise<Account[]> {
  const accounts: Account[] = [];
  const [first, ...others] = threads;
  let waiting = others;
  let stop: (() => void) | undefined;
  let help: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      stop = () => reject(new EngineFailure(limits.failure!));
      limits.signal.addEventListener('abort', stop, { once: true });
      const onReport = (report: Report) => {
        if (report.kind === 'found') onFound(report.files);
        if (report.kind === 'failed') reject(failureOf(report));
        if (report.kind !== 'done') return;
        if (report.account.joined) accounts.push(report.account);
        // A thread that starts late and finds all done is not waited for.
        if (queue.over && accounts.length === queue.joined) resolve();
      };
      first?.start(job, onReport, reject);
      help = setTimeout(() => {
        for (const thread of waiting) thread.start(job, onReport, reject);
        waiting = [];
      }, HELP_AFTER_MS);
    });
    for (const thread of threads) thread.release(job.id);
    return accounts;
  } catch (error) {
    queue.end();
    await quiet(threads, job.id);
    throw error;
  } finally {
    clearTimeout(help);
    pool.giveBack(waiting);
    limits.signal.removeEventListener('abort', stop!);
  }
}

function failureOf({ message, code }: Extract<Report, { kind: 'failed' }>): Error {
  if (code === undefined) return new Error(message);
  return new EngineFailure({ kind: 'io', path: '.', action: 'search', code });
}

/** Nothing goes on behind the caller's back: what does not stop by itself is ended. */
async function quiet(threads: readonly SearchThread[], job: number): Promise<void> {
  const until = Date.now() + GRACE_MS;
  const left = () => threads.filter((thread) => thread.isAt(job));
  while (left().length > 0 && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await Promise.all(left().map((thread) => thread.end()));
}
