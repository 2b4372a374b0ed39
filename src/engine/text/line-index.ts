/** Finds all places where a run of lines stands in a text, for many runs in the same text. */

/** The lines of a text as they are compared: equal keys are equal lines. */
export interface KeyedLines {
  count: number;
  keyAt(line: number): string;
}

export interface LineIndex {
  /** The lines, from 0 and in rising order, at which the keys stand one after the other. */
  placesOf(keys: readonly string[]): number[];
}

/**
 * A run is looked for at the places of its rarest line, or, when all of its lines are frequent, by going through
 * the text once: the cost of a search never exceeds a small multiple of the text's lines.
 */
export function lineIndex(text: KeyedLines): LineIndex {
  const numbers = new Map<string, number>();
  const ids = Int32Array.from({ length: text.count }, (_, line) => {
    const key = text.keyAt(line);
    const known = numbers.get(key);
    if (known === undefined) numbers.set(key, numbers.size);
    return known ?? numbers.size - 1;
  });
  const { starts, lines } = linesById(ids, numbers.size);
  const howOften = (id: number): number => starts[id + 1]! - starts[id]!;

  return {
    placesOf(keys) {
      const run = keys.map((key) => numbers.get(key) ?? -1);
      if (run.length === 0 || run.includes(-1)) return [];
      let rarest = 0;
      for (let index = 1; index < run.length; index++) {
        if (howOften(run[index]!) < howOften(run[rarest]!)) rarest = index;
      }
      const id = run[rarest]!;
      if (howOften(id) * run.length > ids.length) return placesByScan(run, ids);
      return Array.from(lines.subarray(starts[id], starts[id + 1]), (line) => line - rarest).filter((place) =>
        run.every((wanted, index) => ids[place + index] === wanted),
      );
    },
  };
}

/** The lines of each id, one id after the other; `starts` says where those of each begin. */
function linesById(ids: Int32Array, distinct: number): { starts: Int32Array; lines: Int32Array } {
  const starts = new Int32Array(distinct + 1);
  for (const id of ids) starts[id + 1]!++;
  for (let id = 0; id < distinct; id++) starts[id + 1]! += starts[id]!;
  const next = starts.slice();
  const lines = new Int32Array(ids.length);
  for (let line = 0; line < ids.length; line++) lines[next[ids[line]!]!++] = line;
  return { starts, lines };
}

/** Knuth-Morris-Pratt: no line is looked at again after a mismatch. */
function placesByScan(run: readonly number[], ids: Int32Array): number[] {
  const fallback = fallbacks(run);
  const places: number[] = [];
  let matched = 0;
  for (let line = 0; line < ids.length; line++) {
    while (matched > 0 && run[matched] !== ids[line]) matched = fallback[matched - 1]!;
    if (run[matched] === ids[line]) matched++;
    if (matched < run.length) continue;
    places.push(line - run.length + 1);
    matched = fallback[matched - 1]!;
  }
  return places;
}

/** For each length, how long a beginning of the run also ends there. */
function fallbacks(run: readonly number[]): Int32Array {
  const lengths = new Int32Array(run.length);
  for (let index = 1, matched = 0; index < run.length; index++) {
    while (matched > 0 && run[index] !== run[matched]) matched = lengths[matched - 1]!;
    if (run[index] === run[matched]) matched++;
    lengths[index] = matched;
  }
  return lengths;
}
