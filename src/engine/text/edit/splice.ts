/** A change to a text: `text` replaces the characters from `start` to `end`, and everything else stays as it is. */
export interface Splice {
  start: number;
  end: number;
  text: string;
}

/** Splices in ascending order. There may be millions of them, so they need not all exist at once. */
export interface Splices extends Iterable<Splice> {
  readonly length: number;
}

/** Creates each splice only when it is iterated: objects for all of them would fill the memory. */
export class LazySplices implements Splices {
  readonly length: number;
  readonly #at: (index: number) => Splice;

  constructor(length: number, at: (index: number) => Splice) {
    this.length = length;
    this.#at = at;
  }

  *[Symbol.iterator](): Generator<Splice> {
    for (let index = 0; index < this.length; index++) yield this.#at(index);
  }
}

/** Maps splices while they are iterated. */
export function mapSplices(splices: Splices, change: (splice: Splice) => Splice): Splices {
  return {
    length: splices.length,
    *[Symbol.iterator]() {
      for (const splice of splices) yield change(splice);
    },
  };
}

/** How many pieces to collect before they are joined: each takes more memory than the few characters in it. */
const MOST_APART = 64 * 1024;

/** Applies splices that are in ascending order and do not overlap. */
export function applySplices(text: string, splices: Splices): string {
  const joined: string[] = [];
  let parts: string[] = [];
  let at = 0;
  for (const splice of splices) {
    parts.push(text.slice(at, splice.start), splice.text);
    at = splice.end;
    if (parts.length < MOST_APART) continue;
    joined.push(parts.join(''));
    parts = [];
  }
  return [...joined, ...parts, text.slice(at)].join('');
}
