/** Finds all places where a block of lines occurs in a text. */
import { linearSearch } from './linear-search.ts';

/** The lines of a text, each with a key: lines with equal keys are equal. */
export interface KeyedLines {
  count: number;
  keyAt(line: number): string;
}

/** An index for many searches in the same text. */
export interface BlockIndex {
  /** The lines, counted from 0 and in ascending order, at which a block with these keys begins. */
  placesOf(keys: readonly string[]): number[];
}

/**
 * Looks for a block where its rarest line occurs or, if all of its lines are frequent, scans the text once. So a search
 * never costs more than a small multiple of the text's lines.
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

/** The lines grouped by id; `starts` says where the group of each id begins. */
function linesById(ids: Int32Array, distinct: number): { starts: Int32Array; lines: Int32Array } {
  const starts = new Int32Array(distinct + 1);
  for (const id of ids) starts[id + 1]!++;
  for (let id = 0; id < distinct; id++) starts[id + 1]! += starts[id]!;
  const next = starts.slice();
  const lines = new Int32Array(ids.length);
  for (let line = 0; line < ids.length; line++) lines[next[ids[line]!]!++] = line;
  return { starts, lines };
}
