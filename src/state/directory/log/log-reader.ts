/** Reads the files of a log, and on each later call only what was added. */
import { closeSync } from 'node:fs';
import { Yielder } from '../../../engine/event-loop.ts';
import type { LogConsumer, LogReader } from '../../log.ts';
import type { LineFormat } from './lines.ts';
import { byAge, type LogFile, type LogFiles } from './log-files.ts';
import { linesFrom } from './read-lines.ts';

/** How far a file was read. */
interface Read {
  file: LogFile;
  offset: number;
}

export class DirectoryLogReader<R extends object> implements LogReader {
  readonly #files: LogFiles;
  readonly #format: LineFormat<R>;
  readonly #consumer: LogConsumer<R>;
  readonly #read = new Map<string, Read>();
  #underWay: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(files: LogFiles, format: LineFormat<R>, consumer: LogConsumer<R>) {
    this.#files = files;
    this.#format = format;
    this.#consumer = consumer;
  }

  /** A read that is under way may miss what was appended since it started, so a new caller waits for the next read. */
  catchUp(): Promise<void> {
    this.#next ??= this.#underWay.then(() => {
      this.#next = undefined;
      const reading = this.#readAll();
      this.#underWay = reading.catch(() => {});
      return reading;
    });
    return this.#next;
  }

  async #readAll(): Promise<void> {
    const yielder = new Yielder(undefined);
    const files = this.#files.list();
    const grown = files.filter(({ name, size }) => size > (this.#read.get(name)?.offset ?? 0));
    if (this.#mustRestart(files, grown)) {
      this.#read.clear();
      this.#consumer.restart();
    }
    for (const file of this.#read.size === 0 ? files : grown) await this.#readOn(file, yielder);
    this.#consumer.caughtUp?.();
  }

  /** Records have one order: when an earlier file grew, shrank, was replaced or is gone, read all of them again. */
  #mustRestart(files: readonly LogFile[], grown: readonly LogFile[]): boolean {
    const last = [...this.#read.values()].at(-1)?.file;
    if (last && grown.some((file) => byAge(file, last) < 0)) return true;
    const there = new Map(files.map((file) => [file.name, file]));
    return [...this.#read.values()].some(({ file: { name, inode }, offset }) => {
      const now = there.get(name);
      return now === undefined || now.inode !== inode || now.size < offset;
    });
  }

  async #readOn(file: LogFile, yielder: Yielder): Promise<void> {
    const fd = this.#files.openIfThere(file.name);
    if (fd === undefined) return;
    try {
      const at = this.#read.get(file.name) ?? { file, offset: 0 };
      this.#read.set(file.name, at);
      for (const lines of linesFrom(fd, at, this.#format.longest)) await this.#take(lines, yielder);
    } finally {
      closeSync(fd);
    }
  }

  async #take(lines: readonly string[], yielder: Yielder): Promise<void> {
    for (const line of lines) {
      if (yielder.isDue) await yielder.pause();
      const record = this.#format.decode(line);
      if (record) this.#consumer.take(record);
    }
  }
}
