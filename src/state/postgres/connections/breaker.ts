/** A circuit breaker: after one failure, callers are refused at once until the database answers again. */
import { StateUnavailable } from '../../state.ts';

const FIRST_MS = 100;
const LONGEST_MS = 1000;

export class Breaker {
  readonly #probe: () => Promise<void>;
  #cause: unknown;
  #isOpen = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;
  #whenBack: Promise<void> = Promise.resolve();
  #settle: () => void = () => {};
  readonly #onTrip: (error: StateUnavailable) => void;

  /** `probe` settles when the database can be used. */
  constructor(probe: () => Promise<void>, onTrip: (error: StateUnavailable) => void) {
    this.#probe = probe;
    this.#onTrip = onTrip;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Throws while the database is unavailable. */
  requireAvailable(): void {
    if (this.#isOpen || this.#isClosed) throw new StateUnavailable(this.#cause);
  }

  /** Settles when the database is available again, or when the breaker is closed for good. */
  whenBack(): Promise<void> {
    return this.#whenBack;
  }

  trip(cause: unknown): void {
    if (this.#isOpen || this.#isClosed) return;
    this.#isOpen = true;
    this.#cause = cause;
    this.#whenBack = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.#onTrip(new StateUnavailable(cause));
    this.#tryAfter(FIRST_MS);
  }

  /** Stops probing the database. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#settle();
  }

  #tryAfter(ms: number): void {
    this.#timer = setTimeout(() => void this.#try(ms), ms);
    this.#timer.unref();
  }

  async #try(ms: number): Promise<void> {
    try {
      await this.#probe();
    } catch (error) {
      this.#cause = error;
      if (!this.#isClosed) this.#tryAfter(Math.min(ms * 2, LONGEST_MS));
      return;
    }
    this.#isOpen = false;
    this.#settle();
  }
}
