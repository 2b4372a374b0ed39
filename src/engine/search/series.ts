/** Runs several searches as one call: they share its time limit, and the progress that it reports only grows. */
import { EngineFailure, fail, failIfCancelled } from '../failures.ts';
import type { SearchCall } from './query.ts';
import { withTimeLimit } from './workers/time-limit.ts';

type RunInSeries = <T>(search: (own: SearchCall) => Promise<T>) => Promise<T>;

/** Returns a function that runs one search of the series. */
export function searchSeries(call: SearchCall): RunInSeries {
  const { timeoutMs, onProgress } = call;
  const began = performance.now();
  const done = { files: 0, matches: 0 };
  return async (search) => {
    // Searches before this one may have used up the time.
    failIfCancelled(call.signal);
    if (timeoutMs && performance.now() - began >= timeoutMs)
      fail({ kind: 'timeout', what: 'search', ms: timeoutMs });
    let last = { files: 0, matches: 0 };
    const own: SearchCall = {
      ...call,
      timeoutMs: timeoutMs && Math.max(1, timeoutMs - (performance.now() - began)),
      onProgress:
        onProgress &&
        ((now) => {
          last = now;
          onProgress({ files: done.files + now.files, matches: done.matches + now.matches });
        }),
    };
    try {
      return await search(own);
    } catch (error) {
      if (!(error instanceof EngineFailure) || error.facts.kind !== 'timeout') throw error;
      return fail({ ...error.facts, ms: timeoutMs ?? error.facts.ms });
    } finally {
      done.files += last.files;
      done.matches += last.matches;
    }
  };
}

/** The same for content searches, which always have a time limit. */
export function grepSeries(call: SearchCall): RunInSeries {
  return searchSeries(withTimeLimit(call));
}
