/** Finds all places where a block of lines occurs in a text. */
import { linearSearch } from './linear-search.ts';

/** The lines of a text as they are compared: equal keys are equal lines. */
export interface KeyedLines {
  count: number;
  keyAt(line: number): string;
}

/** For many searches in the same text. */
export interface BlockIndex {
  /** The lines, from 0 and in rising order, at which the keys follow one another. */
  placesOf(keys: readonly string[]): number[];
}

/**
 * Looks for a block at the places of its rarest line or, when all of its lines are frequent, goes through the text
 * once: the cost of a search never exceeds a small multiple of the text's lines.
 */
export function blockIndex(text: KeyedLines): BlockIndex {
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
      const block = keys.map((key) => numbers.get(key) ?? -1);
      if (block.length === 0 || block.includes(-1)) return [];
      let rarest = 0;
      for (let index = 1; index < block.length; index++) {
        if (howOften(block[index]!) < howOften(block[rarest]!)) rarest = index;
      }
      const id = block[rarest]!;
      if (howOften(id) * block.length > ids.length) return linearSearch(ids, block, true);
      return Array.from(lines.subarray(starts[id], starts[id + 1]), (line) => line - rarest).filter((place) =>
        block.every((wanted, index) => ids[place + index] === wanted),
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
