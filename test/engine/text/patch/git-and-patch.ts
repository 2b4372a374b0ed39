/** Runs many patches through `git apply` or GNU `patch`, all in one process. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gitEnvironment } from './git-environment.ts';
import type { PatchCase } from './samples.ts';

export type PatchTool = 'git' | 'patch';

const ARGUMENTS: Record<PatchTool, readonly string[]> = {
  git: ['apply', '--reject', '--whitespace=nowarn', '-p1'],
  patch: ['--fuzz=0', '--force', '--no-backup-if-mismatch', '--binary', '-p1', '-i'],
};

/** Why a comparison is not possible here; undefined if it is. */
export function whyNot(tool: PatchTool): string | undefined {
  const answer = spawnSync(tool, ['--version'], { encoding: 'utf8' });
  if (answer.error) return `${tool} is not installed, so there is nothing to compare with`;
  if (tool === 'patch' && !answer.stdout.startsWith('GNU patch'))
    return 'the patch program here is not GNU patch';
  return undefined;
}

/**
 * The tool's result for each file, undefined if it refuses. The patches name `a/file` and `b/file`. They go
 * in as one patch of many files: the tools judge each by itself, and leave rejected hunks next to the file.
 */
export function patchedBy(tool: PatchTool, cases: readonly PatchCase[]): (string | undefined)[] {
  const directory = mkdtempSync(join(tmpdir(), 'cofferdam-patch-'));
  try {
    const named = cases.map(({ patch }, index) =>
      patch.replace(/^(--- a|\+\+\+ b)\/file$/gm, `$1/file${index}`),
    );
    const tree = join(directory, 'tree');
    mkdirSync(tree);
    for (const [index, { file }] of cases.entries()) writeFileSync(join(tree, `file${index}`), file);
    writeFileSync(join(directory, 'all.diff'), named.join(''));
    const answer = spawnSync(tool, [...ARGUMENTS[tool], join(directory, 'all.diff')], {
      cwd: tree,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      env: gitEnvironment(directory),
    });
    if (answer.status !== 0 && answer.status !== 1)
      throw new Error(`${tool} gave up: ${answer.stderr.slice(-500)}`);
    return cases.map((_, index) => {
      const file = join(tree, `file${index}`);
      if (existsSync(`${file}.rej`)) return undefined;
      // A tool may remove a file that becomes empty.
      return existsSync(file) ? readFileSync(file, 'utf8') : '';
    });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
