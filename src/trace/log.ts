/**
 * The stored trace: the events of all servers that share a state directory, as lines of JSON in
 * DIR/trace/YYYY-MM-DD[.n].jsonl.
 *
 * A line is written in one call to a file opened for appending, so that processes do not mix their lines and
 * what was answered is on record even when the server is killed right after. Files and their sum are bounded.
 */
import { closeSync, constants, fstatSync, readSync, writeSync } from 'node:fs';
import { codeOf, fileName, TraceDirectory } from './directory.ts';
import type { TraceEvent } from './event.ts';
import { follow } from './follow.ts';
import { lineOf } from './line.ts';
import { readRecent } from './recent.ts';

const { O_APPEND, O_CREAT, O_RDWR } = constants;
/** A millisecond apart. */
const LOOKS_AT_END = 10;
const NEWLINE = 10;
const MIB = 1024 * 1024;
const FILE_BYTES = 16 * MIB;
const ALL_BYTES = 128 * MIB;

/** Other processes write to the same file, and people move files away: looked at again after this much. */
const LOOK_AGAIN_MS = 1000;
const LOOK_AGAIN_BYTES = 64 * 1024;
/** When no file could be opened, calls do not pay for trying again each time. */
const TRY_AGAIN_MS = 5000;
const MOST_OBSTACLES = 100;
/** No write gets too long to go out in one piece. */
const MOST_AT_ONCE = 100;

export interface TraceLogSettings {
  /** A file that has reached this is followed by the next one. */
  fileBytes?: number;
  /** What all files together may take; the oldest go. */
  allBytes?: number;
  /** Told once when events cannot be written, and once when they cannot be followed. */
  onProblem?(problem: string): void;
  now?(): number;
}

interface OpenFile {
  fd: number;
  name: string;
  day: string;
  inode: number;
  /** As far as this process knows. */
  size: number;
  lookedAt: number;
  lookedAtSize: number;
  /** Ends within a line: the next one begins on a line of its own. */
  torn: boolean;
}

export class TraceLog {
  readonly #directory: TraceDirectory;
  readonly #fileBytes: number;
  readonly #allBytes: number;
  readonly #now: () => number;
  readonly #onProblem: (problem: string) => void;
  #file: OpenFile | undefined;
  #notBefore = Number.NEGATIVE_INFINITY;
  #told = false;
  #closed = false;
  readonly #followers = new Set<() => void>();
  #soon: TraceEvent[] = [];

  /** `directory` is the state directory. Nothing is opened or made before the first event. */
  constructor(directory: string, settings: TraceLogSettings = {}) {
    this.#directory = new TraceDirectory(directory);
    this.#fileBytes = settings.fileBytes ?? FILE_BYTES;
    this.#allBytes = settings.allBytes ?? ALL_BYTES;
    this.#now = settings.now ?? Date.now;
    this.#onProblem = settings.onProblem ?? (() => {});
  }

  /** Where the files are. */
  get path(): string {
    return this.#directory.path;
  }

