/** Reads and follows a log by the numbers of its records. */
import type { LogConsumer, LogListener, LogOptions, LogReader } from '../../log.ts';
import { StateUnavailable } from '../../state.ts';
import { LOCK_NOT_AVAILABLE, type Row, sqlState } from '../connections/connection.ts';
import type { Database } from '../connections/database.ts';

const PAGE = 500;
const POLL_MS = 250;
const SLOWEST_POLL_MS = 2000;
const TRACE_LOCK_MS = 1000;

export interface StoredRecord<R> {
  seq: number;
  record: R;
}

export class LogRows<R extends object> {
  readonly #database: Database;
  readonly #log: string;
  readonly #options: LogOptions<R>;

  constructor(database: Database, log: string, options: LogOptions<R>) {
    this.#database = database;
    this.#log = log;
    this.#options = options;
  }

  async head(): Promise<{ last: number; bytes: number }> {
    const [row] = await this.#query(
      `SELECT last, bytes FROM ${this.#database.table('logs')} WHERE log = $1`,
      [this.#log],
    );
    return { last: Number(row!.last), bytes: Number(row!.bytes) };
  }

  /** A page of records after a number, oldest first, with the generation of the log. */
  async after(
    seq: number,
  ): Promise<{ generation: number; rows: StoredRecord<R>[]; last: number; isEnd: boolean }> {
    const found = await this.#query(
      `SELECT head.generation, each.seq, each.body FROM ${this.#database.table('logs')} head
       LEFT JOIN LATERAL (
         SELECT seq, body FROM ${this.#database.recordsOf(this.#log)}
         WHERE log = head.log AND seq > $2 ORDER BY seq LIMIT ${PAGE}
       ) each ON true
       WHERE head.log = $1 ORDER BY each.seq`,
      [this.#log, seq],
    );
    const rows = found.filter((row) => row.seq !== null);
    return {
      generation: Number(found[0]!.generation),
      rows: rows.flatMap((row) => this.#recordOf(row)),
      last: rows.length === 0 ? seq : Number(rows.at(-1)!.seq),
      isEnd: rows.length < PAGE,
    };
  }

  /** All records before the returned number are older than this many milliseconds. */
  async endOfOlderThan(ms: number): Promise<number> {
    const now = this.#options.now ? `to_timestamp(${this.#options.now() / 1000})` : 'clock_timestamp()';
    const [row] = await this.#query(
      `SELECT coalesce(min(seq), (SELECT last + 1 FROM ${this.#database.table('logs')} WHERE log = $1)) AS seq
       FROM ${this.#database.recordsOf(this.#log)}
       WHERE log = $1 AND at >= ${now} - ${ms} * interval '1 millisecond'`,
      [this.#log],
    );
    return Number(row!.seq);
  }

  async *before(seq: number): AsyncGenerator<StoredRecord<R>[]> {
    for (let last = seq; ; ) {
      const rows = await this.#query(
        `SELECT seq, body FROM ${this.#database.recordsOf(this.#log)} WHERE log = $1 AND seq < $2
         ORDER BY seq DESC LIMIT ${PAGE}`,
        [this.#log, last],
      );
      if (rows.length === 0) return;
      last = Number(rows.at(-1)!.seq);
      yield rows.flatMap((row) => this.#recordOf(row));
      if (rows.length < PAGE) return;
    }
  }

  /** Reads the trace with a short lock timeout: a locked trace must not keep other callers from the database. */
  async #query(text: string, values: readonly unknown[]): Promise<Row[]> {
    if (this.#log !== 'trace') return this.#database.query(text, values);
    try {
      return await this.#database.transactionInBackground(async (connection) => {
        await connection.query(`SET LOCAL lock_timeout = ${TRACE_LOCK_MS}`);
        return connection.query(text, values);
      });
    } catch (error) {
      throw sqlState(error) === LOCK_NOT_AVAILABLE ? new StateUnavailable(error) : error;
    }
  }

  #recordOf(row: Row): StoredRecord<R>[] {
    let record: R | undefined;
    try {
      record = this.#options.accept(JSON.parse(String(row.body)));
    } catch {
      // No version of this program wrote this row.
    }
    return record === undefined ? [] : [{ seq: Number(row.seq), record }];
  }
}

/** Passes each record to a consumer once, and all of them again after some were changed or removed. */
export class PostgresLogReader<R extends object> implements LogReader {
  readonly #rows: LogRows<R>;
  readonly #consumer: LogConsumer<R>;
  readonly #flush: () => Promise<void>;
  #last = 0;
  #generation: number | undefined;
  #reading: Promise<void> = Promise.resolve();

  constructor(rows: LogRows<R>, consumer: LogConsumer<R>, flush: () => Promise<void>) {
    this.#rows = rows;
    this.#consumer = consumer;
    this.#flush = flush;
  }

  catchUp(): Promise<void> {
    const reading = this.#reading.then(async () => {
      await this.#flush();
      await this.#read();
    });
    this.#reading = reading.catch(() => {});
    return reading;
  }

  async #read(): Promise<void> {
    for (;;) {
      const page = await this.#rows.after(this.#last);
      if (this.#generation !== undefined && page.generation !== this.#generation) {
        this.#generation = page.generation;
        this.#last = 0;
        this.#consumer.restart();
        continue;
      }
      this.#generation = page.generation;
      for (const { record } of page.rows) this.#consumer.take(record);
      this.#last = page.last;
      if (page.isEnd) break;
    }
    this.#consumer.caughtUp?.();
  }
}

/** Polls for new records, less often while there are none. */
export class LogFollower<R extends object> {
  readonly #rows: LogRows<R>;
  readonly #listener: LogListener<R>;
  readonly #start: () => Promise<number>;
  #last: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ended = false;
  #isProblemReported = false;
  #wait = POLL_MS;

  /** `start` returns the number of the last record before those to report. */
  constructor(rows: LogRows<R>, listener: LogListener<R>, start: () => Promise<number>) {
    this.#rows = rows;
    this.#listener = listener;
    this.#start = start;
    void this.#poll();
  }

  stop(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  async #poll(): Promise<void> {
    try {
      this.#last ??= await this.#start();
      let isEnd = false;
      while (!isEnd && !this.#ended) {
        const page = await this.#rows.after(this.#last);
        if (this.#ended) return;
        this.#wait = page.rows.length > 0 ? POLL_MS : Math.min(this.#wait * 1.5, SLOWEST_POLL_MS);
        if (page.rows.length > 0) this.#listener.onRecords(page.rows.map(({ record }) => record));
        this.#last = page.last;
        isEnd = page.isEnd;
      }
      this.#isProblemReported = false;
    } catch (error) {
      if (!this.#isProblemReported && !this.#ended) this.#listener.onProblem(error as Error);
      this.#isProblemReported = true;
    }
    if (this.#ended) return;
    this.#timer = setTimeout(() => void this.#poll(), this.#wait);
    this.#timer.unref();
  }
}
