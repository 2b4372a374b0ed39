/** Indirect ways to Git's configuration and hooks: links, pointers, parts of repositories, and several calls. */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { InProcessClient } from '../in-process.ts';
import { layOut, temporaryDirectory } from '../tree.ts';
import { until } from '../until.ts';
import { boxed, programOnPath } from './commands-fixture.ts';
import { expectDone, expectRefused, outcomeOf } from './tool-outcomes.ts';

const hasGit = programOnPath('git') !== undefined;
const REASON = /--allow-git-config/;

const FILES = { 'a.txt': 'one\n', 'sub/b.txt': 'two\n' };

let base: string;
let root: string;
let remove: () => void;
let client: InProcessClient | undefined;

beforeEach(() => {
  const made = temporaryDirectory();
  base = made.path;
  remove = made.remove;
  root = join(base, 'project');
  layOut(root, FILES);
});

afterEach(async () => {
  await client?.end();
  client = undefined;
  remove();
});

function git(cwd: string, ...args: string[]): string {
  const env = { PATH: process.env.PATH, HOME: base, GIT_CONFIG_NOSYSTEM: '1' };
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.org'];
  return execFileSync('git', [...identity, ...args], { cwd, env, encoding: 'utf8', stdio: 'pipe' });
}

/** A repository that Git makes once. Copying it takes a tenth of the time. */
let original: ReturnType<typeof temporaryDirectory>;

beforeAll(() => {
  original = temporaryDirectory();
  base = original.path;
  layOut(base, FILES);
  if (!hasGit) return;
  git(base, 'init', '-q', '.');
  git(base, 'add', '.');
  git(base, 'commit', '-qm', 'first');
  // The sample hooks are many files to copy.
  for (const name of readdirSync(join(base, '.git/hooks'))) rmSync(join(base, '.git/hooks', name));
});

afterAll(() => original.remove());

function layRepository(): void {
  cpSync(join(original.path, '.git'), join(root, '.git'), { recursive: true });
}

async function start(dialect: string, ...more: string[]): Promise<InProcessClient> {
  client = await InProcessClient.start(['--dialect', dialect, '--state', join(base, 'state'), ...more, root]);
  return client;
}

const refuses = (tool: string, args: object) => expectRefused(client!, tool, args, REASON);
const takes = (tool: string, args: object) => expectDone(client!, tool, args);

const write = (file: string) => ['write_file', { file, content: 'x' }] as const;

