/** One thread's turn at the units of a queue, with those of its own that the queue has no room for. */

/** What the loop needs of a queue; WorkQueue is one. */
export interface UnitQueue {
  readonly isOver: boolean;
  take(): string | undefined;
  /** Returns those that do not fit. */
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

  /** Units that were left when the work ended and that did not fit into the queue. */
  get overflow(): readonly string[] {
    return this.#overflow;
  }

  /** Works until no unit is left or the work is ended; then returns its units to the queue. */
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
