/** Loads the sources again for the test files that need it. */
import { expect, vi } from 'vitest';
import { isFresh } from './fresh-modules-list.ts';

if (isFresh(expect.getState().testPath!)) vi.resetModules();

// With this variable, the programs that tests start would colour their output.
delete process.env.FORCE_COLOR;
