/** The running commands of one engine. Engines share none of this: each ends its own commands only. */

import { setTimeout as delay } from 'node:timers/promises';
import { fail } from '../../failures.ts';
import { OrphanGuard } from './orphan-guard.ts';
import { type Launch, Run, type RunOptions, type RunResult, STUCK_MS, TERM_GRACE_MS } from './run.ts';

export class LiveRuns {
  readonly #live = new Set<Run>();
  readonly #orphanGuard = new OrphanGuard();
  #ended = false;

  /**
   * Runs one command to its end. Fails when the command cannot be started or is cancelled. `prepare` makes the launch,
   * with the mark that all processes of the run must carry in their environment.
   */
  async run(prepare: (mark: string) => Launch, options: RunOptions): Promise<RunResult> {
    if (this.#ended || options.signal?.aborted) fail({ kind: 'cancelled' });
    const mark = this.#orphanGuard.newMark();
    const launch = prepare(mark);
    const reports = launch.needsOrphanGuard ? this.#orphanGuard.announce() : undefined;
    let run: Run | undefined;
    try {
      run = start(launch, mark, options);
      if (run.group !== undefined) reports?.started(run.group);
      this.#live.add(run);
      return await run.result();
    } finally {
      if (run) this.#live.delete(run);
      reports?.ended();
    }
  }

  /** Asks every command to end, waits, and kills those that are left after the grace period. No new command starts. */
  async end(): Promise<void> {
    this.#ended = true;
    for (const run of this.#live) run.cancelGently();
    const deadline = Date.now() + TERM_GRACE_MS + STUCK_MS;
    while (this.#live.size > 0 && Date.now() < deadline) await delay(10);
    this.kill();
    this.#orphanGuard.stop();
  }

  /** Kills every command at once. */
  kill(): void {
    for (const run of this.#live) run.kill();
  }
}

function start(launch: Launch, mark: string, options: RunOptions): Run {
  try {
    options.onStart?.();
    return new Run(launch, mark, options);
  } finally {
    launch.release();
  }
}
