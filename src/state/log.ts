/**
 * An append-only log of records.
 *
 * Every implementation guarantees:
 * - **Whole or absent.** A reader gets each record exactly as it was appended, or not at all. Readers skip a record
 *   that a crash cut short, and still get the records before and after it.
 * - **One order for all.** All readers get the records in the same order, and the records of one writer in the order in
 *   which it appended them. The log decides the order; clocks do not matter.
 * - **Many writers.** Any number of processes append at the same time and lose nothing. The records of one `append`
 *   are adjacent: no record of another writer gets between them.
 * - **Durable after `flush`.** When `flush` has settled, the records that this process appended before survive a
 *   power cut. Without `flush` they are written soon; a crash can only take the last ones.
 * - **Free to open.** Opening or reading a log that was never written to costs nothing.
 */
export interface Log<R extends object> {
  /** Two objects for the same records have the same name. */
  readonly name: string;

  /** Throws when the log cannot accept the records. */
  append(...records: R[]): void;

  flush(): Promise<void>;

  /**
   * Gives an empty log its first records, durably and in one step: readers find all of them or none. Returns false and
   * writes nothing when the log is not empty. Only one process at a time may do this.
   */
  fill(records: readonly R[]): Promise<boolean>;

  /** Reads all records, and on later calls the new ones, into `consumer`. */
  reader(consumer: LogConsumer<R>): LogReader;

  /** All records in batches, newest first. Reads only as much of the log as the caller consumes. */
  newestFirst(): AsyncIterable<readonly R[]>;

  /** Reports the records that any process appends from now on, until the returned function is called. */
  follow(listener: LogListener<R>): () => void;

  /** How many bytes all records take; the value may be a few seconds old. */
  size(): number;

  /**
   * Removes records permanently. The log passes `choose` its records, oldest first, in segments that no longer grow,
   * and removes some or all of the records that `choose` does not return. `isComplete` says whether the log has removed
   * every record that `choose` dropped from earlier segments: if it has not, a record that revokes an earlier one must
   * stay. Only one process at a time may do this.
   */
  compact(choose: (segment: readonly R[], isComplete: boolean) => readonly R[]): Promise<void>;

  /**
   * Changes or removes records permanently while others append. `replace` returns candidates for a record, and the log
   * stores the first that is not longer than the record; undefined keeps the record. Fragments of records are removed
   * too, because nobody can tell what they held.
   */
  redact(replace: (record: R) => readonly R[] | undefined): Promise<void>;

  /** Closes all files or connections, and ends all followers. */
  close(): void;
}

export interface LogConsumer<R extends object> {
  take(record: R): void;
  /** Earlier records were changed or removed: discard everything taken so far; all records follow again. */
  restart(): void;
  /** Called when `take` has received every record. Between `restart` and this, the consumer has only some of them. */
  caughtUp?(): void;
}

export interface LogReader {
  /**
   * Settles when the consumer has every record that any process flushed, or this process appended, before the call.
   * Reads a long log in many turns of the event loop.
   */
  catchUp(): Promise<void>;
}

export interface LogListener<R extends object> {
  onRecords(records: R[]): void;
  /** Called once when the log cannot be followed; following continues as soon as it is possible again. */
  onProblem(error: Error): void;
}

/** Changes that a part of a journal entry plans or ends, by shared paths; without `paths`, all changes of the part. */
export interface PlannedChanges {
  part: string;
  paths?: readonly string[];
  isEnd: boolean;
}

export interface LogBounds {
  /** The size limit of the log in bytes. Beyond it, the log drops its oldest records, about `part` bytes at a time. */
  all: number;
  part: number;
  /** How many days a log that is split into days keeps. Default: no limit. */
  days?: number;
}

/** How a log stores its records. */
export interface LogOptions<R extends object> {
  /** Checks a value that was read; returns undefined when it is not a record of this log. */
  accept(value: unknown): R | undefined;
  /** Converts a record to the form that other machines can read; `accept` converts it back. */
  toStored?(record: R): object;
  /** Which changes a record plans or ends: a server that locks their paths finds out from this. */
  plans?(record: R): PlannedChanges | undefined;
  /** Each record carries a checksum, which reveals any damage. Default: records are plain JSON. */
  checksums?: boolean;
  /** The size limit of a record in bytes. Readers skip anything longer. */
  longest?: number;
  /** Ever shorter versions of a record that is too long; the last one fits. */
  shorten?(record: R): Iterable<R>;
  /** How every record begins. With it, readers of a plain log find a record that follows a truncated one. */
  opening?: string;
  /**
   * When a record was appended, in milliseconds since 1970. Followers use it to report no record twice, and `fill` to
   * date the records.
   */
  appendedAt?(record: R): number;
  /** Size limits; beyond them the log drops its oldest records. Default: no limits. */
  bounds?: LogBounds;
  /** Called when something was in the way of writing but the records could be written elsewhere. */
  onObstacle?(error: Error): void;
  now?(): number;
}
