import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/state-home.ts'],
    setupFiles: ['test/event-loop.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Attackers and time limits want a core for each of them.
    maxWorkers: 2,
    minWorkers: 1,
    reporters: ['default', './scripts/closing-line.mjs'],
  },
});
