/**
 * Measures the longest turn of a server's event loop, when preloaded into it (`node --require`).
 *
 * A turn is measured in processor time of the main thread, where the system reports that, so that other programs on the
 * machine do not count. On SIGUSR2 it prints `stall: <ms>` on standard error and starts again.
 */
const { openSync, readSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

const EVERY_MS = 2;
const MAIN_THREAD = `/proc/${process.pid}/task/${process.pid}/schedstat`;
const told = Buffer.alloc(128);

/** Opened only once, because reading it every other millisecond must cost little. */
const descriptor = opened();

function opened() {
  try {
    return openSync(MAIN_THREAD);
  } catch {
    return undefined;
  }
}

function processorMs() {
  if (descriptor === undefined) return performance.now();
  const length = readSync(descriptor, told, 0, told.length, 0);
  return Number.parseInt(told.latin1Slice(0, length), 10) / 1e6;
}

if (isMainThread) {
  let longest = 0;
  let last = processorMs();
  setInterval(() => {
    const now = processorMs();
    longest = Math.max(longest, now - last);
    last = processorMs();
  }, EVERY_MS).unref();
  process.on('SIGUSR2', () => {
    process.stderr.write(`stall: ${longest.toFixed(1)}\n`);
    longest = 0;
    last = processorMs();
  });
}
