/** Takes arguments, in short too, reasons and answers out of the stored trace, for good. */
import { isWithin } from '../engine/index.ts';
import type { State } from '../state/state.ts';
import type { TraceEvent } from './events/event.ts';
import { eventsWith } from './events/stored-event.ts';

const NOTE = 'contents were forgotten';

/** How many calls had contents on record that touched these paths, what lies below or above them; undefined: any. */
export async function forgetTraced(
  state: State,
  paths: readonly string[] | undefined,
  dryRun: boolean,
): Promise<number> {
  const log = state.log('trace', eventsWith(state.paths));
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

/** A call that names no path, or not all of them, may have touched any. */
function concerns({ paths, morePaths }: TraceEvent, meant: readonly string[] | undefined): boolean {
  if (meant === undefined || paths.length === 0 || morePaths !== undefined) return true;
  return paths.some(({ path }) => meant.some((each) => isWithin(path, each) || isWithin(each, path)));
}
