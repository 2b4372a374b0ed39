import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { COMPILED, compiledSources } from './test/compiled-sources.ts';
import { SlowestFirst } from './test/slowest-first.ts';

// Tests often wait, for the disk, for a program or for a time limit: more workers than cores keep the cores at work.
const workers = Math.min(4, availableParallelism() + 2);

/**
 * A test runs most code a few times only: optimize what runs very often, keep what is compiled, and collect garbage
 * seldom and in one thread, because the cores are busy.
 */
const V8_OPTIONS = [
  '--interrupt-budget=1000000',
  '--no-flush-bytecode',
  '--single-threaded-gc',
  '--initial-heap-size=400',
  '--min-semi-space-size=16',
  '--max-semi-space-size=16',
];

/** Those that this Node has: one that it does not know would end every worker. */
function knownV8Options(): string[] {
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  return V8_OPTIONS.filter((option) => {
    const [name] = option.replace(/^--(no-)?/, '--').split('=');
    return known.includes(`\n  ${name} (`);
  });
}

export default defineConfig({
  plugins: process.env.COFFERDAM_TESTS_COMPILED === '1' ? [compiledSources()] : [],
  test: {
    // Node loads them by itself, without Vite.
    server: { deps: { external: [COMPILED] } },
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/run-directories.ts'],
    setupFiles: [
      'test/temporary-directory.ts',
      'test/event-loop.ts',
      'test/long-timeouts.ts',
      'test/fresh-modules.ts',
    ],
    // These only end a test that hangs: a busy machine may take many times as long as an idle one.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    sequence: { sequencer: SlowestFirst },
    pool: 'forks',
    // A worker loads the runner and the sources once and keeps them for the next file.
    poolOptions: { forks: { isolate: false, execArgv: knownV8Options() } },
    maxWorkers: workers,
    // With fewer, the pool ends idle workers twice, and the run fails.
    minWorkers: workers,
    reporters: ['default', './scripts/closing-line.mjs'],
  },
});
