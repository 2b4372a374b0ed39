/** Removes arguments, their summaries, reasons and answers from the stored trace for good. */
import { isWithin } from '../engine/index.ts';
import type { State } from '../state/state.ts';
import type { TraceEvent } from './events/event.ts';
import { traceLogOptions } from './events/stored-event.ts';

const NOTE = 'contents were forgotten';

/**
 * Forgets the contents of calls that touched these paths, or something below or above them; of all calls when `paths`
 * is undefined. Returns how many calls had contents.
 */
export async function forgetTraced(
  state: State,
  paths: readonly string[] | undefined,
  dryRun: boolean,
): Promise<number> {
  const log = state.log('trace', traceLogOptions(state.paths));
  let calls = 0;
  const withoutContents = (event: TraceEvent): TraceEvent[] | undefined => {
    const { arguments: said, answer, brief, reason, ...rest } = event;
    const parts = [said, answer, brief, reason];
    if (parts.every((part) => part === undefined) || !concerns(event, paths)) return undefined;
    calls += 1;
    const note = rest.note === undefined ? NOTE : `${rest.note}; ${NOTE}`;
    return [{ ...rest, note }, rest];
  };
  if (dryRun) for await (const events of log.newestFirst()) events.forEach(withoutContents);
  else await log.redact(withoutContents);
  log.close();
  return calls;
}

/** A call that does not name all of its paths may have touched any path. */
function concerns({ paths, morePaths }: TraceEvent, meant: readonly string[] | undefined): boolean {
  if (meant === undefined || paths.length === 0 || morePaths !== undefined) return true;
  return paths.some(({ path }) => meant.some((each) => isWithin(path, each) || isWithin(each, path)));
}
