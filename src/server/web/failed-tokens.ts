/** Wrong tokens are answered ever more slowly, by address. A right token is never slowed down. */
const FREE_FAILURES = 5;
const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 5_000;
const FORGOTTEN_AFTER_MS = 60_000;
/** The oldest is forgotten for a new one: whoever has this many addresses is not stopped by slowness anyway. */
const MOST_ADDRESSES = 4096;

interface Failures {
  count: number;
  last: number;
}

export class FailedTokens {
  /** In the order of their last failure. */
  readonly #byAddress = new Map<string, Failures>();

  /** Notes a failure and gives how long its answer is to be held back. */
  note(address: string, now: number): { delayMs: number; count: number } {
    const key = networkOf(address);
    const before = this.#byAddress.get(key);
    const count = before && now - before.last < FORGOTTEN_AFTER_MS ? before.count + 1 : 1;
    this.#byAddress.delete(key);
    this.#byAddress.set(key, { count, last: now });
    if (this.#byAddress.size > MOST_ADDRESSES) this.#byAddress.delete(this.#byAddress.keys().next().value!);
    return { delayMs: delayAfter(count), count };
  }

  get size(): number {
    return this.#byAddress.size;
  }
}

function delayAfter(count: number): number {
  if (count <= FREE_FAILURES) return 0;
  return Math.min(FIRST_DELAY_MS * 2 ** (count - FREE_FAILURES - 1), LONGEST_DELAY_MS);
}

/** One holder of an IPv6 network has all of its addresses. */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address;
  const [head = '', tail = ''] = address.split('::');
  const left = head.split(':');
  const missing = 8 - left.length - (tail === '' ? 0 : tail.split(':').length);
  return [...left, ...Array<string>(Math.max(missing, 0)).fill('0')].slice(0, 4).join(':');
}
