/**
 * Lets requests that came in the same turn of the event loop go on together.
 *
 * When all of them are read before the first one is served, and then pass each step one after the other, the processor
 * finds the code of the step in its cache. Served one by one from beginning to end, each has to load all of it again.
 */
let ended: Promise<void> | undefined;

/** Settles at the end of this turn, for all who ask in it. */
export function endOfTurn(): Promise<void> {
  ended ??= new Promise((resolve) => {
    setImmediate(() => {
      ended = undefined;
      resolve();
    });
  });
  return ended;
}
