/** Suggests which of many names somebody probably meant. */

const MOST_SUGGESTIONS = 3;
/** Comparing two names of 20 characters takes some 300 steps; a million steps take a few milliseconds. */
const MOST_STEPS = 1_000_000;

export function nearNames(wanted: string, names: readonly string[]): string[] {
  const most = Math.floor(wanted.length / 3);
  const folded = wanted.toLowerCase();
  const near: { name: string; distance: number }[] = [];
  let steps = 0;
  for (const name of names) {
    if (steps > MOST_STEPS) break;
    steps += 20;
    if (Math.abs(name.length - wanted.length) > most) continue;
    steps += name.length * (2 * most + 1);
    const found = distance(folded, name.toLowerCase(), most);
    if (found <= most) near.push({ name, distance: found });
  }
  return near
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, MOST_SUGGESTIONS)
    .map((candidate) => candidate.name);
}

/** Three rows of the distance table, which all comparisons reuse. */
let rows = [new Uint16Array(256), new Uint16Array(256), new Uint16Array(256)];

/** The edit distance of two words (insert, delete, change, swap neighbours), or `most + 1` if it exceeds `most`. */
export function distance(a: string, b: string, most: number): number {
  const above = most + 1;
  if (Math.abs(a.length - b.length) > most) return above;
  if (b.length >= rows[0]!.length) rows = rows.map(() => new Uint16Array(2 * b.length));
  let [before, row, next] = rows as [Uint16Array, Uint16Array, Uint16Array];
  for (let j = 0; j <= b.length; j++) row[j] = Math.min(j, above);
  for (let i = 1; i <= a.length; i++) {
    // Cells further than `most` from the diagonal cannot lead to a distance of `most` or less.
    const from = Math.max(1, i - most);
    const to = Math.min(b.length, i + most);
    next[from - 1] = from === 1 ? Math.min(i, above) : above;
    let least = next[from - 1]!;
    const letter = a.charCodeAt(i - 1);
    for (let j = from; j <= to; j++) {
      const other = b.charCodeAt(j - 1);
      const fromAbove = j === i + most ? above : row[j]!;
      let cost = Math.min(fromAbove + 1, next[j - 1]! + 1, row[j - 1]! + (letter === other ? 0 : 1));
      const swapped = i > 1 && j > 1 && letter === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === other;
      if (swapped) cost = Math.min(cost, before[j - 2]! + 1);
      next[j] = Math.min(cost, above);
      if (cost < least) least = cost;
    }
    if (least > most) return above;
    [before, row, next] = [row, next, before];
  }
  return Math.min(row[b.length]!, above);
}
