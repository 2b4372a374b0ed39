/** How one thread works on the units of a queue. It keeps the units that the queue has no room for. */

/** What the loop needs of a queue, such as a WorkQueue. */
export interface UnitQueue {
  readonly isOver: boolean;
  take(): string | undefined;
  /** Returns the units that do not fit. */
  push(units: readonly string[]): readonly string[];
}

export class UnitLoop {
  readonly #queue: UnitQueue;
  /** Units that the queue had no room for. */
  #overflow: string[];

  constructor(queue: UnitQueue, overflow: readonly string[]) {
    this.#queue = queue;
    this.#overflow = [...overflow];
  }

  /** Units that were left when the work was ended, and that did not fit into the queue. */
  get overflow(): readonly string[] {
    return this.#overflow;
  }

  /** Works until no unit is left or the work is ended, then returns the thread's own units to the queue. */
  run(work: (unit: string) => void): void {
    for (;;) {
      const unit = this.#queue.isOver ? undefined : (this.#overflow.pop() ?? this.#queue.take());
      if (unit === undefined) break;
      work(unit);
    }
    this.#overflow = [...this.#queue.push(this.#overflow.reverse())].reverse();
  }

  add(units: readonly string[]): void {
    const left = this.#queue.push(units);
    if (left.length > 0) this.#overflow.push(...[...left].reverse());
  }
}
