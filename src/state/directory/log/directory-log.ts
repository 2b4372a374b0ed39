/** A log in files of the state directory: one line for each record, one or more files for each day. */
import { closeSync, rmSync, writeSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Log, LogConsumer, LogListener, LogOptions, LogReader } from '../../log.ts';
import { follow } from './follow.ts';
import { type LineFormat, lineFormat } from './lines.ts';
import { type LogFile, LogFiles, mayGrow } from './log-files.ts';
import { DirectoryLogReader } from './log-reader.ts';
import { LogWriter } from './log-writer.ts';
import { linesBack, linesFrom } from './read-lines.ts';
import { redactFile } from './redact.ts';

/** How many records `fill` writes in one turn of the event loop. */
const RECORDS_PER_TURN = 500;

export class DirectoryLog<R extends object> implements Log<R> {
  readonly name: string;
  readonly #files: LogFiles;
  readonly #format: LineFormat<R>;
  readonly #options: LogOptions<R>;
  readonly #now: () => number;
  readonly #writer: LogWriter;
  readonly #followers = new Set<() => void>();

  /** Opens and creates nothing before the first record. */
  constructor(directory: string, options: LogOptions<R>) {
    this.name = directory;
    this.#options = options;
    this.#files = new LogFiles(directory);
    this.#format = lineFormat(options);
    this.#now = options.now ?? (() => Date.now());
    this.#writer = new LogWriter({
      files: this.#files,
      breaksFirst: this.#format.breaksFirst,
      bounds: options.bounds,
      onObstacle: options.onObstacle ?? (() => {}),
      now: this.#now,
    });
  }

  append(...records: R[]): void {
    this.#writer.append(records.map((record) => this.#format.encode(record)).join(''));
  }

  flush(): Promise<void> {
    return this.#writer.flush();
  }

  /** Writes the files to a directory next to the log, and then renames that directory to the log's name. */
  async fill(records: readonly R[]): Promise<boolean> {
    if (!this.#files.areEmpty()) return false;
    const draft = `${this.#files.path}-filling`;
    // An interrupted process may have left one.
    rmSync(draft, { recursive: true, force: true });
    const { appendedAt = this.#now } = this.#options;
    let time = 0;
    const filling = new DirectoryLog<R>(draft, { ...this.#options, now: () => time });
    try {
      for (const [at, record] of records.entries()) {
        if (at % RECORDS_PER_TURN === 0) await nextTurn();
        // Each day has its file, and files are read in the order of their days.
        time = Math.max(time, Math.min(appendedAt(record), this.#now()));
        filling.append(record);
      }
      await filling.flush();
      return records.length === 0 || this.#files.takeFrom(draft);
    } finally {
      filling.close();
      rmSync(draft, { recursive: true, force: true });
    }
  }

  reader(consumer: LogConsumer<R>): LogReader {
    return new DirectoryLogReader(this.#files, this.#format, consumer);
  }

  async *newestFirst(): AsyncGenerator<readonly R[]> {
    for (const { name } of this.#files.list().reverse()) {
      const fd = this.#files.openIfThere(name);
      if (fd === undefined) continue;
      try {
        for (const lines of linesBack(fd, this.#format.longest)) {
          yield this.#recordsOf(lines);
          await nextTurn();
        }
      } finally {
        closeSync(fd);
      }
    }
  }

  follow(listener: LogListener<R>): () => void {
    const appendedAt = this.#options.appendedAt ?? (() => Number.POSITIVE_INFINITY);
    const stop = follow({ files: this.#files, format: this.#format, appendedAt, listener });
    const stopOnce = () => {
      this.#followers.delete(stopOnce);
      stop();
    };
    this.#followers.add(stopOnce);
    return stopOnce;
  }

  size(): number {
    return this.#files.list().reduce((sum, { size }) => sum + size, 0);
  }

  /**
   * Each file is a segment. Removes the oldest files as long as nothing in them was chosen, and rewrites a later file
   * when that removes more than half of its records.
   */
  async compact(choose: (segment: readonly R[], isComplete: boolean) => readonly R[]): Promise<void> {
    let isComplete = true;
    let isOldest = true;
    for (const file of this.#files.list()) {
      if (mayGrow(file, this.#now())) return;
      const records = this.#read(file);
      const chosen = choose(records, isComplete);
      isOldest &&= chosen.length === 0;
      if (isOldest) this.#files.remove(file.name);
      else if (chosen.length < records.length / 2) this.#rewrite(file, chosen);
      else if (chosen.length < records.length) isComplete = false;
      await nextTurn();
    }
  }

  async redact(replace: (record: R) => readonly R[] | undefined): Promise<void> {
    for (const { name } of this.#files.list()) await redactFile(this.#files, name, this.#format, replace);
  }

  close(): void {
    this.#writer.close();
    for (const stop of [...this.#followers]) stop();
  }

  #recordsOf(lines: readonly string[]): R[] {
    return lines.flatMap((line) => this.#format.decode(line) ?? []);
  }

  #read({ name }: LogFile): R[] {
    const fd = this.#files.openIfThere(name);
    if (fd === undefined) return [];
    try {
      const blocks = [...linesFrom(fd, { offset: 0 }, this.#format.longest)];
      return blocks.flatMap((lines) => this.#recordsOf(lines));
    } finally {
      closeSync(fd);
    }
  }

  #rewrite({ name }: LogFile, records: readonly R[]): void {
    this.#files.replace(name, (fd) => {
      for (const record of records) {
        const line = Buffer.from(this.#format.encode(record));
        for (let done = 0; done < line.length; ) done += writeSync(fd, line, done);
      }
    });
  }
}
