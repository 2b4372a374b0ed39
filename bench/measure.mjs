/** Times contestants against each other in one run. They take turns, so a busy machine is equally unfair to all. */
import { performance } from 'node:perf_hooks';

/** How long something takes, in milliseconds. */
export async function timed(doing) {
  const start = performance.now();
  await doing();
  return performance.now() - start;
}

/**
 * Gives each contestant, a function that returns milliseconds, a turn in every round, and reverses the order from round
 * to round. The first round only warms up. Stops early when `patience` milliseconds have passed.
 */
export async function inTurn(contestants, { rounds, patience = 60_000 }) {
  const names = Object.keys(contestants);
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  const until = performance.now() + patience;
  for (let round = 0; round <= rounds; round++) {
    const order = round % 2 === 0 ? names : names.toReversed();
    const times = {};
    for (const name of order) times[name] = await contestants[name]();
    const late = performance.now() > until;
    if (round > 0 || late) for (const name of names) samples[name].push(times[name]);
    if (late) break;
  }
  return Object.fromEntries(names.map((name) => [name, timing(samples[name])]));
}

/** How many times as long the first of two timings takes, over the same rounds. */
export function ratioOf(ours, theirs) {
  const pairs = ours.samples.map((ms, index) => ms / theirs.samples[index]);
  return { best: ours.best / theirs.best, median: median(pairs) };
}

/** The samples, their minimum and their median. */
export function timing(samples) {
  return { best: Math.min(...samples), median: median(samples), samples };
}

export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
