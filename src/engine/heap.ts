/**
 * Keeps the process small under a flood of calls. V8 lets garbage lie until its heap has grown to a share of the
 * machine's memory; for a server that runs beside an editor all day that is too late.
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How often at the most the heap is looked at. */
const LOOK_EVERY_MS = 500;
/** How much of the heap may be garbage before it is collected. */
const SLACK_BYTES = 12 * 1024 * 1024;
/** To collect more than this in one go would hold up other calls: V8 does that in parts, by itself. */
const MOST_COLLECTED_BYTES = 64 * 1024 * 1024;

/** How much of long texts may be garbage: a collection takes as long as to decode a fraction of that. */
const LONG_TEXT_SLACK_BYTES = 16 * 1024 * 1024;

let collect: (() => void) | undefined;
let longTextBytes = 0;
let nextLook = 0;
let isLookDue = false;
/** What was in use after the last collection; before the first one, in a server that has just started. */
let settledBytes = 12 * 1024 * 1024;

/** To be called after work that leaves garbage behind. A collection takes some milliseconds. */
export function tidyHeap(now: number = performance.now()): void {
  if (now >= nextLook) {
    nextLook = now + LOOK_EVERY_MS;
    collectGrowth();
  } else if (!isLookDue) {
    // The last work of a flood must not leave its garbage lying about until the next one.
    isLookDue = true;
    setTimeout(() => {
      isLookDue = false;
      tidyHeap();
    }, nextLook - now).unref();
  }
}

function collectGrowth(): void {
  // Not `process.memoryUsage`: that opens a file, and a call would fail over it when descriptors run out.
  const { used_heap_size: used } = getHeapStatistics();
  if (used < settledBytes + SLACK_BYTES || used > MOST_COLLECTED_BYTES) return;
  collect ??= exposedCollector();
  collect();
  settledBytes = getHeapStatistics().used_heap_size;
}

/**
 * To be called in any thread after it has decoded a text of a megabyte or more. Such texts lie outside of the heap, and
 * V8 lets hundreds of megabytes of them pile up before it collects anything.
 */
export function tidyLongText(bytes: number): void {
  longTextBytes += bytes;
  if (longTextBytes < LONG_TEXT_SLACK_BYTES) return;
  longTextBytes = 0;
  collect ??= exposedCollector();
  collect();
}

function exposedCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  // V8 takes compiled code only with the flags with which it was compiled.
  setFlagsFromString('--no-expose-gc');
  return gc;
}
