/**
 * Records that are only ever added, a line each, in one file for each day.
 *
 * Several processes write to the same file: each line goes out in one write to a file opened for appending.
 * A line begins with a new line, so that one that was torn by a crash cannot spoil the next, and carries a
 * checksum, so that a torn one is known for what it is and left out.
 */
import { createHash, randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeDirectory } from './make-directory.ts';

const { O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = fs.constants;
const NAME = /^\d{4}-\d\d-\d\d\.jsonl$/;
const CHECKSUM_LENGTH = 12;
const READ_BYTES = 4 * 1024 * 1024;

const fdatasync = promisify(fs.fdatasync);

interface OpenDay {
  name: string;
  fd: number;
}

export class LineLog {
  readonly directory: string;
  #day: OpenDay | undefined;
  /** Days that are over, with lines that may not have been flushed. */
  readonly #past: OpenDay[] = [];
  #flushing: Promise<void> | undefined;
  #flushNext: Promise<void> | undefined;

  /** Nothing is opened or made before the first line. */
  constructor(directory: string) {
    this.directory = directory;
  }

  /** On the disk as far as this process can see to it: it survives the process, not yet a power cut. */
  append(record: object): void {
    writeWhole(this.#today().fd, lineOf(record));
  }

  /** Settles when all that was appended so far survives a power cut. Calls that come together share one flush. */
  flush(): Promise<void> {
    if (this.#flushing === undefined) {
      this.#flushing = this.#flushNow();
      return this.#flushing;
    }
    this.#flushNext ??= this.#flushing
      .catch(() => {})
      .then(() => {
        this.#flushNext = undefined;
        this.#flushing = this.#flushNow();
        return this.#flushing;
      });
    return this.#flushNext;
  }

  /** Every whole record, oldest file first, each with the file that it stands in. */
  *records(): Generator<{ record: Record<string, unknown>; file: string }> {
    for (const file of this.files()) {
      for (const record of this.recordsOf(file, { offset: 0 })) yield { record, file };
    }
  }

  /** The whole records of a file from an offset on, which moves along: to the end of the last line that is ended. */
  *recordsOf(file: string, at: { offset: number }): Generator<Record<string, unknown>> {
    for (const line of linesOf(join(this.directory, file), at)) {
      const record = parse(line);
      if (record) yield record;
    }
  }

  /** What tells whether a file has grown or was exchanged; undefined when it is gone. */
  shapeOf(file: string): { size: number; ino: number } | undefined {
    const stat = fs.statSync(join(this.directory, file), { throwIfNoEntry: false });
    return stat && { size: stat.size, ino: stat.ino };
  }

  /** Bytes of all files. */
  size(): number {
    return this.files().reduce((sum, file) => sum + (this.shapeOf(file)?.size ?? 0), 0);
  }

  /** What is no regular file is none of ours. */
  files(): string[] {
    try {
      return fs
        .readdirSync(this.directory, { withFileTypes: true })
        .filter((entry) => entry.isFile() && NAME.test(entry.name))
        .map(({ name }) => name)
        .sort();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }

  /** Whether lines may still be added to the file by some process. */
  mayGrow(file: string): boolean {
    const yesterday = new Date(Date.now() - 24 * 3_600_000);
    return file >= dayName(yesterday);
  }

  remove(file: string): void {
    fs.rmSync(join(this.directory, file), { force: true });
  }

  /** Puts these records in place of a file that can no longer grow, in one step. */
  rewrite(file: string, records: readonly object[]): void {
    const draft = join(this.directory, `.${file}-${randomBytes(6).toString('hex')}`);
    const fd = fs.openSync(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      for (const record of records) writeWhole(fd, lineOf(record));
      fs.fsyncSync(fd);
      fs.renameSync(draft, join(this.directory, file));
    } catch (error) {
      fs.rmSync(draft, { force: true });
      throw error;
    } finally {
      fs.closeSync(fd);
    }
  }

  close(): void {
    for (const { fd } of this.#past.splice(0)) fs.closeSync(fd);
    if (this.#day) fs.closeSync(this.#day.fd);
    this.#day = undefined;
  }

  async #flushNow(): Promise<void> {
    const past = this.#past.splice(0);
    try {
      for (const { fd } of past) await fdatasync(fd);
      if (this.#day) await fdatasync(this.#day.fd);
    } finally {
      for (const { fd } of past) fs.closeSync(fd);
      this.#flushing = undefined;
    }
  }

  #today(): OpenDay {
    const name = dayName(new Date());
    if (this.#day?.name === name && isThere(this.#day.fd)) return this.#day;
    makeDirectory(this.directory);
    const flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW;
    const fd = fs.openSync(join(this.directory, name), flags, 0o600);
    if (this.#day) this.#past.push(this.#day);
    this.#day = { name, fd };
    return this.#day;
  }
}

/** Somebody may have removed the state directory: then lines would go nowhere. */
function isThere(fd: number): boolean {
  return fs.fstatSync(fd).nlink > 0;
}

function lineOf(record: object): Buffer {
  const json = JSON.stringify(record);
  return Buffer.from(`\n${checksum(json)} ${json}\n`, 'utf8');
}

function writeWhole(fd: number, line: Buffer): void {
  const written = fs.writeSync(fd, line);
  if (written !== line.length) throw Object.assign(new Error('the line was cut off'), { code: 'ENOSPC' });
}

function dayName(date: Date): string {
  return `${date.toISOString().slice(0, 10)}.jsonl`;
}

function checksum(json: string): string {
  return createHash('sha256').update(json).digest('hex').slice(0, CHECKSUM_LENGTH);
}

function parse(line: string): Record<string, unknown> | undefined {
  const json = line.slice(CHECKSUM_LENGTH + 1);
  if (json === '' || line[CHECKSUM_LENGTH] !== ' ' || checksum(json) !== line.slice(0, CHECKSUM_LENGTH)) {
    return undefined;
  }
  return JSON.parse(json) as Record<string, unknown>;
}

/** The lines of a file that may be large, in bounded memory. What comes after the last line's end is none yet. */
function* linesOf(path: string, at: { offset: number }): Generator<string> {
  const fd = fs.openSync(path, fs.constants.O_RDONLY | O_NOFOLLOW);
  try {
    // A line may be longer than a chunk by far: its parts are joined once.
    let begun: Buffer[] = [];
    let position = at.offset;
    for (;;) {
      // Most of the time a line or two were added: a whole chunk for each would be most of the work.
      const length = Math.min(READ_BYTES, fs.fstatSync(fd).size - position);
      const chunk = Buffer.allocUnsafe(Math.max(length, 0));
      const got = fs.readSync(fd, chunk, 0, chunk.length, position);
      if (got === 0) return;
      let from = 0;
      for (let end = chunk.indexOf(10); end >= 0 && end < got; end = chunk.indexOf(10, from)) {
        const line = Buffer.concat([...begun, chunk.subarray(from, end)]);
        begun = [];
        from = end + 1;
        at.offset = position + from;
        if (line.length > 0) yield line.toString('utf8');
      }
      if (from < got) begun.push(chunk.subarray(from, got));
      position += got;
    }
  } finally {
    fs.closeSync(fd);
  }
}