  /** Never throws: a call is answered whether or not it can be put on record. */
  append(event: TraceEvent): void {
    if (this.#closed) return;
    try {
      const file = this.#current(this.#now());
      if (file) write(file, lineOf(event));
    } catch (error) {
      this.#tell(error);
    }
  }

  /** With all others of the same moment in one piece: many calls at once cost little more than one. */
  appendSoon(event: TraceEvent): void {
    if (this.#closed) return;
    this.#soon.push(event);
    if (this.#soon.length === 1) setImmediate(() => this.#writeSoon());
    else if (this.#soon.length >= MOST_AT_ONCE) this.#writeSoon();
  }

  #writeSoon(): void {
    const events = this.#soon.splice(0);
    if (events.length === 0) return;
    try {
      const file = this.#current(this.#now());
      if (file) write(file, events.map(lineOf).join(''));
    } catch (error) {
      this.#tell(error);
    }
  }

  /** The newest `limit` events that fit, oldest first. */
  recent(limit: number, filter?: (event: TraceEvent) => boolean): Promise<TraceEvent[]> {
    return readRecent(this.#directory, limit, filter);
  }

  /** Events that any process appends from now on, until the returned function is called. */
  follow(onEvents: (events: TraceEvent[]) => void): () => void {
    const stop = follow({ directory: this.#directory, onEvents, onProblem: this.#onProblem });
    const stopOnce = () => {
      this.#followers.delete(stopOnce);
      stop();
    };
    this.#followers.add(stopOnce);
    return stopOnce;
  }

  close(): void {
    this.#writeSoon();
    this.#closed = true;
    this.#release();
    for (const stop of [...this.#followers]) stop();
  }

  #current(now: number): OpenFile | undefined {
    const file = this.#file;
    if (file && !isDue(file, now, this.#fileBytes)) return file;
    if (file && this.#stillGood(file, now)) return file;
    this.#release();
    if (now < this.#notBefore && now >= this.#notBefore - TRY_AGAIN_MS) return undefined;
    this.#notBefore = now + TRY_AGAIN_MS;
    this.#file = this.#open(now);
    this.#notBefore = Number.NEGATIVE_INFINITY;
    this.#makeRoom(this.#file.name);
    return this.#file;
  }

  #stillGood(file: OpenFile, now: number): boolean {
    try {
      const { size } = fstatSync(file.fd);
      const standing = this.#directory.statOf(file.name);
      Object.assign(file, { size, lookedAt: now, lookedAtSize: size });
      return file.day === dayOf(now) && size < this.#fileBytes && standing?.ino === file.inode;
    } catch {
      return false;
    }
  }

  #open(now: number): OpenFile {
    this.#directory.make();
    const day = dayOf(now);
    const last = this.#directory.files().findLast((file) => file.day === day);
    const first = last?.part ?? 0;
    let obstacle: unknown;
    for (let part = first; part < first + MOST_OBSTACLES; part++) {
      try {
        const file = this.#openPart(day, part, now);
        if (obstacle) this.#tell(obstacle);
        if (file) return file;
      } catch (error) {
        if (!isObstacle(error)) throw error;
        obstacle = error;
      }
    }
    throw obstacle ?? new Error(`no free name in ${this.path}`);
  }

  /** Undefined when the file is full already. */
  #openPart(day: string, part: number, now: number): OpenFile | undefined {
    const name = fileName(day, part);
    const fd = this.#directory.open(name, O_RDWR | O_APPEND | O_CREAT);
    const { ino: inode, size } = fstatSync(fd);
    if (size >= this.#fileBytes) {
      closeSync(fd);
      return undefined;
    }
    return { fd, name, day, inode, size, lookedAt: now, lookedAtSize: size, torn: endsTorn(fd) };
  }

  /** Before a file grows, what it may grow to is free. */
  #makeRoom(current: string): void {
    try {
      let left = this.#allBytes - this.#fileBytes;
      for (const { name } of this.#directory.files().reverse()) {
        if (name === current) continue;
        left -= this.#directory.statOf(name)?.size ?? 0;
        if (left < 0) this.#directory.remove(name);
      }
    } catch (error) {
      this.#tell(error);
    }
  }

  #release(): void {
    if (this.#file) closeSync(this.#file.fd);
    this.#file = undefined;
  }

  #tell(error: unknown): void {
    if (this.#told) return;
    this.#told = true;
    this.#onProblem(`calls are not all on record: ${(error as Error).message}`);
  }
}

function write(file: OpenFile, line: string): void {
  const bytes = Buffer.from(file.torn ? `\n${line}` : line);
  const written = writeSync(file.fd, bytes);
  file.size += written;
  file.torn = written < bytes.length;
  if (file.torn) throw new Error(`no space for ${file.name}`);
}

function isDue(file: OpenFile, now: number, fileBytes: number): boolean {
  return (
    file.size >= fileBytes ||
    file.size - file.lookedAtSize >= LOOK_AGAIN_BYTES ||
    now - file.lookedAt >= LOOK_AGAIN_MS ||
    now < file.lookedAt
  );
}

/**
 * Whether somebody was cut off in the middle of a line. One who is still writing has ended it in a moment, so that
 * is waited for: otherwise an empty line would stand behind it.
 */
function endsTorn(fd: number): boolean {
  for (let look = 0; look < LOOKS_AT_END; look++) {
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

/** Something else stands at the name: a link, a directory, a FIFO, a file of someone else's. */
function isObstacle(error: unknown): boolean {
  const code = codeOf(error);
  return code === undefined || ['ELOOP', 'EMLINK', 'EISDIR', 'ENXIO', 'EACCES', 'EPERM'].includes(code);
}

function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}
