/**
 * Keeps the process small under a flood of calls. V8 collects no garbage until its heap has grown to a share of the
 * machine's memory, which is too late for a server that runs beside an editor all day. In a program that uses the
 * engine as a library, V8 follows that program's settings: there, only long texts are collected.
 */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isHeapOurs, ownHeap } from './heap-owner.ts';

/** The shortest time between two checks of the heap. */
const CHECK_EVERY_MS = 500;
/** How much of the heap may be garbage before it is collected. */
const SLACK_BYTES = 12 * 1024 * 1024;
/** The same in a thread, whose heap is a fraction of the main thread's. */
const THREAD_SLACK_BYTES = 3 * 1024 * 1024;
/** Collecting a larger heap at once would hold up other calls: V8 does that in parts, by itself. */
const MOST_COLLECTED_BYTES = 64 * 1024 * 1024;

/**
 * How many collections follow a flood: the first one finds the pages with few objects left, only the second one can
 * empty them.
 */
const LAST_COLLECTIONS = 2;

/** How much of long texts may be garbage: a collection takes a fraction of the time of decoding so much text. */
const LONG_TEXT_SLACK_BYTES = 16 * 1024 * 1024;

let collect: (() => void) | undefined;
let longTextBytes = 0;
let nextCheck = 0;
let isCheckDue = false;
let lastWork = 0;
let slackBytes = SLACK_BYTES;
/** Whether any work since the last check left garbage that should not wait for a pause. */
let hasSurvivors = false;
/** How many collections are due once there is no more work. */
let lastCollections = 0;
/** How much was in use after the last collection or, before the first one, in a server that has just started. */
let settledBytes = 12 * 1024 * 1024;

/** Call this once in a thread other than the main one, when it has started. */
export function boundThreadHeap(): void {
  ownHeap();
  slackBytes = THREAD_SLACK_BYTES;
  settledBytes = oldBytes();
}

/** Call this after work whose garbage V8 lets grow old. A collection takes some milliseconds. */
export function tidyHeap(): void {
  hasSurvivors = true;
  tidyHeapInPauses();
}

/**
 * Call this after any other work. V8 collects most of its garbage while it is young, which takes less time than
 * collecting the whole heap; that can wait until there is no more work.
 */
export function tidyHeapInPauses(): void {
  if (!isHeapOurs()) return;
  lastWork = performance.now();
  if (lastWork >= nextCheck) check(lastWork);
  else checkLater(nextCheck - lastWork);
}

function check(now: number): void {
  nextCheck = now + CHECK_EVERY_MS;
  // Not `process.memoryUsage`: it opens a file, so a call would fail when descriptors run out.
  const hasGrown = oldBytes() >= settledBytes + slackBytes;
  if (hasGrown) lastCollections = LAST_COLLECTIONS;
  if (hasGrown && hasSurvivors) collectAndCompact();
  hasSurvivors = false;
  if (lastCollections > 0) checkLater(CHECK_EVERY_MS);
}

/** How many bytes are in use, without those of young objects: V8 soon collects these by itself. */
function oldBytes(): number {
  let bytes = 0;
  for (const { space_name, space_used_size } of getHeapSpaceStatistics())
    if (!space_name.startsWith('new_')) bytes += space_used_size;
  return bytes;
}

/** The garbage of the last work of a flood must not stay until the next flood. */
function checkLater(ms: number): void {
  if (isCheckDue) return;
  isCheckDue = true;
  setTimeout(() => {
    isCheckDue = false;
    const now = performance.now();
    if (now - lastWork < CHECK_EVERY_MS || lastCollections === 0) return check(now);
    collectAndCompact();
    if (--lastCollections > 0) checkLater(CHECK_EVERY_MS);
  }, ms).unref();
}

/**
 * Compacts, because V8 otherwise keeps nearly every page on which a single object has survived: half of the heap, after
 * a flood.
 */
function collectAndCompact(): void {
  if (oldBytes() > MOST_COLLECTED_BYTES) return;
  collect ??= exposedCollector();
  if (!collect) return;
  setFlagsFromString('--optimize-for-size');
  try {
    collect();
  } finally {
    setFlagsFromString('--no-optimize-for-size');
  }
  settledBytes = oldBytes();
}

/**
 * Call this in any thread after it has decoded a text of a megabyte or more. Such texts are outside of the heap, and V8
 * lets hundreds of megabytes of them pile up before it collects anything.
 */
export function tidyLongText(bytes: number): void {
  longTextBytes += bytes;
  if (longTextBytes < LONG_TEXT_SLACK_BYTES) return;
  longTextBytes = 0;
  collect ??= exposedCollector();
  collect?.();
}

/** Undefined if another thread takes the option, which all threads share, back at this moment: try again later. */
function exposedCollector(): (() => void) | undefined {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('globalThis.gc') as (() => void) | undefined;
  // V8 accepts compiled code only with the flags with which it was compiled.
  setFlagsFromString('--no-expose-gc');
  return gc;
}
