/** Loads the sources anew for the test files that need that. */
import { expect, vi } from 'vitest';
import { isFresh } from './fresh-modules-list.ts';

if (isFresh(expect.getState().testPath!)) vi.resetModules();

// The programs that tests start would paint their output.
delete process.env.FORCE_COLOR;
