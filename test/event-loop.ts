/**
 * Lets the event loop turn between tests. Vitest's workers report to the main process by messages that time out.
 * Several tests in a row that wait for child processes synchronously would otherwise miss the replies.
 */
import { setImmediate } from 'node:timers/promises';
import { afterEach } from 'vitest';

afterEach(() => setImmediate());
