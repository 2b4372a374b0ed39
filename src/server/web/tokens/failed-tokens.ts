/** Delays the answers to wrong tokens, longer with each one from the same network. A valid token is never delayed. */
import { networkOf } from '../network.ts';

const FREE_FAILURES = 5;
const MIN_DELAY_MS = 100;
const MAX_DELAY_MS = 5_000;
const FORGET_AFTER_MS = 60_000;
/** With more networks, the oldest is forgotten: delays do not stop an attacker with that many anyway. */
const MAX_NETWORKS = 4096;

interface Failures {
  count: number;
  last: number;
}

export class FailedTokens {
  /** The failures by network, in the order of the last failure. */
  readonly #byNetwork = new Map<string, Failures>();

  /** Records a failure and gives how long to delay its answer. */
  record(address: string, now: number): { delayMs: number; count: number } {
    const network = networkOf(address);
    const before = this.#byNetwork.get(network);
    const count = before && now - before.last < FORGET_AFTER_MS ? before.count + 1 : 1;
    this.#byNetwork.delete(network);
    this.#byNetwork.set(network, { count, last: now });
    if (this.#byNetwork.size > MAX_NETWORKS) this.#byNetwork.delete(this.#byNetwork.keys().next().value!);
    return { delayMs: delayAfter(count), count };
  }

  get size(): number {
    return this.#byNetwork.size;
  }
}

function delayAfter(count: number): number {
  if (count <= FREE_FAILURES) return 0;
  return Math.min(MIN_DELAY_MS * 2 ** (count - FREE_FAILURES - 1), MAX_DELAY_MS);
}
