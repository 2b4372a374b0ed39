/**
 * The time limit and the cancellation of a search. A regular expression that runs away cannot be interrupted, so its
 * thread is terminated. Edits have a time limit of their own: `limits.regexTimeoutMs`.
 */
import { EngineFailure, type Failure } from '../../failures.ts';
import { limits } from '../../limits.ts';
import type { SearchCall } from '../query.ts';
import type { SearchThread } from './search-thread.ts';

/** How long a thread that must stop has to do so. It stops at its next file, unless it is stuck in a pattern. */
const GRACE_MS = 25;

/** A content search always has a time limit, because its pattern may run away. */
export function withTimeLimit(call: SearchCall): SearchCall {
  return { ...call, timeoutMs: call.timeoutMs ?? limits.searchTimeoutMs };
}

/** Enforces the time limit and the cancellation of one call, for all steps of its search. */
export class CallLimits {
  readonly #call: SearchCall;
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #cancel = () => this.#stop({ kind: 'cancelled' });
  /** Why the search must end; undefined while it may continue. */
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

  /** Aborts when the search must end. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Fails if the search must end. */
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

/** Terminates the threads that do not stop by themselves: none may continue after the call is over. */
export async function stopThreads(threads: readonly SearchThread[], job: number): Promise<void> {
  const until = Date.now() + GRACE_MS;
  const atWork = () => threads.filter((thread) => thread.isAt(job));
  while (atWork().length > 0 && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await Promise.all(atWork().map((thread) => thread.end()));
}
