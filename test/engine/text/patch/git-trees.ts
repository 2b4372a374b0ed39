/** Random pairs of small trees, and what `git diff` says about each: a few processes for all of them. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gitEnvironment } from './git-environment.ts';
import type { Tree } from './patched-tree.ts';

export interface TreeFile {
  content: string;
  isExecutable: boolean;
}

export interface TreePair {
  before: Readonly<Record<string, TreeFile>>;
  after: Readonly<Record<string, TreeFile>>;
}

export function contentsOf(tree: Readonly<Record<string, TreeFile>>): Tree {
  return Object.fromEntries(Object.entries(tree).map(([path, { content }]) => [path, content]));
}

/** The diff of each pair, as git prints it with these options. */
export function gitDiffs(pairs: readonly TreePair[], options: readonly string[]): string[] {
  const directory = mkdtempSync(join(tmpdir(), 'cofferdam-git-'));
  try {
    git(directory, ['init', '-q', '--bare', '.'], '');
    const stream = pairs.flatMap(({ before, after }, index) => [
      commitOf(before, 2 * index + 1),
      commitOf(after, 2 * index + 2),
    ]);
    git(directory, ['fast-import', '--quiet', '--export-marks=marks'], stream.join(''));
    const marks = git(directory, ['cat-file', '--batch-check=%(objectname)'], refsOf(2 * pairs.length))
      .trim()
      .split('\n');
    const asked = pairs.map((_, index) => `${marks[2 * index]} ${marks[2 * index + 1]}\n`).join('');
    const printed = git(directory, ['diff-tree', '--stdin', '-p', '-r', ...options], asked);
    return split(printed, marks);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function refsOf(count: number): string {
  return Array.from({ length: count }, (_, index) => `refs/heads/t${index + 1}^{tree}\n`).join('');
}

function commitOf(tree: Readonly<Record<string, TreeFile>>, number: number): string {
  const files = Object.entries(tree).map(([path, { content, isExecutable }]) => {
    const mode = isExecutable ? '100755' : '100644';
    return `M ${mode} inline ${quoted(path)}\ndata ${Buffer.byteLength(content)}\n${content}\n`;
  });
  return `commit refs/heads/t${number}\ncommitter a <a@b> 0 +0000\ndata 0\n\n${files.join('')}\n`;
}

function quoted(path: string): string {
  return `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t')}"`;
}

/** A line with the ids of both trees comes before each diff. */
function split(printed: string, ids: readonly string[]): string[] {
  const diffs: string[] = [];
  let from = 0;
  for (let pair = 0; pair < ids.length; pair += 2) {
    const line = `${ids[pair]} ${ids[pair + 1]}\n`;
    const at = printed.startsWith(line, from) ? from : printed.indexOf(`\n${line}`, from - 1) + 1;
    if (pair > 0) diffs.push(printed.slice(from, at));
    from = at + line.length;
  }
  diffs.push(printed.slice(from));
  return diffs;
}

function git(directory: string, args: readonly string[], input: string): string {
  const answer = spawnSync('git', args, {
    cwd: directory,
    input,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    env: gitEnvironment(directory),
  });
  if (answer.status !== 0)
    throw new Error(`git ${args[0]} gave up: ${answer.stderr?.slice(-500) ?? answer.error}`);
  return answer.stdout;
}
