/** Helps to test commands that a time limit ends while they run. */

const MOST_SECONDS = 20;

/**
 * Runs a command again, with more time, until the limit has ended it while it was running. On a busy machine a program
 * may need seconds to start, and one that was ended before it began proves nothing.
 */
export async function timedOutWhileRunning<T>(
  run: (seconds: number) => Promise<T>,
  wasAtWork: (result: T) => boolean,
): Promise<T> {
  for (let seconds = 1; ; seconds *= 3) {
    const result = await run(seconds);
    if (wasAtWork(result) || seconds > MOST_SECONDS) return result;
  }
}
