/**
 * Appends lines to the current file of a log.
 *
 * Each append is one write to a file opened for appending: the lines of different processes never mix, and a line
 * survives when the process is killed right after.
 */
import { closeSync, constants, fdatasync, fstatSync, readSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { dayOf } from '../../day.ts';
import { codeOf, fileName, type LogFiles } from './log-files.ts';

const { O_APPEND, O_CREAT, O_RDWR } = constants;
/** Somebody may move the file away: the writer checks the file's name again after this long. */
const CHECK_NAME_MS = 1000;
/** How many names in a row may be unusable: full, or not a file of this log. */
const MOST_OBSTACLES = 100;
/** Another process may be in mid-write: wait up to this long for it. */
const WAIT_FOR_LINE_END_MS = 10;
const NEWLINE = 10;

const synced = promisify(fdatasync);

interface WriterOptions {
  files: LogFiles;
  /** Whether each line begins with a line break of its own. */
  breaksFirst: boolean;
  bounds: { part: number; all: number } | undefined;
  onObstacle(error: Error): void;
  now(): number;
}

interface OpenLogFile {
  fd: number;
  name: string;
  day: string;
  inode: number;
  nameCheckedAt: number;
  /** The file ends in the middle of a line, so the next append starts with a line break. */
  torn: boolean;
}

export class LogWriter {
  readonly #options: WriterOptions;
  #file: OpenLogFile | undefined;
  /** Flushes of files that this writer no longer appends to. */
  #lastFlushes: Promise<void>[] = [];
  #flushing: Promise<void> | undefined;
  #flushNext: Promise<void> | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  append(lines: string): void {
    const file = this.#current();
    const bytes = Buffer.from(file.torn ? `\n${lines}` : lines);
    const written = writeSync(file.fd, bytes);
    file.torn = written < bytes.length && !this.#options.breaksFirst;
    if (written < bytes.length) {
      throw Object.assign(new Error(`no space for ${file.name}`), { code: 'ENOSPC' });
    }
  }

  /** Concurrent calls share one flush. */
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

  close(): void {
    if (this.#file) closeSync(this.#file.fd);
    this.#file = undefined;
  }

  async #flushNow(): Promise<void> {
    try {
      await Promise.all(this.#lastFlushes.splice(0));
      if (this.#file) await synced(this.#file.fd);
    } finally {
      this.#flushing = undefined;
    }
  }

  #current(): OpenLogFile {
    const now = this.#options.now();
    if (this.#file && this.#isStillGood(this.#file, now)) return this.#file;
    this.#leave();
    this.#file = this.#open(now);
    this.#makeRoom(this.#file.name);
    return this.#file;
  }

  #isStillGood(file: OpenLogFile, now: number): boolean {
    const { nlink, size } = fstatSync(file.fd);
    if (nlink === 0 || this.#isFull(size) || file.day !== dayOf(now)) return false;
    if (Math.abs(now - file.nameCheckedAt) < CHECK_NAME_MS) return true;
    file.nameCheckedAt = now;
    try {
      return this.#options.files.statOf(file.name)?.ino === file.inode;
    } catch {
      return false;
    }
  }

  #isFull(size: number): boolean {
    const { bounds } = this.#options;
    return bounds !== undefined && size >= bounds.part;
  }

  #leave(): void {
    if (!this.#file) return;
    const { fd } = this.#file;
    this.#file = undefined;
    const lastFlush = synced(fd).finally(() => closeSync(fd));
    // If this fails, the next flush reports it.
    lastFlush.catch(() => {});
    this.#lastFlushes.push(lastFlush);
  }

  /** A log without bounds has one file for each day. A log with bounds tries the next number when a name is taken. */
  #open(now: number): OpenLogFile {
    const { files, bounds, onObstacle } = this.#options;
    files.make();
    const day = dayOf(now);
    const first = files.list().findLast((file) => file.day === day)?.part ?? 0;
    let obstacle: unknown;
    for (let part = first; part < first + MOST_OBSTACLES; part++) {
      try {
        const file = this.#openPart(day, part, now);
        if (obstacle) onObstacle(obstacle as Error);
        if (file) return file;
      } catch (error) {
        if (!bounds || !isObstacle(error)) throw error;
        obstacle = error;
      }
    }
    throw obstacle ?? new Error(`no free name in ${files.path}`);
  }

  /** Undefined when the file is already full. */
  #openPart(day: string, part: number, now: number): OpenLogFile | undefined {
    const name = fileName(day, part);
    const fd = this.#options.files.open(name, O_RDWR | O_APPEND | O_CREAT);
    const { ino: inode, size } = fstatSync(fd);
    if (this.#isFull(size)) {
      closeSync(fd);
      return undefined;
    }
    const torn = !this.#options.breaksFirst && endsTorn(fd);
    return { fd, name, day, inode, nameCheckedAt: now, torn };
  }

  /** Removes old files until the current file can grow to its full size within the bounds. */
  #makeRoom(current: string): void {
    const { files, bounds, onObstacle } = this.#options;
    if (!bounds) return;
    try {
      let bytesLeft = bounds.all - bounds.part;
      for (const { name, size } of files.list().reverse()) {
        if (name === current) continue;
        bytesLeft -= size;
        if (bytesLeft < 0) files.remove(name);
      }
    } catch (error) {
      onObstacle(error as Error);
    }
  }
}

/** Whether a writer was interrupted in the middle of a line. */
function endsTorn(fd: number): boolean {
  for (let waited = 0; waited < WAIT_FOR_LINE_END_MS; waited++) {
    if (!endsInsideLine(fd)) return false;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
  }
  return true;
}

function endsInsideLine(fd: number): boolean {
  const { size } = fstatSync(fd);
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  return readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== NEWLINE;
}

/** Whether something else has the name: a link, a directory, a FIFO, or a file of another user. */
function isObstacle(error: unknown): boolean {
  const code = codeOf(error);
  return code === undefined || ['ELOOP', 'EMLINK', 'EISDIR', 'ENXIO', 'EACCES', 'EPERM'].includes(code);
}
