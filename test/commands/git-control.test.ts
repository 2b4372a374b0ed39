/** Git's configuration and hooks: whatever a tool or a sandboxed command does, Git later runs nothing that it wrote. */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { InProcessClient } from '../in-process.ts';
import { temporaryDirectory } from '../tree.ts';
import { boxed, programOnPath } from './commands-fixture.ts';
import { expectDone, expectRefused } from './tool-outcomes.ts';

const hasGit = programOnPath('git') !== undefined;
const REASON = /--allow-git-config/;

let base: string;
let root: string;
let remove: () => void;
let client: InProcessClient | undefined;

function layRoot(): void {
  const directory = temporaryDirectory();
  base = directory.path;
  remove = directory.remove;
  root = join(base, 'project');
  mkdirSync(root);
}

async function clearAway(): Promise<void> {
  await client?.end();
  client = undefined;
  remove();
}

/** A root of its own for each test. */
function eachOnItsOwn(): void {
  beforeEach(layRoot);
  afterEach(clearAway);
}

const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.org'];

function git(cwd: string, ...args: string[]): string {
  const env = { PATH: process.env.PATH, HOME: base, GIT_CONFIG_NOSYSTEM: '1', GIT_ALLOW_PROTOCOL: 'file' };
  return execFileSync('git', [...identity, ...args], { cwd, env, encoding: 'utf8', stdio: 'pipe' });
}

async function start(dialect: string, ...more: string[]): Promise<InProcessClient> {
  client = await InProcessClient.start(['--dialect', dialect, '--state', join(base, 'state'), ...more, root]);
  return client;
}

const refuses = (tool: string, args: object) => expectRefused(client!, tool, args, REASON);
const takes = (tool: string, args: object) => expectDone(client!, tool, args);

/** Repositories that Git makes once. Copying them takes a tenth of the time. */
let made: ReturnType<typeof temporaryDirectory>;

beforeAll(() => {
  made = temporaryDirectory();
  base = made.path;
  if (!hasGit) return;
  const outer = join(base, 'outer');
  mkdirSync(outer);
  writeFileSync(join(outer, 'a.txt'), 'one\n');
  git(outer, 'init', '-q', '.');
  git(outer, 'config', 'user.name', 't');
  git(outer, 'config', 'user.email', 't@example.org');
  git(outer, 'add', '.');
  git(outer, 'commit', '-qm', 'first');
  git(base, 'init', '-q', 'inner');
  for (const name of ['outer', 'inner']) removeSamples(join(base, name));
});

afterAll(() => made.remove());

/** Without the sample hooks that Git puts into each repository: they are many files to copy. */
function removeSamples(repository: string): void {
  const hooks = join(repository, '.git/hooks');
  for (const name of readdirSync(hooks)) rmSync(join(hooks, name));
}

function layOuter(): void {
  cpSync(join(made.path, 'outer'), root, { recursive: true, preserveTimestamps: true });
}

function layBoth(): void {
  layOuter();
  cpSync(join(made.path, 'inner'), join(root, 'sub/inner'), { recursive: true });
}

