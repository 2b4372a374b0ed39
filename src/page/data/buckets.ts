/** Counts calls over time, in buckets whose length fits the time span. */
import type { EventRow } from './event-store.ts';

export interface Bucket {
  calls: number;
  errors: number;
  tokens: number;
  /** The median and the 95th percentile of the durations, in milliseconds; 0 without calls. */
  median: number;
  high: number;
}

export interface Timeline {
  from: number;
  /** The length of one bucket in milliseconds. */
  size: number;
  buckets: Bucket[];
  /** The median and the 95th percentile of all durations. */
  median: number;
  high: number;
}

const MAX_BUCKETS = 60;
const MIN_BUCKETS = 20;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const SIZES = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2, 7, 14, 28].map((days) => days * DAY),
];

export function bucketSize(span: number): number {
  const fitting = SIZES.find((size) => span / size <= MAX_BUCKETS);
  return fitting ?? Math.ceil(span / MAX_BUCKETS / DAY) * DAY;
}

/** Returns at least some buckets, so that the bar of a single call does not fill the chart. */
export function timelineOf(rows: readonly EventRow[]): Timeline {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const { event } of rows) {
    if (event.at < first) first = event.at;
    if (event.at > last) last = event.at;
  }
  if (rows.length === 0) return { from: 0, size: SECOND, buckets: [], median: 0, high: 0 };
  const size = bucketSize(last - first);
  const end = Math.floor(last / size);
  const begin = Math.min(Math.floor(first / size), end - MIN_BUCKETS + 1);
  const buckets = Array.from({ length: end - begin + 1 }, emptyBucket);
  const durations: number[][] = buckets.map(() => []);
  for (const { event } of rows) {
    const at = Math.floor(event.at / size) - begin;
    const bucket = buckets[at]!;
    bucket.calls++;
    if (event.outcome === 'failed') bucket.errors++;
    bucket.tokens += event.tokensOut;
    durations[at]!.push(event.ms);
  }
  for (const [at, all] of durations.entries()) {
    const sorted = Float64Array.from(all).sort();
    buckets[at]!.median = quantile(sorted, 0.5);
    buckets[at]!.high = quantile(sorted, 0.95);
  }
  const sorted = Float64Array.from(rows, ({ event }) => event.ms).sort();
  const overall = { median: quantile(sorted, 0.5), high: quantile(sorted, 0.95) };
  return { from: begin * size, size, buckets, ...overall };
}

/** The nearest rank, which is always one of the measured durations. */
export function quantile(sorted: Float64Array, share: number): number {
  if (sorted.length === 0) return 0;
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]!;
}

function emptyBucket(): Bucket {
  return { calls: 0, errors: 0, tokens: 0, median: 0, high: 0 };
}
