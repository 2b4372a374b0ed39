import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/state-home.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Many tests wait for processes: one more than there are cores keeps those busy.
    maxWorkers: availableParallelism() + 1,
    minWorkers: 1,
    reporters: ['default', './scripts/closing-line.mjs'],
  },
});
