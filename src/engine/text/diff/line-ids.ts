/** Numbers the lines of two texts, equal lines with equal numbers, without making a string of each. */

import { lineAt, type TextLines } from './text-lines.ts';

export interface LineIds {
  old: Int32Array;
  new: Int32Array;
  /** How many different lines there are; all numbers are smaller. */
  distinct: number;
}

/** A random start value: otherwise somebody could craft lines that all hash to one slot of the table. */
const HASH_START = Math.floor(Math.random() * 2 ** 31);

/** Numbers the first `oldCount` lines of one text and the first `newCount` lines of another. */
export function numberLines(
  oldLines: TextLines,
  oldCount: number,
  newLines: TextLines,
  newCount: number,
): LineIds {
  const seen = seenLines(oldCount + newCount);
  const ids = { old: new Int32Array(oldCount), new: new Int32Array(newCount), distinct: 0 };
  for (let line = 0; line < oldCount; line++) ids.old[line] = seen.idOf(oldLines, line);
  // The next new line usually equals the next old one: comparing the two is cheaper than looking it up.
  let next = 0;
  for (let line = 0; line < newCount; line++) {
    if (next < oldCount && lineAt(oldLines, next) === lineAt(newLines, line)) {
      ids.new[line] = ids.old[next++]!;
      continue;
    }
    const id = seen.idOf(newLines, line);
    ids.new[line] = id;
    next = seen.firstLineOf(id, oldLines, next) + 1;
  }
  ids.distinct = seen.count();
  return ids;
}

/** A hash table of lines that stores positions in the texts instead of strings. */
function seenLines(most: number) {
  const slots = 2 ** Math.ceil(Math.log2(most * 2 + 2));
  /** The number in each slot plus 1; 0 for an empty slot. */
  const table = new Int32Array(slots);
  const hashes = new Int32Array(most);
  const firstLine = new Int32Array(most);
  const firstText: TextLines[] = [];

  const idOf = (lines: TextLines, line: number): number => {
    const hash = hashOf(lines, line);
    let slot = hash & (slots - 1);
    for (let entry = table[slot]!; entry !== 0; entry = table[slot]!) {
      const id = entry - 1;
      if (hashes[id] === hash && lineAt(firstText[id]!, firstLine[id]!) === lineAt(lines, line)) return id;
      slot = (slot + 1) & (slots - 1);
    }
    const id = firstText.push(lines) - 1;
    table[slot] = id + 1;
    hashes[id] = hash;
    firstLine[id] = line;
    return id;
  };

  return {
    idOf,
    /** Where a line first occurred in a text, or `otherwise` if it first occurred in the other one. */
    firstLineOf: (id: number, text: TextLines, otherwise: number): number =>
      firstText[id] === text ? firstLine[id]! : otherwise,
    count: () => firstText.length,
  };
}

function hashOf({ text, starts }: TextLines, line: number): number {
  let hash = HASH_START;
  const end = starts[line + 1]!;
  for (let at = starts[line]!; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash ^ (hash >>> 15);
}
