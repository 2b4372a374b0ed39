/** Limits requests that use memory as long as they last. No token can use the whole quota. */
import type { Refusal } from '../web/reply.ts';
import type { Grant } from '../web/tokens/tokens.ts';

export class RequestQuota {
  readonly #total: number;
  readonly #perToken: number;
  readonly #used = new Map<Grant, number>();

  constructor({ total, perToken }: { total: number; perToken: number }) {
    this.#total = total;
    this.#perToken = perToken;
  }

  /** Counts one more request, or refuses it. */
  acquire(grant: Grant): Refusal | undefined {
    const own = this.#used.get(grant) ?? 0;
    let all = 0;
    for (const count of this.#used.values()) all += count;
    if (own >= this.#perToken)
      return { status: 429, retryAfter: 1, message: 'This token has too many requests under way: try again' };
    if (all >= this.#total)
      return { status: 503, retryAfter: 1, message: 'Too many requests are under way: try again' };
    this.#used.set(grant, own + 1);
    return undefined;
  }

  release(grant: Grant): void {
    const left = (this.#used.get(grant) ?? 0) - 1;
    if (left > 0) this.#used.set(grant, left);
    else this.#used.delete(grant);
  }
}
