/**
 * The work that the threads of one search share: a stack of units in shared memory, and the signal to stop.
 *
 * A unit is a directory, or some files of one. Threads take the unit that was pushed last, so they push units in
 * reverse order and all work near the beginning of the tree: a search then reaches its cap early. Threads never have
 * to wait for the main thread.
 */

// Indexes into the control block, which consists of 32-bit words.
const LOCK = 0;
const TOP = 1;
const BUSY = 2;
const WAITING = 3;
const CHANGES = 4;
const OVER = 5;
const JOINED = 6;
const BOUND = 7;
const ROUND = 8;
const RELEASE_IDLE = 9;
// These are on a cache line of their own: threads write them for every file, and mostly only read the others.
const FILES = 16;
const MATCHES = 17;
const CONTROL_BYTES = 128;

/** There are two slots of this size, written alternately, so that a reader never sees half a path. */
const BOUND_BYTES = 8192;
const UNITS_START = CONTROL_BYTES + 2 * (BOUND_BYTES + 4);
const UNITS_BYTES = 1 << 20;
export const QUEUE_BYTES: number = UNITS_START + UNITS_BYTES;

/** How long a thread waits for work before it checks again. */
const WAIT_MS = 20;
/** How often a thread tries to take the lock before it sleeps. */
const SPINS = 2000;

export class WorkQueue {
  readonly #control: Int32Array;
  readonly #bytes: Buffer;
  #boundSeen = 0;
  #bound: string | undefined;
  #boundIsTruncated = false;

  constructor(memory: SharedArrayBuffer) {
    this.#control = new Int32Array(memory, 0, CONTROL_BYTES / 4);
    this.#bytes = Buffer.from(memory);
  }