describe.runIf(hasGit)('file tools', () => {
  eachOnItsOwn();
  beforeEach(layOuter);

  it.each([
    ['replay', 'write_file', (path: string) => ({ path, content: 'x' })],
    ['replay', 'delete_file', (path: string) => ({ path })],
    ['replay', 'move_file', (path: string) => ({ source: 'a.txt', destination: path })],
    ['replay', 'move_file', (path: string) => ({ source: path, destination: 'b.txt' })],
    ['patch', 'append', (path: string) => ({ path, content: 'x' })],
    ['workspace', 'write_file', (path: string) => ({ file: path, content: 'x' })],
    ['workspace', 'move_file', (path: string) => ({ from: 'a.txt', to: path, overwrite: true })],
    ['fileeditor', 'write_files', (path: string) => ({ path, content: 'x', line_count: 1 })],
  ] as const)('of %s cannot change configuration or hooks with %s', async (dialect, tool, args) => {
    await start(dialect);
    if (dialect === 'fileeditor') await client!.call('set_workspace', { path: root });
    const before = readFileSync(join(root, '.git/config'), 'utf8');
    writeFileSync(join(root, '.git/hooks/post-commit'), '#!/bin/sh\n');
    for (const path of ['.git/config', '.git/hooks/post-commit', '.git']) await refuses(tool, args(path));
    expect(readFileSync(join(root, '.git/config'), 'utf8')).toBe(before);
  });

  it('cannot make new ones either, by any name or path', async () => {
    mkdirSync(join(root, 'sub'));
    symlinkSync('.git', join(root, 'link'));
    symlinkSync('../.git/config', join(root, 'sub/config-link'));
    await start('workspace');
    for (const file of [
      '.git/hooks/pre-commit',
      '.git/hooks/deeper/x',
      '.GIT/config',
      '.git/config.worktree',
      '.git/commondir',
      '.git/rebase-merge/git-rebase-todo',
      '.git/sequencer/opts',
      'link/config',
      'link/hooks/pre-commit',
      'sub/config-link',
      'sub/.git/config',
      'sub/.git',
      'new/.git/hooks/x',
    ]) {
      await refuses('write_file', { file, content: 'x' });
    }
    await refuses('mkdir', { dir: 'sub/.git' });
    await takes('write_file', { file: 'prepared/config', content: '[core]\n\tfsmonitor = evil\n' });
    await refuses('move_file', { from: 'prepared', to: 'sub/.git' });
    await refuses('move_file', { from: '.git', to: 'old' });
    await refuses('delete_file', { path: '.git', recursive: true });
    expect(existsSync(join(root, 'new'))).toBe(false);
    // The rest of the directory stays writable.
    await takes('write_file', { file: '.git/info/exclude', content: '*.log\n' });
    await takes('write_file', { file: '.gitignore', content: '*.log\n' });
    await takes('write_file', { file: 'config', content: 'mine\n' });
    await takes('write_file', { file: 'hooks/useThing.ts', content: 'export {}\n' });
  });

  it('cannot replace the repository of a submodule or a linked worktree', async () => {
    const repository = (path: string) => {
      mkdirSync(join(root, path, 'refs'), { recursive: true });
      mkdirSync(join(root, path, 'objects'));
      writeFileSync(join(root, path, 'HEAD'), 'ref: refs/heads/main\n');
    };
    repository('.git/modules/libs/one');
    repository('stranger');
    mkdirSync(join(root, '.git/worktrees/tree'), { recursive: true });
    writeFileSync(join(root, '.git/worktrees/tree/HEAD'), 'ref: refs/heads/main\n');
    writeFileSync(join(root, '.git/worktrees/tree/commondir'), '../..\n');
    await start('workspace');
    for (const from of ['modules', 'modules/libs', 'modules/libs/one', 'worktrees', 'worktrees/tree']) {
      await refuses('move_file', { from: `.git/${from}`, to: 'away' });
      await refuses('delete_file', { path: `.git/${from}`, recursive: true });
    }
    for (const to of ['modules/two', 'modules/libs/two', 'modules/libs/one/modules/x', 'worktrees/x']) {
      await refuses('move_file', { from: 'stranger', to: `.git/${to}` });
    }
    await refuses('write_file', { file: '.git/modules/two/config', content: 'x' });
    // Other files in them can be written, as in the outer repository, and so can the same names elsewhere.
    await takes('write_file', { file: '.git/modules/libs/one/description', content: 'x' });
    await takes('write_file', { file: '.git/worktrees/tree/logs/HEAD', content: 'x' });
    await takes('write_file', { file: 'modules/a/b', content: 'x' });
    await takes('move_file', { from: 'stranger', to: 'worktrees' });
  });

  it('cannot put a bare repository together piece by piece', async () => {
    await start('workspace');
    await takes('write_file', { file: 'bare/config', content: '[core]\n\tbare = false\n\tworktree = ..\n' });
    await takes('mkdir', { dir: 'bare/objects' });
    await takes('write_file', { file: 'bare/HEAD', content: 'ref: refs/heads/main\n' });
    await refuses('mkdir', { dir: 'bare/refs' });
    await refuses('write_file', { file: 'bare/refs/heads/main', content: 'x' });
    await takes('mkdir', { dir: 'refs' });
    await refuses('move_file', { from: 'refs', to: 'bare/refs' });
    expect(() => git(join(root, 'bare'), 'rev-parse', '--is-bare-repository')).not.toThrow();
    expect(git(join(root, 'bare'), 'rev-parse', '--absolute-git-dir').trim()).toBe(join(root, '.git'));
  });

  it('recognise repositories by their content: bare ones, submodules, linked worktrees', async () => {
    git(root, 'init', '-q', '--bare', 'bare.git');
    git(root, 'worktree', 'add', '-q', 'tree');
    git(base, 'clone', '-q', root, join(base, 'other'));
    git(
      root,
      '-c',
      'protocol.file.allow=always',
      'submodule',
      '--quiet',
      'add',
      join(base, 'other'),
      'module',
    );
    await start('workspace');
    for (const file of [
      'bare.git/config',
      'bare.git/hooks/post-update',
      '.git/modules/module/config',
      '.git/modules/module/hooks/x',
      '.git/worktrees/tree/commondir',
      '.git/worktrees/tree/config.worktree',
      'tree/.git',
      'module/.git',
    ]) {
      await refuses('write_file', { file, content: 'x' });
    }
    await takes('write_file', { file: 'tree/b.txt', content: 'x' });
    await takes('write_file', { file: 'module/b.txt', content: 'x' });
  });

  it('cannot change hooks that the configuration names elsewhere, or files that it includes', async () => {
    git(root, 'config', 'core.hooksPath', '.husky/_');
    git(root, 'config', 'include.path', '../team.gitconfig');
    git(root, 'config', 'core.fsmonitor', './scripts/monitor.sh --fast');
    mkdirSync(join(root, '.husky'));
    await start('workspace');
    for (const file of ['.husky/pre-commit', '.husky/_/pre-commit', 'team.gitconfig', 'scripts/monitor.sh']) {
      await refuses('write_file', { file, content: 'x' });
    }
    await takes('write_file', { file: 'husky.txt', content: 'x' });
  });

  it('may change all of it with --allow-git-config', async () => {
    await start('workspace', '--allow-git-config');
    for (const file of ['.git/config', '.git/hooks/pre-commit', 'sub/.git/config']) {
      await takes('write_file', { file, content: '' });
    }
  });

  it('can read all of it', async () => {
    await start('replay');
    expect(await client!.text('read_file', { path: '.git/config' })).toContain('[core]');
  });
});

