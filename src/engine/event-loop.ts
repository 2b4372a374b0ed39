/** Lets other calls run while long work continues, and notices when the call was cancelled. */
import { failIfCancelled } from './failures.ts';

/** How long one turn of the event loop may take before long work yields to the next one. */
const TURN_MS = 10;

/** When the current turn began to work for calls; all calls together share its time. */
let began: number | undefined;

/** Waits for the next turn of the event loop when this one has lasted long enough; undefined when it has not. */
export function yieldIfDue(): Promise<void> | undefined {
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

/**
 * Waits for a turn in which nothing has run yet. After an I/O callback one wait is not enough: the event loop runs its
 * waiting work in the same turn.
 */
export async function nextTurn(): Promise<void> {
  for (let waits = 0; waits < 2; waits++) await new Promise<void>((resolve) => setImmediate(resolve));
}

export class Yielder {
  readonly #signal: AbortSignal | undefined;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  /** Whether a pause is due. Checking this costs less than waiting for nothing. */
  get isDue(): boolean {
    return began === undefined || performance.now() - began >= TURN_MS;
  }

  /** Undefined when no pause is due, so that short work continues without waiting for a promise. */
  pause(): Promise<void> | undefined {
    const ended = yieldIfDue();
    return ended && this.#after(ended);
  }

  async #after(ended: Promise<void>): Promise<void> {
    await ended;
    failIfCancelled(this.#signal);
  }
}

/** Work that can be interrupted and continued wherever it yields. */
export type Steps<T> = Generator<unknown, T>;

/** Runs all steps in one turn. */
export function atOnce<T>(steps: Steps<T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

/**
 * Runs the steps in as many turns as it takes, and without a promise if one turn is enough. A cancelled call ends the
 * work where it is.
 */
export function inTurns<T>(steps: Steps<T>, yielder: Yielder): T | Promise<T> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    const due = yielder.isDue ? yielder.pause() : undefined;
    if (due) return inLaterTurns(steps, yielder, due);
  }
}

async function inLaterTurns<T>(steps: Steps<T>, yielder: Yielder, due: Promise<void>): Promise<T> {
  await pauseIn(steps, due);
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    const nextDue = yielder.isDue ? yielder.pause() : undefined;
    if (nextDue) await pauseIn(steps, nextDue);
  }
}

async function pauseIn(steps: Steps<unknown>, due: Promise<void>): Promise<void> {
  try {
    await due;
  } catch (error) {
    // The work cleans up what it holds, as for any other failure.
    steps.throw(error);
    throw error;
  }
}

/** How many items are handled between two checks of the clock. */
export const ITEMS_PER_CHECK = 1024;

/** The same as `items.map(change)`, in as many turns as it takes. */
export async function mapInTurns<T, R>(
  items: readonly T[],
  yielder: Yielder,
  change: (item: T, index: number) => R,
): Promise<R[]> {
  const changed: R[] = [];
  for (let index = 0; index < items.length; index++) {
    if (index % ITEMS_PER_CHECK === 0 && yielder.isDue) await yielder.pause();
    changed.push(change(items[index]!, index));
  }
  return changed;
}

/** The same as `items.filter(isKept)`, in as many turns as it takes. */
export async function filteredInTurns<T>(
  items: readonly T[],
  yielder: Yielder,
  isKept: (item: T, index: number) => boolean,
): Promise<T[]> {
  const kept: T[] = [];
  for (let index = 0; index < items.length; index++) {
    if (index % ITEMS_PER_CHECK === 0 && yielder.isDue) await yielder.pause();
    if (isKept(items[index]!, index)) kept.push(items[index]!);
  }
  return kept;
}

/** The same as `text.split(separator)`, in as many turns as it takes. */
export async function splitInTurns(text: string, separator: string, yielder: Yielder): Promise<string[]> {
  const parts: string[] = [];
  for (let from = 0; ; ) {
    if (parts.length % ITEMS_PER_CHECK === 0) await yielder.pause();
    const end = text.indexOf(separator, from);
    parts.push(end < 0 ? text.slice(from) : text.slice(from, end));
    if (end < 0) return parts;
    from = end + separator.length;
  }
}

/** The same as `texts.join(separator)`, in as many turns as it takes. */
export async function joinedInTurns(
  texts: readonly string[],
  separator: string,
  yielder: Yielder,
): Promise<string> {
  if (texts.length <= ITEMS_PER_CHECK) return texts.join(separator);
  const parts: string[] = [];
  for (let at = 0; at < texts.length; at += ITEMS_PER_CHECK) {
    parts.push(texts.slice(at, at + ITEMS_PER_CHECK).join(separator));
    await yielder.pause();
  }
  return parts.join(separator);
}

/** The same as a stable `toSorted`, in as many turns as it takes. */
export async function sortedInTurns<T>(
  items: readonly T[],
  yielder: Yielder,
  compare: (a: T, b: T) => number,
): Promise<T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += ITEMS_PER_CHECK) {
    await yielder.pause();
    runs.push(items.slice(at, at + ITEMS_PER_CHECK).sort(compare));
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      const [a, b] = [runs[i]!, runs[i + 1]];
      merged.push(b ? await mergedInTurns(a, b, yielder, compare) : a);
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

/** Merges two sorted lists. */
export async function mergedInTurns<T>(
  a: readonly T[],
  b: readonly T[],
  yielder: Yielder,
  compare: (a: T, b: T) => number,
  limit: number = Number.POSITIVE_INFINITY,
): Promise<T[]> {
  const merged: T[] = [];
  let i = 0;
  let j = 0;
  while (merged.length < limit && (i < a.length || j < b.length)) {
    if (merged.length % ITEMS_PER_CHECK === 0 && yielder.isDue) await yielder.pause();
    const takeFirst = j >= b.length || (i < a.length && compare(a[i]!, b[j]!) <= 0);
    merged.push(takeFirst ? a[i++]! : b[j++]!);
  }
  return merged;
}

/** Waits for all of them, and then fails with the first failure, so that no work continues after it. */
export async function allDone(work: Iterable<Promise<unknown>>): Promise<void> {
  for (const each of await Promise.allSettled(work)) if (each.status === 'rejected') throw each.reason;
}
