/**
 * A pool of shared memory for work queues. Shared memory is freed only when every thread that saw it has collected
 * its garbage, and threads that wait for work do not collect any: so each search uses memory of an earlier one.
 */
import { QUEUE_BYTES } from './work-queue.ts';

/** As many as one client may have searches under way. Most pages of each are never touched. */
const MOST_FREE = 64;

export interface QueueMemory {
  /** The number by which threads know the memory: each thread receives the memory itself only once. */
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

  /** `isReusable` when every thread has left the queue: a thread that was ended may have held the queue's lock. */
  giveBack(memory: QueueMemory, isReusable: boolean): void {
    if (isReusable && this.#free.length < MOST_FREE) this.#free.push(memory);
    else this.#freeSlots.push(memory.slot);
  }
}
