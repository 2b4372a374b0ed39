/** Changes to a text as a list of pieces: only what is named changes, everything else stays as it is. */
export interface Splice {
  start: number;
  end: number;
  text: string;
}

/** Splices in order. There may be millions of them, so they need not exist all at once. */
export interface Splices extends Iterable<Splice> {
  readonly length: number;
}

/** Makes each splice when it is asked for: an object for each would fill the memory. */
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

/** The same splices, each changed when it is asked for. */
export function mapSplices(splices: Splices, change: (splice: Splice) => Splice): Splices {
  return {
    length: splices.length,
    *[Symbol.iterator]() {
      for (const splice of splices) yield change(splice);
    },
  };
}

/** Pieces that are kept apart: each takes more memory than the few characters that it may hold. */
const MOST_APART = 64 * 1024;

/** Applies splices that are in order and do not overlap. */
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
