/**
 * Finds which lines of two texts are kept and which change. A line is a number here: equal lines have equal numbers.
 *
 * Lines that occur once on each side anchor the comparison, as in a patience diff: this keeps blocks of code together
 * and splits large texts into small regions. Between anchors it finds the shortest edit that the budget allows.
 */

import type { LineIds } from './line-ids.ts';
import { isOneSided, type Keep, keepEqualEnds, type Region, shortestEdit } from './shortest-edit.ts';

/** One mark for each line: 1 if it is removed (old) or added (new), 0 if it is kept. */
export interface ChangedLines {
  old: Uint8Array;
  new: Uint8Array;
}

/** How many times to look for further anchors between anchors. Each round costs one pass over the lines. */
const ANCHOR_ROUNDS = 6;

export function changedLines({ old: oldIds, new: newIds, distinct }: LineIds): ChangedLines {
  const changed = {
    old: new Uint8Array(oldIds.length).fill(1),
    new: new Uint8Array(newIds.length).fill(1),
  };
  const keep: Keep = (oldLine, newLine) => {
    changed.old[oldLine] = 0;
    changed.new[newLine] = 0;
  };
  const findAnchors = anchorFinder(oldIds, newIds, distinct);
  const shortest = shortestEdit(oldIds, newIds, distinct, keep);
  const open: { region: Region; round: number }[] = [
    { region: { oldFrom: 0, oldTo: oldIds.length, newFrom: 0, newTo: newIds.length }, round: 0 },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { region, round } = next;
    keepEqualEnds(oldIds, newIds, region, keep);
    if (isOneSided(region)) continue;
    const anchors = round < ANCHOR_ROUNDS ? findAnchors(region) : undefined;
    if (anchors === undefined || anchors.count === 0) {
      shortest(region);
      continue;
    }
    for (const between of regionsBetween(anchors, region, keep)) {
      open.push({ region: between, round: round + 1 });
    }
  }
  slideDown(oldIds, changed.old, changed.new);
  slideDown(newIds, changed.new, changed.old);
  return changed;
}

/** The runs of changed lines: old lines that are removed, and the new lines that replace them. */
export function changedRuns(changed: ChangedLines): Region[] {
  const runs: Region[] = [];
  let oldAt = 0;
  let newAt = 0;
  while (oldAt < changed.old.length || newAt < changed.new.length) {
    const oldFrom = oldAt;
    const newFrom = newAt;
    while (changed.old[oldAt] === 1) oldAt++;
    while (changed.new[newAt] === 1) newAt++;
    if (oldAt > oldFrom || newAt > newFrom) runs.push({ oldFrom, oldTo: oldAt, newFrom, newTo: newAt });
    oldAt++;
    newAt++;
  }
  return runs;
}

/** Pairs of an old and a new line, in ascending order on both sides. */
interface Anchors {
  count: number;
  old: Int32Array;
  new: Int32Array;
}

/** Finds the lines that occur exactly once on each side of a region and have the same order on both. */
function anchorFinder(oldIds: Int32Array, newIds: Int32Array, distinct: number) {
  const oldCount = new Int32Array(distinct);
  const newCount = new Int32Array(distinct);
  const newPlace = new Int32Array(distinct);
  return ({ oldFrom, oldTo, newFrom, newTo }: Region): Anchors => {
    for (let line = oldFrom; line < oldTo; line++) oldCount[oldIds[line]!]!++;
    for (let line = newFrom; line < newTo; line++) {
      newCount[newIds[line]!]!++;
      newPlace[newIds[line]!] = line;
    }
    const most = Math.min(oldTo - oldFrom, newTo - newFrom);
    const unique = { count: 0, old: new Int32Array(most), new: new Int32Array(most) };
    for (let line = oldFrom; line < oldTo; line++) {
      const id = oldIds[line]!;
      if (oldCount[id] !== 1 || newCount[id] !== 1) continue;
      unique.old[unique.count] = line;
      unique.new[unique.count++] = newPlace[id]!;
    }
    for (let line = oldFrom; line < oldTo; line++) oldCount[oldIds[line]!] = 0;
    for (let line = newFrom; line < newTo; line++) newCount[newIds[line]!] = 0;
    return longestRising(unique);
  };
}

/** The longest subsequence of pairs whose new lines ascend as the old ones do. */
function longestRising(pairs: Anchors): Anchors {
  /** For each length, the pair with the smallest new line that ends such a subsequence. */
  const ends = new Int32Array(pairs.count);
  const before = new Int32Array(pairs.count);
  let length = 0;
  for (let index = 0; index < pairs.count; index++) {
    const newLine = pairs.new[index]!;
    let low = 0;
    let high = length;
    if (length > 0 && pairs.new[ends[length - 1]!]! < newLine) low = length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (pairs.new[ends[middle]!]! < newLine) low = middle + 1;
      else high = middle;
    }
    before[index] = low > 0 ? ends[low - 1]! : -1;
    ends[low] = index;
    if (low === length) length++;
  }
  const rising = { count: length, old: new Int32Array(length), new: new Int32Array(length) };
  let index = length > 0 ? ends[length - 1]! : -1;
  for (let place = length - 1; place >= 0; place--) {
    rising.old[place] = pairs.old[index]!;
    rising.new[place] = pairs.new[index]!;
    index = before[index]!;
  }
  return rising;
}

/** Keeps the anchors, and returns the regions between them that still have to be compared. */
function regionsBetween(anchors: Anchors, { oldFrom, oldTo, newFrom, newTo }: Region, keep: Keep): Region[] {
  const between: Region[] = [];
  let oldAt = oldFrom;
  let newAt = newFrom;
  for (let index = 0; index < anchors.count; index++) {
    const oldLine = anchors.old[index]!;
    const newLine = anchors.new[index]!;
    keep(oldLine, newLine);
    if (oldLine > oldAt && newLine > newAt) {
      between.push({ oldFrom: oldAt, oldTo: oldLine, newFrom: newAt, newTo: newLine });
    }
    oldAt = oldLine + 1;
    newAt = newLine + 1;
  }
  between.push({ oldFrom: oldAt, oldTo, newFrom: newAt, newTo });
  return between;
}

/**
 * Moves lines that were only removed, or only added, as far down as equal lines allow, and joins them with the next
 * change that they meet. A repeated block then shows as added after the first one, as in other tools.
 */
function slideDown(ids: Int32Array, changed: Uint8Array, otherChanged: Uint8Array): void {
  let other = 0;
  let line = 0;
  while (line < ids.length) {
    if (changed[line] === 0) {
      while (otherChanged[other] === 1) other++;
      other++;
      line++;
      continue;
    }
    let from = line;
    let to = line;
    while (changed[to] === 1) to++;
    while (to < ids.length && otherChanged[other] !== 1 && ids[from] === ids[to]) {
      changed[from++] = 0;
      changed[to++] = 1;
      other++;
      while (changed[to] === 1) to++;
    }
    line = to;
  }
}
