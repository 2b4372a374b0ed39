/**
 * The stored trace: the events of all servers that share a state.
 *
 * Storing never fails a call and never delays it: what cannot be stored is lost and counted, and the user
 * is told once, and again how many when it works again.
 */
import type { Log, LogOptions } from '../state/log.ts';
import type { State } from '../state/state.ts';
import type { TraceEvent } from './events/event.ts';
import { eventsWith } from './events/stored-event.ts';

const MIB = 1024 * 1024;
export const BOUNDS = { part: 16 * MIB, all: 128 * MIB, days: 30 };
/** When an event could not be stored, calls do not pay for trying again each time. */
const TRY_AGAIN_MS = 5000;
/** No write gets too long to go out in one piece. */
const MOST_AT_ONCE = 100;

export interface TraceLogSettings {
  /** What the events take at most; the oldest go. */
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
  #toldProblem = false;
  /** Events that could not be stored since it last worked. */
  #lost = 0;
  #closed = false;
  #soon: TraceEvent[] = [];

  constructor(state: State, settings: TraceLogSettings = {}) {
    const { bounds = BOUNDS, now = Date.now, onProblem = () => {} } = settings;
    this.#now = now;
    this.#onProblem = onProblem;
    const onObstacle = (error: Error) => this.#tell(error);
    this.#open = () => state.log('trace', { ...eventsWith(state.paths), bounds, now, onObstacle });
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
      this.#tellLost();
    } catch (error) {
      this.#lost += events.length;
      this.#failedAt = this.#now();
      this.#tell(error as Error);
    }
  }

  /** With all others of the same moment in one piece: many calls at once cost little more than one. */
  appendSoon(event: TraceEvent): void {
    if (this.#closed) return;
    this.#soon.push(event);
    if (this.#soon.length === 1) setImmediate(() => this.#writeSoon());
    else if (this.#soon.length >= MOST_AT_ONCE) this.#writeSoon();
  }

  #writeSoon(): void {
    this.append(...this.#soon.splice(0));
  }

  /** The newest `limit` events that fit, oldest first. */
  async recent(limit: number, filter: (event: TraceEvent) => boolean = () => true): Promise<TraceEvent[]> {
    const found: TraceEvent[] = [];
    reading: for await (const events of this.#log.newestFirst()) {
      for (const event of events) {
        if (found.length >= limit) break reading;
        if (filter(event)) found.push(event);
      }
    }
    // Stored when they ended, shown by when they began.
    return found.reverse().sort((a, b) => a.at - b.at);
  }

  /** Events that any process stores from now on, until the returned function is called. */
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

  #tellLost(): void {
    if (this.#lost === 0) return;
    this.#onProblem(`calls are on record again; ${this.#lost} are not`);
    this.#lost = 0;
  }

  #tell({ message }: Error): void {
    if (this.#toldProblem) return;
    this.#toldProblem = true;
    this.#onProblem(`calls are not all on record: ${message}`);
  }
}
