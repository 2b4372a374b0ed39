/** Flushes directories for steps that run concurrently: steps that change the same directory share a flush. */
import type { Dir } from '../../confine/directory/dir.ts';

export class DirectoryFlushes {
  readonly #running = new Map<string, Promise<void>>();
  readonly #next = new Map<string, Promise<void>>();

  /** Settles when a flush that began after this call has ended. */
  flush(dir: Dir): Promise<void> {
    const { identity } = dir;
    const running = this.#running.get(identity);
    if (!running) return this.#start(dir);
    const next = this.#next.get(identity) ?? running.then(() => this.#startNext(dir));
    this.#next.set(identity, next);
    return next;
  }

  #startNext(dir: Dir): Promise<void> {
    this.#next.delete(dir.identity);
    return this.#start(dir);
  }

  #start(dir: Dir): Promise<void> {
    const { identity } = dir;
    const flushing = dir.flush().then(() => {
      if (this.#running.get(identity) === flushing) this.#running.delete(identity);
    });
    this.#running.set(identity, flushing);
    return flushing;
  }
}
