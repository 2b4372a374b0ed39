/** Which of many names somebody probably meant. */

const MOST_SUGGESTIONS = 3;
const MOST_CANDIDATES = 5000;

export function nearNames(wanted: string, names: readonly string[]): string[] {
  const most = Math.floor(wanted.length / 3);
  const folded = wanted.toLowerCase();
  return names
    .slice(0, MOST_CANDIDATES)
    .map((name) => ({ name, distance: distance(folded, name.toLowerCase(), most) }))
    .filter((candidate) => candidate.distance <= most)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, MOST_SUGGESTIONS)
    .map((candidate) => candidate.name);
}

/** Edits (insert, delete, change, swap of neighbours) between two words; above `most` it stops counting. */
export function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + change);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, before[j - 2]! + 1);
      }
      next.push(cost);
    }
    if (Math.min(...next) > most) return most + 1;
    before = row;
    row = next;
  }
  return row[b.length]!;
}
