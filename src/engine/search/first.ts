/**
 * Keeps what comes first by path when results arrive in any order.
 *
 * As soon as enough is known, everything behind the last path that is still needed is out of the question:
 * `bound` is that path, and it only ever moves towards the beginning. So a cap cuts at the same place whichever
 * thread was faster.
 */
export class FirstByPath<T> {
  #bound: string | undefined;
  readonly #wanted: number;
  #kept: { path: string; weight: number; item: T }[] = [];
  #total = 0;
  #compactAt: number;

  /** `wanted` is in units of weight: matches, or entries. */
  constructor(wanted: number) {
    this.#wanted = wanted;
    this.#compactAt = wanted;
  }

  get bound(): string | undefined {
    return this.#bound;
  }

  add(path: string, weight: number, item: T): void {
    if (this.#bound !== undefined && path > this.#bound) return;
    this.#kept.push({ path, weight, item });
    this.#total += weight;
    if (this.#total >= this.#compactAt) this.#compact();
  }

  /** In the order of paths; the last one may reach beyond what is wanted. */
  items(): { path: string; item: T }[] {
    if (this.#total >= this.#wanted) this.#compact();
    else this.#sort();
    return this.#kept;
  }

  #compact(): void {
    this.#sort();
    let total = 0;
    let count = 0;
    while (count < this.#kept.length && total < this.#wanted) total += this.#kept[count++]!.weight;
    this.#kept.length = count;
    this.#total = total;
    if (total >= this.#wanted) this.#bound = this.#kept[count - 1]!.path;
    this.#compactAt = total + Math.max(64, this.#wanted >> 2);
  }

  #sort(): void {
    this.#kept.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  }
}