const run = (command: string) => client!.text('execute_command', { command: `${command}; echo =$?=` });

describe.runIf(hasGit && boxed)('a command in the sandbox fails to change Git with', () => {
  // One server for all commands, and new copies of the repositories for each.
  beforeAll(async () => {
    layRoot();
    await start('replay', '--sandbox', 'require');
  });
  afterAll(clearAway);
  beforeEach(layBoth);
  afterEach(() => {
    for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true });
  });

  it.each([
    'git config core.fsmonitor /tmp/evil',
    'echo "[core] fsmonitor = evil" >> .git/config',
    'echo evil > .git/hooks/pre-commit',
    'echo "[core] fsmonitor = evil" >> sub/inner/.git/config',
    'mv .git old',
    'mv sub moved',
    'mv sub/inner moved',
    'rm -rf .git/hooks',
    'rm -f .git/config',
    'mv .git/config x',
    'ln .git/config hard',
    'mount --bind /tmp .git',
  ])('%s', async (command) => {
    const before = readFileSync(join(root, '.git/config'), 'utf8');
    expect(await run(command)).not.toContain('=0=');
    expect(readFileSync(join(root, '.git/config'), 'utf8')).toBe(before);
    expect(readFileSync(join(root, 'sub/inner/.git/config'), 'utf8')).not.toContain('evil');
    expect(existsSync(join(root, '.git/hooks/pre-commit'))).toBe(false);
  });
});

describe.runIf(hasGit && boxed)('commands in the sandbox', () => {
  eachOnItsOwn();
  beforeEach(layBoth);

  it('do their usual work with git', async () => {
    await start('replay', '--sandbox', 'require');
    const work =
      'echo two >> a.txt && git add a.txt && git commit -qm second && git checkout -qb topic && git log --oneline';
    expect(await run(work)).toContain('=0=');
    expect(await run('git stash list; git tag v1; git branch -d nothing; git status --short')).toContain(
      '=0=',
    );
    expect(git(root, 'log', '--format=%s', 'topic').trim().split('\n')).toEqual(['second', 'first']);
  });

  it.each([
    ['git init -q fresh', 'fresh/.git'],
    ['mkdir made && cd made && mkdir objects refs && echo "ref: refs/heads/x" > HEAD', 'made'],
    ['cp -r .git copied', 'copied'],
  ])('leave no new repository behind: %s', async (command, made) => {
    await start('replay', '--sandbox', 'require');
    expect(await run(command)).toMatch(REASON);
    expect(existsSync(join(root, made))).toBe(true);
    expect(existsSync(join(root, made, 'HEAD'))).toBe(false);
    expect(git(join(root, made), 'rev-parse', '--absolute-git-dir').trim()).toBe(join(root, '.git'));
  });

  it('leave no file in a repository that would point Git elsewhere', async () => {
    await start('replay', '--sandbox', 'require');
    expect(await run('mkdir evil; echo ../evil > .git/commondir')).toMatch(REASON);
    expect(existsSync(join(root, '.git/commondir'))).toBe(false);
    expect(git(root, 'status', '--short')).toContain('sub/');
  });

  it('leave no command in an unfinished rebase', async () => {
    await start('replay', '--sandbox', 'require');
    const list = join(root, '.git/rebase-merge/git-rebase-todo');
    const prepare = 'mkdir -p .git/rebase-merge && echo break > .git/rebase-merge/git-rebase-todo';
    expect(await run(prepare)).not.toMatch(REASON);
    expect(existsSync(list)).toBe(true);
    expect(await run('echo " x evil" >> .git/rebase-merge/git-rebase-todo')).toMatch(REASON);
    expect(existsSync(list)).toBe(false);
    const long = 'mv .git/rebase-merge kept; ln -s ../kept .git/rebase-merge; yes "# blank" | head -c 70000';
    expect(await run(`${long} > kept/git-rebase-todo; echo exec evil >> kept/git-rebase-todo`)).toMatch(
      REASON,
    );
    expect(existsSync(list)).toBe(false);
  });

  it('may do all of it with --allow-git-config', async () => {
    await start('replay', '--sandbox', 'require', '--allow-git-config');
    expect(await run('git config core.abbrev 9 && git init -q fresh && mv sub moved')).toContain('=0=');
    expect(existsSync(join(root, 'fresh/.git/HEAD'))).toBe(true);
  });
});