describe.runIf(hasGit)('file tools', () => {
  beforeEach(layRepository);

  it('cannot move a directory above hooks that the configuration names, or put one there', async () => {
    git(root, 'config', 'core.hooksPath', 'tools/git/hooks');
    git(root, 'config', 'include.path', '../later/team.gitconfig');
    layOut(root, { 'tools/git/hooks/pre-commit': '#!/bin/sh\n', 'tools/other': '', 'x/team.gitconfig': '' });
    await start('workspace');
    await refuses('move_file', { from: 'tools', to: 'old' });
    await refuses('move_file', { from: 'tools/git', to: 'old' });
    await refuses('move_file', { from: 'x', to: 'later' });
    await takes('move_file', { from: 'tools/other', to: 'other' });
    await takes(...write('tools/git/notes.txt'));
  });

  it.each([
    ['a comment after it', '[core]\n\thooksPath = my/hooks ; where they are\n'],
    ['quotes and escapes', '[core] hooksPath = "my"/hoo"ks"\n'],
    ['a continued line', '[core]\nhooksPath = my/\\\nhooks\n'],
    ['an included file', '[include]\npath = ../more.gitconfig\n'],
    ['a condition', '[includeIf "gitdir:/x\\"]y/"]\npath = "../more.gitconfig" # more\n'],
    ['a link to its directory', '[core]\nhooksPath = linked\n'],
  ])('protect the hooks that a configuration names with %s', async (_, config) => {
    layOut(root, { 'my/hooks/pre-push': '', 'more.gitconfig': '[core]\n\thooksPath = my/hooks\n' });
    symlinkSync('my/hooks', join(root, 'linked'));
    writeFileSync(join(root, '.git/config'), config, { flag: 'a' });
    await start('workspace');
    await refuses(...write('my/hooks/pre-commit'));
    await refuses(...write('my/hooks/pre-push'));
    await takes(...write('my/other'));
  });

  it.each([
    ['the configuration', '[core]\n\tworktree = ../sub\n\thooksPath = hk\n'],
    ['an included file', '[core]\n\thooksPath = hk\n[include]\n\tpath = ../tree.gitconfig\n'],
    [
      'the configuration of the worktree',
      '[core]\n\thooksPath = hk\n[extensions]\n\tworktreeConfig = true\n',
    ],
    ['an absolute path', '[core]\n\tworktree = ROOT/sub\n\thooksPath = hk\n'],
  ])('protect the hooks in a worktree that %s moves', async (how, config) => {
    const moved = '[core]\n\tworktree = ../sub\n';
    layOut(root, { 'sub/hk/pre-push': '', 'hk/pre-push': '', 'tree.gitconfig': moved });
    if (how.includes('of the worktree')) writeFileSync(join(root, '.git/config.worktree'), moved);
    writeFileSync(join(root, '.git/config'), config.replace('ROOT', root), { flag: 'a' });
    git(root, 'config', 'core.fsmonitor', 'tools/monitor --all');
    // Not every version of Git accepts core.worktree in an included file.
    if (how !== 'an included file')
      expect(git(root, 'rev-parse', '--show-toplevel').trim()).toMatch(/\/sub$/);
    await start('workspace');
    for (const file of ['sub/hk/pre-push', 'sub/hk/pre-commit', 'hk/pre-push', 'sub/tools/monitor'])
      await refuses(...write(file));
    await refuses('move_file', { from: 'sub/hk', to: 'old' });
    await takes(...write('sub/other'));
  });

  it('protect the hooks that a repository without a worktree names', async () => {
    git(root, 'init', '-q', '--bare', 'store');
    git(join(root, 'store'), 'config', 'core.hooksPath', 'hk');
    git(root, 'config', 'core.bare', 'true');
    git(root, 'config', 'core.hooksPath', '../up/hk');
    await start('workspace');
    await refuses(...write('store/hk/pre-receive'));
    await refuses(...write('up/hk/pre-receive'));
    await takes(...write('store/other'));
  });

  it('cannot write to what `.git/hooks` links to', async () => {
    rmSync(join(root, '.git/hooks'), { recursive: true });
    layOut(root, { 'tools/hooks/pre-push': '', 'inner/scripts/check.sh': '' });
    symlinkSync('../tools/hooks', join(root, '.git/hooks'));
    git(join(root, 'inner'), 'init', '-q', '.');
    symlinkSync('../../scripts/check.sh', join(root, 'inner/.git/hooks/pre-commit'));
    await start('workspace');
    await refuses(...write('tools/hooks/pre-commit'));
    await refuses(...write('.git/hooks/pre-push'));
    await refuses(...write('inner/.git/hooks/pre-commit'));
    await refuses(...write('inner/scripts/check.sh'));
    await refuses('delete_file', { path: '.git/hooks' });
  });

  it('protect the hooks of linked worktrees', async () => {
    git(root, 'config', 'core.hooksPath', '.githooks');
    git(root, 'worktree', 'add', '-q', 'tree');
    git(root, 'worktree', 'add', '-q', join(base, 'beside'));
    await start('workspace');
    await refuses(...write('tree/.githooks/pre-commit'));
    const beside = await InProcessClient.start([
      '--dialect',
      'workspace',
      '--no-journal',
      join(base, 'beside'),
    ]);
    const { text } = outcomeOf(await beside.call(...write('.githooks/pre-commit')));
    await beside.end();
    expect(text).toMatch(REASON);
  });

  it('cannot take a repository apart to change its configuration', async () => {
    git(root, 'init', '-q', '--bare', 'store');
    await start('workspace');
    for (const name of ['HEAD', 'objects', 'refs']) {
      await refuses('move_file', { from: `store/${name}`, to: 'apart' });
      await refuses('delete_file', { path: `store/${name}`, recursive: true });
    }
    await refuses(...write('store/config'));
    await takes(...write('store/description'));
  });
});

