/** Writes only the beginning of a value as JSON: the value may have many megabytes. */

/** At least `most` characters if the JSON has that many; undefined for a value that has no JSON. */
export function jsonBeginning(value: unknown, most: number): string | undefined {
  let left = most;
  const shortened = (each: unknown): unknown => {
    left--;
    if (typeof each === 'string') {
      left -= each.length;
      return each.slice(0, most);
    }
    if (typeof each !== 'object' || each === null) return each;
    if (Array.isArray(each)) return listed(each);
    const members: [string, unknown][] = [];
    for (const name in each) {
      if (left < 0) break;
      left -= name.length;
      members.push([name.slice(0, most), shortened((each as Record<string, unknown>)[name])]);
    }
    return Object.fromEntries(members);
  };
  const listed = (items: readonly unknown[]): unknown[] => {
    const first: unknown[] = [];
    for (const item of items) {
      if (left < 0) break;
      first.push(shortened(item));
    }
    return first;
  };
  try {
    return JSON.stringify(shortened(value));
  } catch {
    // The value is nested too deeply for the stack.
    return undefined;
  }
}
