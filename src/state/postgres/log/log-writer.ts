/**
 * Writes the records of one log, in the order in which this process appended them.
 *
 * Records wait in memory, and one batch at a time goes to the database. If the answer to a batch was lost, the writer
 * sends the batch again: every record carries its writer and its number, so that none is stored twice.
 */
import { randomUUID } from 'node:crypto';
import type { LogBounds, PlannedChanges } from '../../log.ts';
import { StateUnavailable } from '../../state.ts';
import { sqlState, UNIQUE_VIOLATION } from '../connections/connection.ts';
import type { Database } from '../connections/database.ts';
import { insertStatement } from './insert-records.ts';
import type { TraceDays } from './trace-days.ts';

const MOST_BATCH_BYTES = 4 * 1024 * 1024;
const MOST_BATCH_RECORDS = 500;
/** How much may wait while the database is unavailable. */
const MOST_WAITING_BYTES = 64 * 1024 * 1024;
/** PostgreSQL reports a missing partition as a check violation. */
const NO_PARTITION = '23514';
/** Another process may lock the trace for longer. No call waits for the trace, so the writer gives up and retries. */
const LOCK_TIMEOUT_MS = 1000;
const PAUSE_MS = 1000;

/** Too many records wait for the database. */
class QueueFull extends Error {
  constructor() {
    super('too many records wait for the database');
  }
}

/** The records of one `append`: they stay together. */
interface Appended {
  bodies: readonly string[];
  /**
   * In milliseconds since 1970; undefined for the database's clock. In a log that is split into days, the writer sets
   * it when it first sends the record.
   */
  at: number | undefined;
  bytes: number;
  /** The number of the first record. */
  from: number;
  plans: readonly PlannedChanges[];
}

interface Flush {
  /** Waits for all records below this number. */
  upTo: number;
  resolve(): void;
  reject(error: Error): void;
}

/** What the head row said after the last batch. */
export interface Head {
  last: number;
  generation: number;
  bytes: number;
  /** When the database said so, by this process's clock. */
  at: number;
}

export class PostgresLogWriter {
  readonly #database: Database;
  readonly #log: string;
  /** Set for a log that is split into days and that no call waits for. */
  readonly #days: TraceDays | undefined;
  readonly #writer = randomUUID();
  readonly #queue: Appended[] = [];
  readonly #flushes = new Set<Flush>();
  #next = 1;
  #written = 0;
  #bytes = 0;
  #running: Promise<void> | undefined;
  #closed = false;
  head: Head | undefined;

  constructor(database: Database, log: string, days?: TraceDays) {
    this.#database = database;
    this.#log = log;
    this.#days = days;
  }

  get waitingBytes(): number {
    return this.#bytes;
  }

  keepWithin(bounds: LogBounds): void {
    this.#days?.keepWithin(bounds);
  }

  append(bodies: readonly string[], at?: number, plans: readonly PlannedChanges[] = []): void {
    if (bodies.length === 0) return;
    const bytes = bodies.reduce((sum, body) => sum + body.length, 0);
    if (this.#closed) throw new StateUnavailable();
    if (this.#bytes > 0 && this.#bytes + bytes > MOST_WAITING_BYTES) throw new QueueFull();
    this.#queue.push({ bodies, at: this.#days ? undefined : at, bytes, from: this.#next, plans });
    this.#next += bodies.length;
    this.#bytes += bytes;
    this.#running ??= this.#run();
  }

  /** Settles when all records are committed; rejects, and keeps the records, when the database is unavailable. */
  flush(): Promise<void> {
    const upTo = this.#next;
    if (this.#written >= upTo - 1) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#flushes.add({ upTo, resolve, reject });
      if (this.#database.breaker.isOpen) this.#rejectAll(new StateUnavailable());
    });
  }

  close(): void {
    this.#closed = true;
    this.#rejectAll(new StateUnavailable());
  }

  async #run(): Promise<void> {
    // Send what is appended in the same turn together.
    await null;
    while (this.#queue.length > 0 && !this.#closed) {
      try {
        await this.#writeBatch();
      } catch (error) {
        this.#rejectAll(error as Error);
        const { breaker } = this.#database;
        if (!breaker.isOpen) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref());
        await breaker.whenBack();
      }
    }
    this.#running = undefined;
  }

  async #writeBatch(): Promise<void> {
    await this.#days?.prepare(this.head?.bytes ?? 0);
    const batch = this.#nextBatch();
    // A batch that is sent again must go to the same day: only there does PostgreSQL notice the duplicate.
    if (this.#days) for (const appended of batch) appended.at ??= this.#days.now();
    const bodies = batch.flatMap((appended) => appended.bodies);
    const times = batch.flatMap(({ bodies: { length }, at }) =>
      Array<number | null>(length).fill(at ?? null),
    );
    const bytes = batch.reduce((sum, appended) => sum + appended.bytes, 0);
    const { from } = batch[0]!;
    const { text, values } = insertStatement(this.#database, {
      ...{ log: this.#log, writer: this.#writer, from, bodies, times, bytes },
      plans: batch.flatMap(({ plans }) => plans),
      lockTimeoutMs: this.#days && LOCK_TIMEOUT_MS,
    });
    try {
      const [row] = await this.#ask(text, values);
      this.#rememberHead(row!);
      this.#wrote(from + bodies.length - 1);
    } catch (error) {
      if (sqlState(error) === NO_PARTITION) this.#days?.forget();
      if (sqlState(error) !== UNIQUE_VIOLATION) throw error;
      // An earlier attempt was committed after all.
      const [row] = await this.#ask(
        `SELECT coalesce(max(n), 0) AS n FROM ${this.#database.recordsOf(this.#log)} WHERE log = $1 AND writer = $2`,
        [this.#log, this.#writer],
      );
      this.#wrote(Number(row!.n));
    }
  }

  #ask(text: string, values: readonly unknown[]): Promise<Record<string, unknown>[]> {
    return this.#days ? this.#database.queryInBackground(text, values) : this.#database.query(text, values);
  }

  #nextBatch(): Appended[] {
    const batch: Appended[] = [];
    let bytes = 0;
    let records = 0;
    for (const each of this.#queue) {
      bytes += each.bytes;
      records += each.bodies.length;
      if (batch.length > 0 && (bytes > MOST_BATCH_BYTES || records > MOST_BATCH_RECORDS)) break;
      batch.push(each);
    }
    return batch;
  }

  #rememberHead(row: Record<string, unknown>): void {
    this.#days?.setClock(Number(row.now));
    this.head = {
      last: Number(row.last),
      generation: Number(row.generation),
      bytes: Number(row.bytes),
      at: performance.now(),
    };
  }

  #wrote(upTo: number): void {
    this.#written = Math.max(this.#written, upTo);
    while (this.#queue[0] && this.#queue[0].from <= this.#written) this.#bytes -= this.#queue.shift()!.bytes;
    for (const flush of this.#flushes) {
      if (flush.upTo - 1 > this.#written) continue;
      this.#flushes.delete(flush);
      flush.resolve();
    }
  }

  #rejectAll(error: Error): void {
    for (const flush of this.#flushes) flush.reject(error);
    this.#flushes.clear();
  }
}