  /** Prepares memory that an earlier search used. A thread that is late for that search will find another round. */
  clear(): void {
    const round = this.round;
    this.#control.fill(0);
    Atomics.store(this.#control, ROUND, round + 1);
  }

  /** The number of this round of work. A thread that comes too late for its round takes no part in the next. */
  get round(): number {
    return Atomics.load(this.#control, ROUND);
  }

  /** False if all work of the round was done before this thread came. */
  join(round: number): boolean {
    this.#lock();
    const late = this.#control[OVER] !== 0 || this.#control[ROUND] !== round;
    if (!late) {
      this.#control[BUSY]!++;
      Atomics.add(this.#control, JOINED, 1);
    }
    this.#unlock();
    return !late;
  }

  /** How many threads took part in this round. Each of them sends a result when the work is over. */
  get joined(): number {
    return Atomics.load(this.#control, JOINED);
  }

  get isOver(): boolean {
    return Atomics.load(this.#control, OVER) !== 0;
  }

  /** Ends the work for all threads. Each stops when it has finished its current file. */
  end(): void {
    Atomics.store(this.#control, OVER, 1);
    this.#announce();
  }

  /** Whether units are left. Threads at work may take them, or add some, at any moment. */
  get hasUnits(): boolean {
    return this.#control[TOP]! > 0;
  }

  /** Lets the work continue after `end`. Call this only when every thread that took part has sent its result. */
  reopen(): void {
    this.#control[BUSY] = 0;
    this.#control[JOINED] = 0;
    Atomics.store(this.#control, RELEASE_IDLE, 0);
    Atomics.add(this.#control, ROUND, 1);
    Atomics.store(this.#control, OVER, 0);
  }

  /** From now on, threads without work leave instead of waiting for some: other searches need them. */
  releaseIdleThreads(): void {
    Atomics.store(this.#control, RELEASE_IDLE, 1);
    this.#announce();
  }

  /** Whether a thread waits for work. */
  get hasIdleThread(): boolean {
    return Atomics.load(this.#control, WAITING) > 0;
  }

  /** Adds units, of which threads will take the first one first. Returns those that do not fit. */
  push(units: readonly string[]): readonly string[] {
    if (units.length === 0) return units;
    this.#lock();
    let top = this.#control[TOP]!;
    let left = units.length;
    for (; left > 0; left--) {
      const unit = units[left - 1]!;
      const end = UNITS_START + top + unit.length;
      if (end + 4 > this.#bytes.length) break;
      this.#bytes.write(unit, UNITS_START + top, 'latin1');
      this.#bytes.writeUInt32LE(unit.length, end);
      top += unit.length + 4;
    }
    this.#control[TOP] = top;
    this.#unlock();
    if (this.hasIdleThread) this.#announce();
    return units.slice(0, left);
  }

  /**
   * Takes the next unit. Waits while other threads may still add some, unless idle threads have to leave. Undefined
   * when this thread has to leave, or all work is done or was ended.
   */
  take(): string | undefined {
    let idle = false;
    for (;;) {
      this.#lock();
      const changes = Atomics.load(this.#control, CHANGES);
      const unit = this.isOver ? undefined : this.#pop();
      if (unit !== undefined) {
        if (idle) this.#control[BUSY]!++;
        this.#unlock();
        return unit;
      }
      if (!idle) this.#control[BUSY]!--;
      idle = true;
      const done = this.isOver || this.#control[BUSY] === 0;
      this.#unlock();
      if (done) {
        this.end();
        return undefined;
      }
      if (Atomics.load(this.#control, RELEASE_IDLE) !== 0) return undefined;
      Atomics.add(this.#control, WAITING, 1);
      Atomics.wait(this.#control, CHANGES, changes, WAIT_MS);
      Atomics.sub(this.#control, WAITING, 1);
    }
  }

  /** From now on the search needs nothing after this path. Only the main thread calls this, with ever earlier paths. */
  setBound(path: string): void {
    const version = Atomics.load(this.#control, BOUND) + 1;
    const slot = CONTROL_BYTES + (version & 1) * (BOUND_BYTES + 4);
    const length = Math.min(path.length, BOUND_BYTES);
    this.#bytes.writeUInt32LE(path.length, slot);
    this.#bytes.write(path.slice(0, length), slot + 4, 'latin1');
    Atomics.store(this.#control, BOUND, version);
  }

  /** Whether this path, or everything in a directory given as `path/`, is after the bound. */
  isBeyondBound(path: string): boolean {
    if (Atomics.load(this.#control, BOUND) !== this.#boundSeen) this.#readBound();
    if (this.#bound === undefined || path <= this.#bound) return false;
    return !(this.#boundIsTruncated && path.startsWith(this.#bound));
  }

  addFile(): void {
    Atomics.add(this.#control, FILES, 1);
  }

  addMatches(count: number): void {
    Atomics.add(this.#control, MATCHES, count);
  }

  get files(): number {
    return Atomics.load(this.#control, FILES);
  }

  get matches(): number {
    return Atomics.load(this.#control, MATCHES);
  }

  #readBound(): void {
    for (;;) {
      const version = Atomics.load(this.#control, BOUND);
      const slot = CONTROL_BYTES + (version & 1) * (BOUND_BYTES + 4);
      const length = this.#bytes.readUInt32LE(slot);
      const stored = Math.min(length, BOUND_BYTES);
      const path = this.#bytes.toString('latin1', slot + 4, slot + 4 + stored);
      if (Atomics.load(this.#control, BOUND) - version > 0) continue;
      this.#boundSeen = version;
      this.#bound = path;
      this.#boundIsTruncated = stored < length;
      return;
    }
  }

  #pop(): string | undefined {
    const top = this.#control[TOP]!;
    if (top === 0) return undefined;
    const length = this.#bytes.readUInt32LE(UNITS_START + top - 4);
    const start = top - 4 - length;
    this.#control[TOP] = start;
    return this.#bytes.toString('latin1', UNITS_START + start, UNITS_START + start + length);
  }

  #announce(): void {
    Atomics.add(this.#control, CHANGES, 1);
    Atomics.notify(this.#control, CHANGES);
  }

  /** Threads hold the lock for microseconds, so this thread sleeps only if its holder has lost the processor. */
  #lock(): void {
    for (;;) {
      for (let i = 0; i < SPINS; i++) {
        if (Atomics.compareExchange(this.#control, LOCK, 0, 1) === 0) return;
      }
      Atomics.wait(this.#control, LOCK, 1, 1);
    }
  }

  #unlock(): void {
    Atomics.store(this.#control, LOCK, 0);
    Atomics.notify(this.#control, LOCK, 1);
  }
}
