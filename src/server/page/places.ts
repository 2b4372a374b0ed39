/** A number of places for what costs memory as long as it lasts; one token cannot take them all. */
import type { Refusal } from '../web/reply.ts';
import type { Grant } from '../web/tokens.ts';

export class Places {
  readonly #most: number;
  readonly #ofOneToken: number;
  readonly #taken = new Map<Grant, number>();

  constructor({ most, ofOneToken }: { most: number; ofOneToken: number }) {
    this.#most = most;
    this.#ofOneToken = ofOneToken;
  }

  /** Says why not, when there is none. */
  take(grant: Grant): Refusal | undefined {
    const own = this.#taken.get(grant) ?? 0;
    let all = 0;
    for (const count of this.#taken.values()) all += count;
    if (own >= this.#ofOneToken)
      return { status: 429, retryAfter: 1, message: 'This token asks for too much at once: try again' };
    if (all >= this.#most)
      return { status: 503, retryAfter: 1, message: 'Too much is asked for at once: try again' };
    this.#taken.set(grant, own + 1);
    return undefined;
  }

  leave(grant: Grant): void {
    const left = (this.#taken.get(grant) ?? 0) - 1;
    if (left > 0) this.#taken.set(grant, left);
    else this.#taken.delete(grant);
  }
}
