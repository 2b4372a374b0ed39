/** What somebody may have meant who mistyped a name. */

/** The name that is nearest, when it is near enough to be what was meant. */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  const most = typed.length <= 3 ? 1 : typed.length <= 8 ? 2 : 3;
  const lower = typed.toLowerCase();
  let best: string | undefined;
  let least = most + 1;
  for (const name of names) {
    const distance = editDistance(lower, name.toLowerCase());
    // A short name that has to be typed anew is no slip of the finger.
    if (distance < least && distance < name.length) {
      best = name;
      least = distance;
    }
  }
  return best ?? onlyOneThatBegins(lower, names);
}

/** `; did you mean NAME?`, or nothing. */
export function didYouMean(typed: string, names: readonly string[], prefix = ''): string {
  const meant = nearest(typed, names);
  return meant === undefined ? '' : `; did you mean ${prefix}${meant}?`;
}

/** The name that was meant, if any, and all that there are: `; did you mean X? The tools are: X, Y`. */
export function namesInstead(typed: string, what: string, names: readonly string[]): string {
  const meant = didYouMean(typed, names);
  return `${meant === '' ? '; the' : `${meant} The`} ${what} are: ${names.join(', ')}`;
}

function onlyOneThatBegins(typed: string, names: readonly string[]): string | undefined {
  const fitting = typed.length < 3 ? [] : names.filter((name) => name.startsWith(typed));
  return fitting.length === 1 ? fitting[0] : undefined;
}

/** How many letters were left out, added, mistaken or swapped with their neighbour. */
function editDistance(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1];
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        cost = Math.min(cost, beforeLast[j - 2]! + 1);
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return last[other.length]!;
}
