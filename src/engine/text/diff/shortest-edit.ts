/**
 * Finds the shortest edit between two regions of lines by Myers' algorithm, with a bound on its cost.
 *
 * A region that needs too many steps is split where the search got furthest. The edit may then be longer than the
 * shortest one, but it is never wrong.
 */

/** A region of old lines against a region of new lines; the ends are exclusive. */
export interface Region {
  oldFrom: number;
  oldTo: number;
  newFrom: number;
  newTo: number;
}

/** Called for every pair of lines that is kept. */
export type Keep = (oldLine: number, newLine: number) => void;

/** How many diagonals all searches together may examine; after that, each search takes only FEWEST_STEPS. */
const BUDGET = 12_000_000;
/** How many steps one search may take. Each step examines one more diagonal than the step before. */
const FEWEST_STEPS = 64;
const MOST_STEPS = 2048;

export function isOneSided(region: Region): boolean {
  return region.oldFrom === region.oldTo || region.newFrom === region.newTo;
}

/** Keeps the lines that are equal at both ends of a region, and narrows it to what is left. */
export function keepEqualEnds(oldIds: Int32Array, newIds: Int32Array, region: Region, keep: Keep): void {
  while (!isOneSided(region) && oldIds[region.oldFrom] === newIds[region.newFrom]) {
    keep(region.oldFrom++, region.newFrom++);
  }
  while (!isOneSided(region) && oldIds[region.oldTo - 1] === newIds[region.newTo - 1]) {
    keep(--region.oldTo, --region.newTo);
  }
}

/** Compares regions by Myers' algorithm, without the lines that do not occur on the other side. */
export function shortestEdit(oldIds: Int32Array, newIds: Int32Array, distinct: number, keep: Keep) {
  const inOld = new Uint8Array(distinct);
  const inNew = new Uint8Array(distinct);
  const budget = { left: BUDGET };
  return ({ oldFrom, oldTo, newFrom, newTo }: Region): void => {
    for (let line = oldFrom; line < oldTo; line++) inOld[oldIds[line]!] = 1;
    for (let line = newFrom; line < newTo; line++) inNew[newIds[line]!] = 1;
    const oldLines = linesWith(oldIds, oldFrom, oldTo, inNew);
    const newLines = linesWith(newIds, newFrom, newTo, inOld);
    for (let line = oldFrom; line < oldTo; line++) inOld[oldIds[line]!] = 0;
    for (let line = newFrom; line < newTo; line++) inNew[newIds[line]!] = 0;
    if (oldLines.length === 0) return;
    const left = oldLines.map((line) => oldIds[line]!);
    const right = newLines.map((line) => newIds[line]!);
    const split = splitter(left, right, budget);
    const keepShared: Keep = (oldIndex, newIndex) => keep(oldLines[oldIndex]!, newLines[newIndex]!);
    const open: Region[] = [{ oldFrom: 0, oldTo: left.length, newFrom: 0, newTo: right.length }];
    for (let region = open.pop(); region !== undefined; region = open.pop()) {
      keepEqualEnds(left, right, region, keepShared);
      if (isOneSided(region)) continue;
      const [oldCut, newCut] = split(region);
      open.push({ ...region, oldFrom: oldCut, newFrom: newCut });
      open.push({ ...region, oldTo: oldCut, newTo: newCut });
    }
  };
}

function linesWith(ids: Int32Array, from: number, to: number, wanted: Uint8Array): Int32Array {
  const lines = new Int32Array(to - from);
  let count = 0;
  for (let line = from; line < to; line++) {
    if (wanted[ids[line]!] === 1) lines[count++] = line;
  }
  return lines.subarray(0, count);
}

type Point = readonly [oldLine: number, newLine: number];

/**
 * Finds a point through which a short edit passes: two searches, one from the start and one from the end, step
 * along the diagonals (old line minus new line) until they meet or run out of steps.
 */
function splitter(left: Int32Array, right: Int32Array, budget: { left: number }) {
  const lines = left.length + right.length;
  // Diagonals run from -right.length to left.length; the loops read one more on either side.
  const middle = right.length + 1;
  const ahead = new Int32Array(lines + 3);
  const back = new Int32Array(lines + 3);

  return ({ oldFrom, oldTo, newFrom, newTo }: Region): Point => {
    const lowest = oldFrom - newTo;
    const highest = oldTo - newFrom;
    const start = oldFrom - newFrom;
    const end = oldTo - newTo;
    const meetsAhead = ((start - end) & 1) !== 0;
    let aheadLow = start;
    let aheadHigh = start;
    let backLow = end;
    let backHigh = end;
    ahead[middle + start] = oldFrom;
    back[middle + end] = oldTo;

    const mostSteps = Math.max(FEWEST_STEPS, Math.min(MOST_STEPS, budget.left / lines));
    for (let step = 1; step <= mostSteps; step++) {
      budget.left -= 2 * step;
      if (aheadLow > lowest) ahead[middle + --aheadLow - 1] = -1;
      else aheadLow++;
      if (aheadHigh < highest) ahead[middle + ++aheadHigh + 1] = -1;
      else aheadHigh--;
      for (let diagonal = aheadHigh; diagonal >= aheadLow; diagonal -= 2) {
        const at = middle + diagonal;
        let line = Math.max(ahead[at - 1]! + 1, ahead[at + 1]!);
        while (line < oldTo && line - diagonal < newTo && left[line] === right[line - diagonal]) line++;
        ahead[at] = line;
        if (meetsAhead && diagonal >= backLow && diagonal <= backHigh && back[at]! <= line) {
          return [line, line - diagonal];
        }
      }
      if (backLow > lowest) back[middle + --backLow - 1] = oldTo + 1;
      else backLow++;
      if (backHigh < highest) back[middle + ++backHigh + 1] = oldTo + 1;
      else backHigh--;
      for (let diagonal = backHigh; diagonal >= backLow; diagonal -= 2) {
        const at = middle + diagonal;
        let line = Math.min(back[at - 1]!, back[at + 1]! - 1);
        while (line > oldFrom && line - diagonal > newFrom && left[line - 1] === right[line - diagonal - 1])
          line--;
        back[at] = line;
        if (!meetsAhead && diagonal >= aheadLow && diagonal <= aheadHigh && line <= ahead[at]!) {
          return [line, line - diagonal];
        }
      }
    }
    return furthest({ oldFrom, oldTo, newFrom, newTo }, ahead, middle, aheadLow, aheadHigh);
  };
}

/** The point within the region at which the search from the start has passed the most lines. */
function furthest(
  { oldFrom, oldTo, newFrom, newTo }: Region,
  ahead: Int32Array,
  middle: number,
  low: number,
  high: number,
): Point {
  let best: Point = [oldFrom, newFrom];
  for (let diagonal = high; diagonal >= low; diagonal -= 2) {
    const line = Math.min(ahead[middle + diagonal]!, oldTo, newTo + diagonal);
    if (line + line - diagonal > best[0] + best[1]) best = [line, line - diagonal];
  }
  return best;
}
