/** Runs one job on the threads of a pool until its work is done, its time is up or its caller cancels it. */
import { EngineFailure } from '../../failures.ts';
import type { SearchCall } from '../query.ts';
import type { QueueMemory } from '../queue/queue-memory.ts';
import type { WorkQueue } from '../queue/work-queue.ts';
import type { AnyJob, FoundFile, JobRun, ThreadMessage, ThreadResult } from './jobs.ts';
import type { SearchPool } from './pool.ts';
import type { SearchThread } from './search-thread.ts';
import { type CallLimits, stopThreads } from './time-limit.ts';

const PROGRESS_EVERY_MS = 200;
/** When further threads join a search: most searches of a few files are over before a second thread could help. */
const HELP_AFTER_MS = 3;
/** The same if all that is left is a few files of one directory. */
const HELP_WITH_FEW_AFTER_MS = 12;

/** Distributes over a union, so that each kind of job keeps its own fields. */
type WithoutRun<T> = T extends unknown ? Omit<T, keyof JobRun> : never;
/** A job without what identifies its run: that is known only when threads start it. */
export type JobTemplate = WithoutRun<AnyJob>;

/** What all jobs of one search share. */
export interface RunningSearch {
  pool: SearchPool;
  queue: WorkQueue;
  memory: QueueMemory;
  /** Units that the queue had no room for when the work was paused. */
  overflow: readonly string[];
  limits: CallLimits;
  client: string;
  onProgress: SearchCall['onProgress'];
  charsets?: SearchCall['charsets'];
}

let lastId = 0;

/**
 * Returns the results of all threads that took part. After `pauseAfterMs` the threads stop where they are, and the
 * units that they did not get to remain in the queue.
 */
export async function runJob(
  running: RunningSearch,
  template: JobTemplate,
  onFound: (files: readonly FoundFile[]) => void,
  pauseAfterMs?: number,
): Promise<ThreadResult[]> {
  const { pool, queue, limits, client } = running;
  limits.check();
  const threads = await pool.take({ client, surelyEnds: surelyEnds(template), queue }, limits.signal);
  if (limits.failure) {
    pool.giveBack(threads);
    limits.check();
  }
  // These units are not in the queue, and a second thread could come too late to do some of them: one works alone.
  pool.giveBack(running.overflow.length > 0 ? threads.splice(1) : []);
  const { memory, overflow } = running;
  const run: JobRun = { id: ++lastId, queue: memory, round: queue.round, overflow };
  const job = { ...template, ...run } as AnyJob;
  const pause = pauseAfterMs === undefined ? undefined : setTimeout(() => queue.end(), pauseAfterMs);
  const progress =
    running.onProgress &&
    setInterval(() => running.onProgress!({ files: queue.files, matches: queue.matches }), PROGRESS_EVERY_MS);
  try {
    const threadResults = await resultsOf(threads, job, running, onFound);
    if (threadResults.length > 0) running.overflow = threadResults.flatMap(({ overflow }) => overflow);
    return threadResults;
  } finally {
    clearTimeout(pause);
    clearInterval(progress);
  }
}

/** Listings, and texts that the kernel finds alone, take bounded time. Only a regular expression may run away. */
function surelyEnds(template: JobTemplate): boolean {
  return template.kind !== 'grep' || template.matcher.candidatesMatch;
}

async function resultsOf(
  threads: readonly SearchThread[],
  job: AnyJob,
  { pool, queue, limits }: RunningSearch,
  onFound: (files: readonly FoundFile[]) => void,
): Promise<ThreadResult[]> {
  const threadResults: ThreadResult[] = [];
  const [first, ...others] = threads;
  let waiting = others;
  let stop: (() => void) | undefined;
  let help: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      stop = () => reject(new EngineFailure(limits.failure!));
      limits.signal.addEventListener('abort', stop, { once: true });
      const onMessage = (message: ThreadMessage) => {
        if (message.kind === 'found') onFound(message.files);
        if (message.kind === 'failed') reject(failureOf(message));
        if (message.kind !== 'done') return;
        if (message.result.joined) threadResults.push(message.result);
        // Do not wait for a thread that starts late and will find all work done.
        if (queue.isOver && threadResults.length === queue.joined) resolve();
      };
      first?.start(job, onMessage, reject);
      const startOthers = () => {
        for (const thread of waiting) thread.start(job, onMessage, reject);
        waiting = [];
      };
      help = setTimeout(() => {
        if (queue.hasUnits) startOthers();
        else help = setTimeout(startOthers, HELP_WITH_FEW_AFTER_MS - HELP_AFTER_MS);
      }, HELP_AFTER_MS);
    });
    for (const thread of threads) thread.release(job.id);
    return threadResults;
  } catch (error) {
    queue.end();
    await stopThreads(threads, job.id);
    throw error;
  } finally {
    clearTimeout(help);
    pool.giveBack(waiting);
    limits.signal.removeEventListener('abort', stop!);
  }
}

function failureOf({ message, code }: Extract<ThreadMessage, { kind: 'failed' }>): Error {
  if (code === undefined) return new Error(message);
  return new EngineFailure({ kind: 'io', path: '.', action: 'search', code });
}
