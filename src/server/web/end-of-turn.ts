/**
 * Lets requests that came in the same turn of the event loop continue together.
 *
 * When all of them are read before the first one is served, and then pass each step one after the other, a small read
 * takes a third less processor time, measured with 64 connections: probably because the code of a step stays in the
 * processor's cache.
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
