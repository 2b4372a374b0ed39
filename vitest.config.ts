import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/run-directories.ts'],
    setupFiles: ['test/event-loop.ts'],
    // These only end a test that hangs: a busy machine may take many times as long as an idle one.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    pool: 'forks',
    // Tests often wait, for a flush of the disk or for a time limit: one more than this many cores.
    maxWorkers: Math.max(3, Math.min(4, availableParallelism())),
    minWorkers: 1,
    reporters: ['default', './scripts/closing-line.mjs'],
  },
});
