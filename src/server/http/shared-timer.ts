/** Calls functions after a delay, unless they are dropped before. They share one timer, since most are dropped soon. */
export class SharedTimer {
  readonly #afterMs: number;
  /** The functions with the times when they are due, earliest first. */
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
