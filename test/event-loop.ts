/**
 * Lets the event loop turn between tests. Vitest's workers report to the main process by messages that time out;
 * a row of tests that wait for child processes synchronously would otherwise never see the replies in time.
 */
import { setImmediate } from 'node:timers/promises';
import { afterEach } from 'vitest';

afterEach(() => setImmediate());
