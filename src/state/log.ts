/**
 * A log: records that are only ever added.
 *
 * Every implementation guarantees:
 * - **Whole or absent.** A reader gets each record exactly as it was appended, or not at all. A record that a crash
 *   cut short is left out, and spoils neither the record before it nor the one after it.
 * - **One order for all.** All readers get the records in one order, and those of one writer in the order in which
 *   that writer appended them. The order belongs to the log; no clock decides it.
 * - **Many writers.** Any number of processes append at the same time and lose nothing. The records of one `append`
 *   follow each other without a record of another writer between them.
 * - **Durable after `flush`.** When `flush` has settled, the records that this process appended before survive a
 *   power cut. Without `flush` they are written soon; what a crash takes then is always the last of them.
 * - **Nothing on opening.** A log that nobody has written to costs nothing to open and to read.
 */
export interface Log<R extends object> {
  /** The same for all objects with the same records. */
  readonly name: string;

  /** Throws when the log cannot take the records. */
  append(...records: R[]): void;

  flush(): Promise<void>;

  /**
   * Gives a log that holds nothing its first records, in one step and for good: all readers find all of them or none.
   * False when the log holds something already, and then nothing is written. Only one process at a time may do this.
   */
  fill(records: readonly R[]): Promise<boolean>;

  /** Reads all records, and later those that were added; `consumer` receives them. */
  reader(consumer: LogConsumer<R>): LogReader;

  /** All records, the newest first, some at a time. Reads no more of the log than the caller takes. */
  newestFirst(): AsyncIterable<readonly R[]>;

  /** Hands over what any process appends from now on, until the returned function is called. */
  follow(listener: LogListener<R>): () => void;

  /** Bytes that all records take, as this process last knew it: at most some seconds old. */
  size(): number;

  /**
   * Removes records for good. The log shows `choose` its records, oldest first, in stretches to which nobody adds any
   * more, and removes some or all of those that `choose` leaves out. `isComplete` says whether every record that an
   * earlier stretch left out is gone: until then, a record that takes back an earlier one must stay. Only one process
   * at a time may do this.
   */
  compact(choose: (stretch: readonly R[], isComplete: boolean) => readonly R[]): Promise<void>;

  /**
   * Takes something out of records, for good, while others append. `replace` gives what is to replace a record, the
   * first of these that takes no more room, or undefined for a record that stays. Whatever is no whole record goes too:
   * nobody can tell what it held.
   */
  redact(replace: (record: R) => readonly R[] | undefined): Promise<void>;

  /** Lets go of everything, and ends all followers. */
  close(): void;
}

export interface LogConsumer<R extends object> {
  take(record: R): void;
  /** Earlier records were changed or removed: everything taken so far is void, and all records come again. */
  restart(): void;
  /** Every record that was there is taken. Between `restart` and this, the consumer has only a part of them. */
  caughtUp?(): void;
}

export interface LogReader {
  /**
   * Settles when the consumer has every record that was flushed before, or that this process appended. Reads a long
   * log in many turns of the event loop.
   */
  catchUp(): Promise<void>;
}

export interface LogListener<R extends object> {
  onRecords(records: R[]): void;
  /** Called once when the log cannot be followed; following continues when it can be again. */
  onProblem(error: Error): void;
}

/** A part of an entry and the paths that it concerns, as all machines call them; without paths, all of its paths. */
export interface PlannedChanges {
  part: string;
  paths?: readonly string[];
  isEnd: boolean;
}

export interface LogBounds {
  /** The most bytes of the log; the oldest records go, about `part` bytes at a time. */
  all: number;
  part: number;
  /** Where a log is cut into days, days before these go, too. */
  days?: number;
}

/** How a log is to be kept. */
export interface LogOptions<R extends object> {
  /** Checks a value that was read; undefined for what is no record of this log. */
  accept(value: unknown): R | undefined;
  /** What is stored in place of a record, where other machines read it: `accept` takes it back. */
  toStored?(record: R): object;
  /** Which changes a record plans, and which ones it brings to an end: a server that locks their paths gets to know. */
  plans?(record: R): PlannedChanges | undefined;
  /** Each record carries a checksum, so that damage of any kind shows. Without, a record is plain JSON. */
  checksums?: boolean;
  /** Bytes of a record at most. What a reader finds beyond that is no record. */
  longest?: number;
  /** Ever shorter versions of a record that is too long; the last one fits. */
  shorten?(record: R): Iterable<R>;
  /** How every record begins: finds a record of a plain log behind one that was cut short. */
  opening?: string;
  /**
   * When a record was appended, in milliseconds since 1970: keeps a follower from telling a record twice, and dates
   * the records that fill a log.
   */
  appendedAt?(record: R): number;
  /** Of a log whose oldest records go by themselves. */
  bounds?: LogBounds;
  /** Hears of something that hinders writing, although the records were written past it. */
  onObstacle?(error: Error): void;
  now?(): number;
}
