/** The lease of a transaction that holds locks, which lives only while the database hears from it. */
import type { LastChange, Lease, LeftBehind, UnsettledChange } from '../../locks.ts';
import { StateUnavailable } from '../../state.ts';
import type { Connection } from '../connections/connection.ts';
import type { LastChanges } from './last-changes.ts';

/** The database ends the session of a holder that is silent for this long. */
export const LEASE_MS = 10_000;
const PING_MS = LEASE_MS / 4;
/** How long a proof counts, from the moment of the question. */
const FRESH_MS = LEASE_MS / 4;
/** A slower answer says too little about the present: ask again. */
const QUICK_MS = 1000;
const MOST_TRIES = 5;

export class TransactionLease implements Lease {
  readonly #connection: Connection;
  readonly #timer: NodeJS.Timeout;
  readonly #known: LastChanges;
  /** What the holder left, by path. */
  readonly left = new Map<string, LeftBehind>();
  #provenAt = Number.NEGATIVE_INFINITY;

  constructor(connection: Connection, known: LastChanges) {
    this.#connection = connection;
    this.#known = known;
    this.#timer = setInterval(() => void this.#ask().catch(() => {}), PING_MS);
    this.#timer.unref();
  }

  async prove(): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      await this.#ask();
      if (performance.now() - this.#provenAt < QUICK_MS) return;
    }
    throw new StateUnavailable(new Error('the database answers too slowly'));
  }

  requireFresh(): void {
    if (performance.now() - this.#provenAt > FRESH_MS) {
      throw new StateUnavailable(new Error('the lock was not proven in time'));
    }
  }

  get unsettled(): readonly UnsettledChange[] {
    return this.#known.unsettled;
  }

  lastOf(path: string): LastChange | undefined {
    return this.#known.of(path);
  }

  leaves(path: string, change: LeftBehind): void {
    this.left.set(path, change);
  }

  end(): void {
    clearInterval(this.#timer);
  }

  async #ask(): Promise<void> {
    const asked = performance.now();
    await this.#connection.query('SELECT 1');
    this.#provenAt = Math.max(this.#provenAt, asked);
  }
}
