/** Copies the stored trace of one state into another one. */
import type { Log } from '../state/log.ts';
import type { State } from '../state/state.ts';
import type { TraceEvent } from './events/event.ts';
import { traceLogOptions } from './events/stored-event.ts';
import { BOUNDS } from './log.ts';

const AT_ONCE = 500;

export interface CopiedTrace {
  events: number;
  /** How many events were left out because their directories have no name in the other state. */
  leftOut: number;
}

/** Does not copy events twice that an earlier copy has left in the other state. */
export async function copyTrace(
  from: State,
  to: State,
  isNamed: (path: string) => boolean,
): Promise<CopiedTrace> {
  const all = await eventsIn(from.log('trace', traceLogOptions(from.paths)));
  const events = all.filter((event) => placesOf(event).every(isNamed));
  const log = to.log('trace', { ...traceLogOptions(to.paths), bounds: BOUNDS });
  if (!(await log.fill(events))) await addMissing(log, events);
  return { events: events.length, leftOut: all.length - events.length };
}

async function addMissing(log: Log<TraceEvent>, events: readonly TraceEvent[]): Promise<void> {
  const there = new Set((await eventsIn(log)).map(({ id }) => id));
  const missing = events.filter(({ id }) => !there.has(id));
  for (let at = 0; at < missing.length; at += AT_ONCE) {
    log.append(...missing.slice(at, at + AT_ONCE));
    await log.flush();
  }
}

export async function isTraceEmpty(state: State): Promise<boolean> {
  for await (const events of state.log('trace', traceLogOptions(state.paths)).newestFirst()) {
    if (events.length > 0) return false;
  }
  return true;
}

/** All events, oldest first. */
async function eventsIn(log: Log<TraceEvent>): Promise<TraceEvent[]> {
  const all: TraceEvent[] = [];
  for await (const events of log.newestFirst()) for (const event of events) all.push(event);
  return all.reverse();
}

/** Where a call worked. An event of a program that serves no directories names none, so its paths must do. */
function placesOf({ roots, paths }: TraceEvent): string[] {
  return roots.length > 0 ? roots : paths.map(({ path }) => path);
}
