/**
 * Keeps the first items by path while they arrive in any order.
 *
 * As soon as there are enough items, the search needs nothing after the path of the last of them. `bound` is that path,
 * and it only ever moves towards the beginning. So a cap truncates at the same place, whichever thread was faster.
 */
export class FirstByPath<T> {
  #bound: string | undefined;
  readonly #wanted: number;
  readonly #maxSize: number;
  #kept: { path: string; weight: number; size: number; item: T }[] = [];
  #total = 0;
  #size = 0;
  #compactAt: number;
  #compactAtSize: number;

  /**
   * `wanted` is in units of weight: matches, or entries. If items have a size, it is also enough when they reach
   * `maxSize` together, and one more item shows that there are more.
   */
  constructor(wanted: number, maxSize: number = Number.POSITIVE_INFINITY) {
    this.#wanted = wanted;
    this.#maxSize = maxSize;
    this.#compactAt = wanted;
    this.#compactAtSize = maxSize;
  }

  get bound(): string | undefined {
    return this.#bound;
  }

  add(path: string, weight: number, item: T, size: number = 0): void {
    if (this.#bound !== undefined && path > this.#bound) return;
    this.#kept.push({ path, weight, size, item });
    this.#total += weight;
    this.#size += size;
    if (this.#total >= this.#compactAt || this.#size >= this.#compactAtSize) this.#compact();
  }

  /** The items sorted by path. The last one may exceed what is wanted. */
  items(): { path: string; item: T }[] {
    if (this.#total >= this.#wanted || this.#size >= this.#maxSize) this.#compact();
    else this.#sort();
    return this.#kept;
  }

  #compact(): void {
    this.#sort();
    let total = 0;
    let size = 0;
    let count = 0;
    let enough = false;
    for (; count < this.#kept.length && !enough; count++) {
      const { weight, size: own } = this.#kept[count]!;
      enough = size >= this.#maxSize || total + weight >= this.#wanted;
      total += weight;
      size += own;
    }
    this.#kept.length = count;
    this.#total = total;
    this.#size = size;
    if (enough) this.#bound = this.#kept[count - 1]!.path;
    this.#compactAt = total + Math.max(64, this.#wanted >> 2);
    this.#compactAtSize = size + this.#maxSize / 4;
  }

  #sort(): void {
    this.#kept.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  }
}
