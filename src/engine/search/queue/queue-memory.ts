/**
 * A pool of shared memory for work queues. Shared memory is freed only when every thread that received it has collected
 * its garbage, and idle threads do not collect any. So each search reuses the memory of an earlier one.
 */
import { QUEUE_BYTES } from './work-queue.ts';

/** As many as one client may have searches under way. The system allocates few pages of each: most are never used. */
const MOST_FREE = 64;

export interface QueueMemory {
  /** The number that identifies the memory to threads: each thread receives the memory itself only once. */
  readonly slot: number;
  readonly shared: SharedArrayBuffer;
}

export class QueueMemories {
  readonly #free: QueueMemory[] = [];
  readonly #freeSlots: number[] = [];
  #slots = 0;

  take(): QueueMemory {
    const known = this.#free.pop();
    if (known) return known;
    return { slot: this.#freeSlots.pop() ?? this.#slots++, shared: new SharedArrayBuffer(QUEUE_BYTES) };
  }

  /** `isReusable` says that every thread has left the queue: a thread that was terminated may still hold its lock. */
  giveBack(memory: QueueMemory, isReusable: boolean): void {
    if (isReusable && this.#free.length < MOST_FREE) this.#free.push(memory);
    else this.#freeSlots.push(memory.slot);
  }
}
