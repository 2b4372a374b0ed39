/**
 * The shared memory of work queues, used again and again: memory that several threads have seen is free only
 * when each of them has collected its garbage, and threads that wait for work do not.
 */
import { QUEUE_BYTES } from './work-queue.ts';

/** So many are kept for the next searches: as many as one client may have under way. Most of each is never touched. */
const MOST_FREE = 64;

export interface QueueMemory {
  /** By which threads know it again: it is sent to each of them once. */
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

  /** `sound`: every thread has left it. One that was ended may have held its lock. */
  giveBack(memory: QueueMemory, sound: boolean): void {
    if (sound && this.#free.length < MOST_FREE) this.#free.push(memory);
    else this.#freeSlots.push(memory.slot);
  }
}
