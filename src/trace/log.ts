/**
 * The stored trace: the events of all servers that share a state.
 *
 * Storing an event never delays a call or makes it fail. An event that cannot be stored is lost and counted. The log
 * reports the problem once, and the number of lost events when storing works again.
 */
import type { Log, LogOptions } from '../state/log.ts';
import type { State } from '../state/state.ts';
import type { TraceEvent } from './events/event.ts';
import { traceLogOptions } from './events/stored-event.ts';

const MIB = 1024 * 1024;
export const BOUNDS = { part: 16 * MIB, all: 128 * MIB, days: 30 };
/** How long the log waits after a failure before it tries again: not every call should pay for another attempt. */
const TRY_AGAIN_MS = 5000;
/** How many events one write may hold: a longer write might not go out in one piece. */
const MOST_AT_ONCE = 100;

export interface TraceLogSettings {
  /** How much room the events may take. The oldest ones are removed. */
  bounds?: LogOptions<TraceEvent>['bounds'];
  /** Called once when events cannot be stored, and once when they cannot be followed. */
  onProblem?(problem: string): void;
  now?(): number;
}

export class TraceLog {
  readonly #open: () => Log<TraceEvent>;
  #opened: Log<TraceEvent> | undefined;
  readonly #now: () => number;
  readonly #onProblem: (problem: string) => void;
  #failedAt: number | undefined;
  #hasReported = false;
  /** How many events were lost since storing last worked. */
  #lost = 0;
  #closed = false;
  #soon: TraceEvent[] = [];

  constructor(state: State, settings: TraceLogSettings = {}) {
    const { bounds = BOUNDS, now = Date.now, onProblem = () => {} } = settings;
    this.#now = now;
    this.#onProblem = onProblem;
    const onObstacle = (error: Error) => this.#report(error);
    this.#open = () => state.log('trace', { ...traceLogOptions(state.paths), bounds, now, onObstacle });
  }

  get #log(): Log<TraceEvent> {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  append(...events: TraceEvent[]): void {
    if (this.#closed || events.length === 0) return;
    if (this.#failedJustNow()) {
      this.#lost += events.length;
      return;
    }
    try {
      this.#log.append(...events);
      this.#failedAt = undefined;
      this.#reportLost();
    } catch (error) {
      this.#lost += events.length;
      this.#failedAt = this.#now();
      this.#report(error as Error);
    }
  }

  /** Writes all events of the same turn in one piece: many calls at once cost little more than one. */
  appendSoon(event: TraceEvent): void {
    if (this.#closed) return;
    this.#soon.push(event);
    if (this.#soon.length === 1) setImmediate(() => this.#writeSoon());
    else if (this.#soon.length >= MOST_AT_ONCE) this.#writeSoon();
  }

  #writeSoon(): void {
    this.append(...this.#soon.splice(0));
  }

  /** The newest `limit` events that pass the filter, oldest first. */
  async recent(limit: number, filter: (event: TraceEvent) => boolean = () => true): Promise<TraceEvent[]> {
    const found: TraceEvent[] = [];
    reading: for await (const events of this.#log.newestFirst()) {
      for (const event of events) {
        if (found.length >= limit) break reading;
        if (filter(event)) found.push(event);
      }
    }
    // The log has events in the order in which the calls ended; this shows them in the order in which they began.
    return found.reverse().sort((a, b) => a.at - b.at);
  }

  /** Calls `onEvents` with events that any process stores from now on, until the returned function is called. */
  follow(onEvents: (events: TraceEvent[]) => void): () => void {
    const onProblem = ({ message }: Error) => this.#onProblem(`the trace cannot be followed: ${message}`);
    return this.#log.follow({ onRecords: onEvents, onProblem });
  }

  close(): void {
    this.#writeSoon();
    this.#closed = true;
    this.#opened?.close();
  }

  #failedJustNow(): boolean {
    return this.#failedAt !== undefined && Math.abs(this.#now() - this.#failedAt) < TRY_AGAIN_MS;
  }

  #reportLost(): void {
    if (this.#lost === 0) return;
    this.#onProblem(`calls are recorded again; ${this.#lost} were not`);
    this.#lost = 0;
  }

  #report({ message }: Error): void {
    if (this.#hasReported) return;
    this.#hasReported = true;
    this.#onProblem(`not all calls are recorded: ${message}`);
  }
}
