/** Keeps the page up to date: loads the stored events, listens for new ones, and reconnects when necessary. */
import type { PageEvent } from '../wire.ts';
import { ApiError, liveMessages, storedEvents } from './api.ts';

export type ConnectionState =
  | { is: 'loading' }
  | { is: 'live' }
  | { is: 'paused' }
  | { is: 'away'; seconds: number }
  | { is: 'signed-out' };

export interface ConnectionEvents {
  onEvents(events: PageEvent[], live: boolean): void;
  onState(state: ConnectionState): void;
}

const MIN_WAIT_MS = 500;
const MAX_WAIT_MS = 15_000;
/** A browser opens few connections to one server: a page that has been hidden for this long closes its own. */
const HIDDEN_MS = 60_000;

export class ServerConnection {
  readonly #events: ConnectionEvents;
  readonly #ending = new AbortController();
  #cursor: string | undefined;
  #waitMs = MIN_WAIT_MS;
  /** The current attempt to load or to listen. */
  #attempt: AbortController | undefined;
  #wake: (() => void) | undefined;
  #isAsleep = false;

  constructor(events: ConnectionEvents) {
    this.#events = events;
  }

  /** Runs until `end`, or until the session on the server has ended. */
  async run(): Promise<void> {
    this.#sleepWhenHidden();
    while (!this.#ending.signal.aborted) {
      await this.#attemptOnce();
      if (!this.#ending.signal.aborted) await this.#pause();
    }
  }

  end(): void {
    this.#ending.abort();
    this.#attempt?.abort();
    this.#wake?.();
  }

  async #attemptOnce(): Promise<void> {
    this.#attempt = new AbortController();
    try {
      await this.#load(this.#attempt.signal);
      await this.#listen(this.#attempt.signal);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) return;
      this.#ending.abort();
      this.#events.onState({ is: 'signed-out' });
    }
  }

  async #load(signal: AbortSignal): Promise<void> {
    if (this.#cursor !== undefined) return;
    this.#events.onState({ is: 'loading' });
    this.#cursor = await storedEvents((events) => this.#events.onEvents(events, false), signal);
  }

  async #listen(signal: AbortSignal): Promise<void> {
    for await (const { event, id, data } of liveMessages(this.#cursor!, signal)) {
      if (event === 'reset') {
        // The page missed too much: load everything again. The store skips the events that it already has.
        this.#cursor = undefined;
        return;
      }
      this.#waitMs = MIN_WAIT_MS;
      this.#events.onState({ is: 'live' });
      const events = JSON.parse(data) as PageEvent[];
      if (events.length > 0) this.#events.onEvents(events, true);
      if (id !== undefined) this.#cursor = id;
    }
  }

  async #pause(): Promise<void> {
    if (this.#isAsleep) {
      this.#events.onState({ is: 'paused' });
      await this.#sleep(undefined);
      return;
    }
    this.#events.onState({ is: 'away', seconds: Math.ceil(this.#waitMs / 1000) });
    await this.#sleep(this.#waitMs);
    this.#waitMs = Math.min(this.#waitMs * 2, MAX_WAIT_MS);
  }

  #sleep(ms: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (ms !== undefined) setTimeout(resolve, ms);
    });
  }

  #sleepWhenHidden(): void {
    const { signal } = this.#ending;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      clearTimeout(timer);
      if (document.hidden) {
        timer = setTimeout(() => {
          this.#isAsleep = true;
          this.#attempt?.abort();
        }, HIDDEN_MS);
        return;
      }
      this.#isAsleep = false;
      this.#wake?.();
    };
    document.addEventListener('visibilitychange', look, { signal });
    signal.addEventListener('abort', () => clearTimeout(timer));
  }
}
