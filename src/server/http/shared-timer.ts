/** Calls functions after a while, unless they are dropped before. One timer serves all of them: most are dropped at once. */
export class SharedTimer {
  readonly #afterMs: number;
  /** When each is due, in the order in which they are. */
  readonly #waiting = new Map<() => void, number>();
  #isTimed = false;

  constructor(afterMs: number) {
    this.#afterMs = afterMs;
  }

  add(call: () => void): void {
    this.#waiting.set(call, performance.now() + this.#afterMs);
    if (!this.#isTimed) this.#wait(this.#afterMs);
  }

  drop(call: () => void): void {
    this.#waiting.delete(call);
  }

  #wait(ms: number): void {
    this.#isTimed = true;
    setTimeout(() => this.#callDue(), ms).unref();
  }

  #callDue(): void {
    this.#isTimed = false;
    const now = performance.now();
    for (const [call, due] of this.#waiting) {
      if (due > now) {
        if (!this.#isTimed) this.#wait(Math.ceil(due - now));
        return;
      }
      this.#waiting.delete(call);
      call();
    }
  }
}
