/** Keeps commands in the sandbox, including commands that overlap, from adding to Git's configuration and hooks. */
import type { GitPlaces } from '../../confine/protect/git-places.ts';
import type { Wall } from '../../confine/wall.ts';
import type { RunResult } from '../process/run.ts';
import { withoutNewGitControl } from './new-git-control.ts';
import { Overlap } from './overlap.ts';

export class GitGuard {
  readonly #wall: Wall;
  /** Every repository that existed before a command. */
  readonly #repositories = new Set<string>();
  /** Every directory in which Git's files were found before a command, the oldest first. */
  readonly #holders = new Set<string>();
  readonly #overlap = new Overlap<GitPlaces>();

  constructor(wall: Wall) {
    this.#wall = wall;
  }

  /** Runs a command with Git's configuration and hooks protected, and then renames what it added to them. */
  guard(cwd: string, run: (git?: GitPlaces) => Promise<RunResult>): Promise<RunResult> {
    return this.#overlap.during(async (overlap) => {
      const now = await this.#wall.gitPlaces(cwd, { known: this.#repositories, first: this.#holders });
      if (now === undefined) return await run();
      overlap.before ??= now;
      for (const path of overlap.before.repositories.keys()) this.#repositories.add(path);
      for (const path of overlap.before.holders) this.#holders.add(path);
      const result = await run(now);
      return await withoutNewGitControl(this.#wall, cwd, overlap.before, result);
    });
  }
}
