/** The server forgets what it remembers of a repository as soon as a change could make Git run something. */
import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { recallNamed, rememberNamed } from '../../../../src/engine/confine/protect/plain-repositories.ts';
import { temporaryDirectory } from '../../../tree.ts';
import { until } from '../../../until.ts';

let home: { path: string; remove(): void };
beforeEach(() => {
  home = temporaryDirectory();
});
afterEach(() => home.remove());

const CHANGES: Record<string, (git: string) => void> = {
  'the configuration is written to': (git) =>
    appendFileSync(join(git, 'config'), '[core]\n\thooksPath = x\n'),
  'the configuration is replaced': (git) => {
    writeFileSync(join(git, 'new'), '[core]\n');
    renameSync(join(git, 'new'), join(git, 'config'));
  },
  'a configuration of the worktree appears': (git) => writeFileSync(join(git, 'config.worktree'), ''),
  'a link appears among the hooks': (git) => symlinkSync('/elsewhere', join(git, 'hooks/pre-commit')),
  'the hooks become a link': (git) => {
    rmSync(join(git, 'hooks'), { recursive: true });
    symlinkSync('/elsewhere', join(git, 'hooks'));
  },
  'the repository becomes a file': (git) => {
    rmSync(git, { recursive: true });
    writeFileSync(git, 'gitdir: /elsewhere\n');
  },
};

function repository(name: string): string {
  const worktree = join(home.path, name);
  mkdirSync(join(worktree, '.git/hooks'), { recursive: true });
  writeFileSync(join(worktree, '.git/config'), '[core]\n');
  return worktree;
}

test('remembers a repository that names only its hooks until something in it changes', async () => {
  const worktrees = Object.keys(CHANGES).map((what) => [what, repository(what)] as const);
  const other = repository('names more');
  const hooks = (worktree: string) => join(worktree, '.git/hooks');
  for (const [, worktree] of worktrees) {
    // A repository that changed just now is not remembered, since a second change could have the same timestamp.
    await until(() => {
      rememberNamed(worktree, () => [hooks(worktree)]);
      rememberNamed(other, () => [hooks(other), '/included']);
      return recallNamed(worktree) !== undefined;
    });
    expect(recallNamed(worktree)).toEqual([hooks(worktree)]);
  }
  expect(recallNamed(other)).toBeUndefined();
  for (const [what, worktree] of worktrees) {
    CHANGES[what]!(join(worktree, '.git'));
    expect([what, recallNamed(worktree)]).toEqual([what, undefined]);
  }
});
