/**
 * Cancels one call. Creating an AbortController takes longer than reading a small file, and most calls end before
 * anything listens for their cancellation. So the signal creates its AbortController when the first listener comes.
 */
export class Cancellation {
  readonly #signal = new CallSignal();

  get signal(): AbortSignal {
    return this.#signal;
  }

  abort(reason?: unknown): void {
    this.#signal.abort(reason);
  }
}

class CallSignal implements AbortSignal {
  #isAborted = false;
  #reason: unknown;
  #behind: AbortController | undefined;

  abort(reason: unknown): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.#reason = reason;
    this.#behind?.abort(reason);
  }

  get aborted(): boolean {
    return this.#isAborted;
  }

  get reason(): unknown {
    return this.#real.reason;
  }

  get onabort(): AbortSignal['onabort'] {
    return this.#real.onabort;
  }

  set onabort(listener: AbortSignal['onabort']) {
    this.#real.onabort = listener;
  }

  throwIfAborted(): void {
    if (this.#isAborted) this.#real.throwIfAborted();
  }

  addEventListener(...listening: Parameters<AbortSignal['addEventListener']>): void {
    this.#real.addEventListener(...listening);
  }

  removeEventListener(...listening: Parameters<AbortSignal['removeEventListener']>): void {
    this.#behind?.signal.removeEventListener(...listening);
  }

  dispatchEvent(event: Event): boolean {
    return this.#real.dispatchEvent(event);
  }

  get #real(): AbortSignal {
    if (!this.#behind) {
      this.#behind = new AbortController();
      if (this.#isAborted) this.#behind.abort(this.#reason);
    }
    return this.#behind.signal;
  }
}
