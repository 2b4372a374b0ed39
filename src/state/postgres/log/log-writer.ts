/**
 * Writes the records of one log, in the order in which this process appended them.
 *
 * Records wait in memory, and one batch at a time goes to the database. A batch whose answer was lost is sent again:
 * every record carries its writer and its number, so that none is written twice.
 */
import { randomUUID } from 'node:crypto';
import type { LogBounds, PlannedChanges } from '../../log.ts';
import { StateUnavailable } from '../../state.ts';
import { sqlState } from '../connections/connection.ts';
import type { Database } from '../connections/database.ts';
import { addingRecords } from './adding-records.ts';
import type { TraceDays } from './trace-days.ts';

const MOST_BATCH_BYTES = 4 * 1024 * 1024;
const MOST_BATCH_RECORDS = 500;
/** What may wait while the database is away. */
const MOST_WAITING_BYTES = 64 * 1024 * 1024;
const TWICE = '23505';
const NO_SUCH_DAY = '23514';
/** Somebody may have the trace for longer. Nobody waits for it, so the writer gives up and comes again. */
const PATIENCE_MS = 1000;
const PAUSE_MS = 1000;

/** There is no room left for records that wait for the database. */
class QueueFull extends Error {
  constructor() {
    super('too many records wait for the database');
  }
}

/** The records of one `append`: they stay together. */
interface Appended {
  bodies: readonly string[];
  /** In milliseconds since 1970; the database's own clock when left out. A log by days has it set when it is sent. */
  at: number | undefined;
  bytes: number;
  /** The number of the first one. */
  from: number;
  plans: readonly PlannedChanges[];
}

interface Flush {
  /** All records below this number. */
  upTo: number;
  resolve(): void;
  reject(error: Error): void;
}

/** What the head row said after the last batch. */
export interface Head {
  last: number;
  generation: number;
  bytes: number;
  /** When it was known, by this process's own clock. */
  at: number;
}

export class PostgresLogWriter {
  readonly #database: Database;
  readonly #log: string;
  /** Of a log that is cut into days, and that no call waits for. */
  readonly #days: TraceDays | undefined;
  readonly #writer = randomUUID();
  readonly #slots: Appended[] = [];
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
    this.#slots.push({ bodies, at: this.#days ? undefined : at, bytes, from: this.#next, plans });
    this.#next += bodies.length;
    this.#bytes += bytes;
    this.#running ??= this.#run();
  }

  /** Settles when all that was appended is committed; rejects when the database is away, and the records still wait. */
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
    // What is appended in the same turn goes out together.
    await null;
    while (this.#slots.length > 0 && !this.#closed) {
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
    // A batch that is sent again goes to the same day: there it shows that it was written before.
    if (this.#days) for (const appended of batch) appended.at ??= this.#days.now();
    const bodies = batch.flatMap((appended) => appended.bodies);
    const times = batch.flatMap(({ bodies: { length }, at }) =>
      Array<number | null>(length).fill(at ?? null),
    );
    const bytes = batch.reduce((sum, appended) => sum + appended.bytes, 0);
    const { from } = batch[0]!;
    const { text, values } = addingRecords(this.#database, {
      ...{ log: this.#log, writer: this.#writer, from, bodies, times, bytes },
      plans: batch.flatMap(({ plans }) => plans),
      patience: this.#days && PATIENCE_MS,
    });
    try {
      const [row] = await this.#ask(text, values);
      this.#knows(row!);
      this.#wrote(from + bodies.length - 1);
    } catch (error) {
      if (sqlState(error) === NO_SUCH_DAY) this.#days?.forget();
      if (sqlState(error) !== TWICE) throw error;
      // An earlier try was committed after all.
      const [row] = await this.#ask(
        `SELECT coalesce(max(n), 0) AS n FROM ${this.#database.recordsOf(this.#log)} WHERE log = $1 AND writer = $2`,
        [this.#log, this.#writer],
      );
      this.#wrote(Number(row!.n));
    }
  }

  #ask(text: string, values: readonly unknown[]): Promise<Record<string, unknown>[]> {
    return this.#days ? this.#database.queryBeside(text, values) : this.#database.query(text, values);
  }

  #nextBatch(): Appended[] {
    const batch: Appended[] = [];
    let bytes = 0;
    let records = 0;
    for (const each of this.#slots) {
      bytes += each.bytes;
      records += each.bodies.length;
      if (batch.length > 0 && (bytes > MOST_BATCH_BYTES || records > MOST_BATCH_RECORDS)) break;
      batch.push(each);
    }
    return batch;
  }

  #knows(row: Record<string, unknown>): void {
    this.#days?.heard(Number(row.now));
    this.head = {
      last: Number(row.last),
      generation: Number(row.generation),
      bytes: Number(row.bytes),
      at: performance.now(),
    };
  }

  #wrote(upTo: number): void {
    this.#written = Math.max(this.#written, upTo);
    while (this.#slots[0] && this.#slots[0].from <= this.#written) this.#bytes -= this.#slots.shift()!.bytes;
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
