/** Keeps commands in the sandbox, including commands that overlap, from adding to Git's configuration and hooks. */
import type { GitPlaces } from '../../confine/protect/git-places.ts';
import type { Wall } from '../../confine/wall.ts';
import type { RunResult } from '../process/run.ts';
import { withoutNewGitControl } from './new-git-control.ts';

export class GitGuard {
  readonly #wall: Wall;
  /** Every repository that existed before a command. */
  readonly #repositories = new Set<string>();
  /** Every directory in which Git's files were found before a command, the oldest first. */
  readonly #holders = new Set<string>();
  /** What existed before the first of several overlapping commands. What one of them made is new to the others, too. */
  #overlap: { running: number; before?: GitPlaces } | undefined;

  constructor(wall: Wall) {
    this.#wall = wall;
  }

  /** Runs a command with Git's configuration and hooks protected, and then renames what it added to them. */
  async guard(cwd: string, run: (git?: GitPlaces) => Promise<RunResult>): Promise<RunResult> {
    this.#overlap ??= { running: 0 };
    const overlap = this.#overlap;
    overlap.running++;
    try {
      const now = await this.#wall.gitPlaces(cwd, { known: this.#repositories, first: this.#holders });
      if (now === undefined) return await run();
      overlap.before ??= now;
      for (const path of overlap.before.repositories.keys()) this.#repositories.add(path);
      for (const path of overlap.before.holders) this.#holders.add(path);
      const result = await run(now);
      return await withoutNewGitControl(this.#wall, cwd, overlap.before, result);
    } finally {
      overlap.running--;
      if (overlap.running === 0) this.#overlap = undefined;
    }
  }
}
