/** A log in the database. */
import type { Log, LogConsumer, LogListener, LogOptions, LogReader, PlannedChanges } from '../../log.ts';
import type { Database } from '../connections/database.ts';
import { type FirstRecord, fillLog } from './fill-log.ts';
import { compact, redact } from './log-changes.ts';
import { LogFollower, LogRows, PostgresLogReader } from './log-reader.ts';
import type { PostgresLogWriter } from './log-writer.ts';

/** How old this process's knowledge of the size of a log may be. */
const SIZE_MS = 5000;
/** How old a follower's knowledge of the end of the log may be. */
const RECENT_MS = 2000;

export class PostgresLog<R extends object> implements Log<R> {
  readonly name: string;
  readonly #database: Database;
  readonly #log: string;
  readonly #options: LogOptions<R>;
  /** Shared by all objects for the same log in this process. */
  readonly #writer: PostgresLogWriter;
  readonly #rows: LogRows<R>;
  readonly #followers = new Set<LogFollower<R>>();
  #size = { bytes: 0, at: Number.NEGATIVE_INFINITY };
  #closed = false;

  constructor(database: Database, log: string, writer: PostgresLogWriter, options: LogOptions<R>) {
    this.name = `${database.settings.says}, ${log}`;
    this.#database = database;
    this.#log = log;
    this.#options = options;
    this.#writer = writer;
    this.#rows = new LogRows(database, log, options);
    if (options.bounds) writer.keepWithin(options.bounds);
  }

  append(...records: R[]): void {
    this.#writer.append(
      records.map((record) => this.#bodyOf(record)),
      this.#options.now?.(),
      this.#plansOf(records),
    );
  }

  flush(): Promise<void> {
    return this.#writer.flush();
  }

  async fill(records: readonly R[]): Promise<boolean> {
    await this.flush();
    return fillLog(this.#database, this.#log, this.#firstRecords(records));
  }

  *#firstRecords(records: readonly R[]): Generator<FirstRecord> {
    const { appendedAt } = this.#options;
    for (const record of records) {
      yield { body: this.#bodyOf(record), at: appendedAt?.(record) ?? null, plans: this.#plansOf([record]) };
    }
  }

  reader(consumer: LogConsumer<R>): LogReader {
    return new PostgresLogReader(this.#rows, consumer, () => this.flush());
  }

  async *newestFirst(): AsyncGenerator<readonly R[]> {
    await this.flush();
    const { last } = await this.#rows.head();
    for await (const page of this.#rows.before(last + 1)) yield page.map(({ record }) => record);
  }

  follow(listener: LogListener<R>): () => void {
    const known = this.#writer.head;
    const isRecent = known !== undefined && performance.now() - known.at < RECENT_MS;
    const follower = new LogFollower(this.#rows, listener, async () =>
      isRecent ? known.last : (await this.#rows.head()).last,
    );
    this.#followers.add(follower);
    return () => {
      this.#followers.delete(follower);
      follower.stop();
    };
  }

  size(): number {
    const { head } = this.#writer;
    if (head && head.at > this.#size.at) this.#size = { bytes: head.bytes, at: head.at };
    const now = performance.now();
    if (now - this.#size.at > SIZE_MS && !this.#closed) {
      this.#size.at = now;
      const measuring = this.#rows.head().then(({ bytes }) => {
        this.#size = { bytes, at: performance.now() };
      });
      measuring.catch(() => {});
    }
    return this.#size.bytes + this.#writer.waitingBytes;
  }

  async compact(choose: (segment: readonly R[], isComplete: boolean) => readonly R[]): Promise<void> {
    await this.flush();
    await compact(this.#database, this.#log, this.#rows, choose);
  }

  async redact(replace: (record: R) => readonly R[] | undefined): Promise<void> {
    await this.flush();
    await redact(this.#database, this.#log, this.#rows, {
      replace,
      stored: (record) => this.#bodyOf(record),
    });
  }

  close(): void {
    this.#closed = true;
    for (const follower of this.#followers) follower.stop();
    this.#followers.clear();
  }

  #plansOf(records: readonly R[]): PlannedChanges[] {
    const { plans } = this.#options;
    return plans ? records.flatMap((record) => plans(record) ?? []) : [];
  }

  #bodyOf(record: R): string {
    const { toStored, longest, shorten } = this.#options;
    const body = JSON.stringify(toStored ? toStored(record) : record);
    if (longest === undefined || body.length <= longest) return body;
    for (const shorter of shorten?.(record) ?? []) {
      const text = JSON.stringify(toStored ? toStored(shorter) : shorter);
      if (text.length <= longest) return text;
    }
    return body;
  }
}
