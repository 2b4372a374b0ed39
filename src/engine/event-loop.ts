/** Lets other calls run while long work goes on, and notices when the call was cancelled. */
import { fail } from './failures.ts';

/** How long one turn of the event loop may take before whoever breathes lets the next one begin. */
const TURN_MS = 10;

/** When the present turn began to work for calls; all calls together share its time. */
let began: number | undefined;

/** Waits for the next turn of the event loop when this one has lasted long enough. */
export function turnEnded(): Promise<void> | undefined {
  const now = performance.now();
  if (began === undefined) {
    began = now;
    setImmediate(() => {
      began = undefined;
    });
    return undefined;
  }
  if (now - began < TURN_MS) return undefined;
  return new Promise<void>((resolve) => setImmediate(resolve));
}

export class Breathing {
  readonly #signal: AbortSignal | undefined;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  /** Whether a pause would be one: to ask costs less than to wait for nothing. */
  get isDue(): boolean {
    return began === undefined || performance.now() - began >= TURN_MS;
  }

  async pause(): Promise<void> {
    const ended = turnEnded();
    if (ended === undefined) return;
    await ended;
    if (this.#signal?.aborted) fail({ kind: 'cancelled' });
  }
}

/** So many items are gone through between two looks at the clock. */
export const ITEMS_A_LOOK = 1024;

/** The same as `items.map(change)`, in as many turns as it takes. */
export async function mapInTurns<T, R>(
  items: readonly T[],
  breathing: Breathing,
  change: (item: T, index: number) => R,
): Promise<R[]> {
  const changed: R[] = [];
  for (const [index, item] of items.entries()) {
    if (index % ITEMS_A_LOOK === 0) await breathing.pause();
    changed.push(change(item, index));
  }
  return changed;
}

/** The same as a stable `toSorted`, in as many turns as it takes. */
export async function sortedInTurns<T>(
  items: readonly T[],
  breathing: Breathing,
  compare: (a: T, b: T) => number,
): Promise<T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += ITEMS_A_LOOK) {
    await breathing.pause();
    runs.push(items.slice(at, at + ITEMS_A_LOOK).sort(compare));
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      const [a, b] = [runs[i]!, runs[i + 1]];
      merged.push(b ? await mergedInTurns(a, b, breathing, compare) : a);
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

/** Two lists that are in order, as one. */
export async function mergedInTurns<T>(
  a: readonly T[],
  b: readonly T[],
  breathing: Breathing,
  compare: (a: T, b: T) => number,
  limit: number = Number.POSITIVE_INFINITY,
): Promise<T[]> {
  const merged: T[] = [];
  let i = 0;
  let j = 0;
  while (merged.length < limit && (i < a.length || j < b.length)) {
    if (merged.length % ITEMS_A_LOOK === 0) await breathing.pause();
    const takeFirst = j >= b.length || (i < a.length && compare(a[i]!, b[j]!) <= 0);
    merged.push(takeFirst ? a[i++]! : b[j++]!);
  }
  return merged;
}

/** Waits for all of them, and then fails as the first one that failed: nothing goes on behind the caller's back. */
export async function allDone(work: Iterable<Promise<unknown>>): Promise<void> {
  for (const each of await Promise.allSettled(work)) if (each.status === 'rejected') throw each.reason;
}