describe.runIf(hasGit && boxed)('commands in the sandbox', () => {
  beforeEach(layRepository);

  const run = (command: string) => client!.text('execute_command', { command: `${command}; echo =$?=` });
  /** What Git would run in a directory. */
  const monitor = (cwd: string) => {
    try {
      return git(join(root, cwd), 'config', 'core.fsmonitor').trim();
    } catch {
      return '';
    }
  };
  const EVIL = `printf '[core]\\nfsmonitor = evil\\n'`;

  it.each([
    [
      'a worktree that has its configuration elsewhere',
      [
        `mkdir -p evil/objects evil/refs .git/worktrees/w; ${EVIL} > evil/config; cp .git/HEAD .git/worktrees/w/HEAD; echo ../../../evil > .git/worktrees/w/commondir; echo 'gitdir: ../.git/worktrees/w' > sub/.git`,
      ],
    ],
    [
      'a pointer to a repository in node_modules',
      [
        `mkdir node_modules; git init -q node_modules/evil; ${EVIL} >> node_modules/evil/.git/config; echo 'gitdir: ../node_modules/evil/.git' > sub/.git`,
      ],
    ],
    [
      'a link to a repository in a directory of logs',
      [
        `mkdir -p logs/refs; git init -q logs/refs/evil; ${EVIL} >> logs/refs/evil/.git/config; ln -s ../logs/refs/evil/.git sub/.git`,
      ],
    ],
  ])('leave no configuration behind in %s', async (_, commands) => {
    await start('replay', '--sandbox', 'require');
    for (const command of commands) await run(command);
    for (const directory of ['.', 'sub'])
      expect({ directory, is: monitor(directory) }).toEqual({ directory, is: '' });
  });

  it('cannot write to the configuration of a repository that lacks its HEAD for a while', async () => {
    git(root, 'init', '-q', '--bare', 'store');
    await start('replay', '--sandbox', 'require');
    await run('mv .git/HEAD .git/HEAD2; mv store/HEAD store/HEAD2');
    for (const directory of ['.git', 'store']) {
      await run(`${EVIL} >> ${directory}/config`);
      expect(readFileSync(join(root, directory, 'config'), 'utf8')).not.toContain('evil');
    }
  });

  it('leave no repository behind when two of them work together', async () => {
    await start('replay', '--sandbox', 'require');
    const wait = (name: string) => `while [ ! -e ${name} ]; do sleep 0.01; done`;
    const first = run(`git init -q sub; ${EVIL} >> sub/.git/config; touch made; ${wait('begun')}`);
    await until(() => existsSync(join(root, 'made')));
    const second = run(
      `touch begun; ${wait('sub/.git/HEAD.refused')}; mv sub/.git/HEAD.refused sub/.git/HEAD`,
    );
    await Promise.all([first, second]);
    expect(monitor('sub')).toBe('');
  });

  it('cannot make missing hooks that the configuration names', async () => {
    git(root, 'config', 'core.hooksPath', 'tools/hooks');
    await start('replay', '--sandbox', 'require');
    expect(await run('mkdir -p tools/hooks; echo evil > tools/hooks/pre-commit')).toMatch(REASON);
    expect(existsSync(join(root, 'tools/hooks'))).toBe(false);
    expect(
      await run('rm -r tools; mkdir -p evil/hooks; echo evil > evil/hooks/pre-commit; ln -s evil tools'),
    ).toMatch(REASON);
    expect(existsSync(join(root, 'tools/hooks'))).toBe(false);
  });

  it('cannot change or make hooks in a moved worktree, or beside a repository without one', async () => {
    git(root, 'config', 'core.hooksPath', 'hk');
    git(root, 'config', 'core.worktree', '../sub');
    git(root, 'init', '-q', '--bare', 'store');
    git(join(root, 'store'), 'config', 'core.hooksPath', '../beside');
    layOut(root, { 'beside/pre-receive': '' });
    await start('replay', '--sandbox', 'require');
    expect(await run('echo evil > beside/pre-receive')).not.toContain('=0=');
    expect(await run('mkdir -p sub/hk; echo evil > sub/hk/pre-commit')).toMatch(REASON);
    expect(existsSync(join(root, 'sub/hk'))).toBe(false);
    layOut(root, { 'sub/hk/pre-push': '' });
    expect(await run('echo evil > sub/hk/pre-commit')).not.toContain('=0=');
    expect(readFileSync(join(root, 'beside/pre-receive'), 'utf8')).toBe('');
  });

  it('can change neither hooks behind a link nor the link', async () => {
    renameSync(join(root, '.git/hooks'), join(root, 'hooks'));
    symlinkSync('../hooks', join(root, '.git/hooks'));
    await start('replay', '--sandbox', 'require');
    expect(await run('echo evil > hooks/pre-commit')).not.toContain('=0=');
    expect(await run('rm .git/hooks; mkdir .git/hooks; echo evil > .git/hooks/pre-commit')).toMatch(REASON);
    expect(existsSync(join(root, '.git/hooks/pre-commit'))).toBe(false);
  });

  it.each(['.git/hooks', 'tools/hooks'])('cannot write to %s when only that is served', async (given) => {
    git(root, 'config', 'core.hooksPath', 'tools/hooks');
    layOut(root, { 'tools/hooks/pre-push': '' });
    root = join(root, given);
    await start('replay', '--sandbox', 'require');
    expect(await run('echo evil > pre-commit')).not.toContain('=0=');
    expect(existsSync(join(root, 'pre-commit'))).toBe(false);
  });

  it('add worktrees as usual', async () => {
    await start('replay', '--sandbox', 'require');
    expect(await run('git worktree add -q tree')).not.toMatch(REASON);
    expect(await run('cd tree && echo 3 > a.txt && git status --short')).toContain(' M a.txt');
    expect(readFileSync(join(root, 'tree/.git'), 'utf8')).toContain('gitdir:');
  });

  it('leave no new repository among many entries, while older repositories are left alone', async () => {
    layOut(root, { 'sub2/': '' });
    // The server searches in the order of the listing: the directory with the many entries comes first.
    const [first, last] = readdirSync(root).filter((name) => name.startsWith('sub')) as [string, string];
    // No journal: recording so many files takes long, and this test does not need it.
    await start('replay', '--sandbox', 'require', '--no-journal');
    // FIFOs take the least time of all entries, because nothing reads them.
    const many = `mkdir ${first}/many; cd ${first}/many; seq 20500 | xargs mkfifo; cd ../..`;
    await run(`${many}; git init -q ${last}; ${EVIL} >> ${last}/.git/config`);
    expect(monitor(last)).toBe('');
    for (const name of ['x', 'y', 'z']) git(root, 'init', '-q', `others/${name}`);
    await run(`rm -rf ${first}/many`);
    for (const name of ['x', 'y', 'z'])
      expect(existsSync(join(root, 'others', name, '.git/HEAD'))).toBe(true);
  });
});
