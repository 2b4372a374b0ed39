/** Git's configuration in places that are hard to find: among very many entries, under odd names and modes. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { InProcessClient } from '../in-process.ts';
import { layOut, temporaryDirectory } from '../tree.ts';
import { until } from '../until.ts';
import { boxed } from './commands-fixture.ts';
import { UnprivilegedUser } from './unprivileged-user.ts';

const REPOSITORY = { HEAD: 'ref: refs/heads/main\n', config: '', 'objects/': '', 'refs/': '' };

/** The shell line that makes a repository whose configuration names a program. */
const make = (directory: string) =>
  `mkdir -p ${directory}/objects ${directory}/refs; echo '[core]' > ${directory}/config; echo 'ref: refs/heads/main' > ${directory}/HEAD`;

/** A directory with more entries than the server searches before a command. Tests move it to where they need it. */
let many: ReturnType<typeof temporaryDirectory>;

beforeAll(() => {
  many = temporaryDirectory();
  mkdirSync(join(many.path, 'many'));
  // FIFOs take the least time of all entries, because nothing reads them.
  execFileSync('/bin/sh', ['-c', 'seq 20500 | xargs mkfifo'], { cwd: join(many.path, 'many') });
});

afterAll(() => many.remove());

let base: string;
let root: string;
let manyAt: string | undefined;
let remove: () => void;
let client: InProcessClient | undefined;

beforeEach(() => {
  const made = temporaryDirectory();
  base = made.path;
  remove = made.remove;
  root = join(base, 'project');
  mkdirSync(root);
});

afterEach(async () => {
  await client?.end();
  client = undefined;
  if (manyAt !== undefined) renameSync(manyAt, join(many.path, 'many'));
  manyAt = undefined;
  remove();
});

async function start(): Promise<void> {
  // No journal: recording so many files takes long, and these tests do not need it.
  const options = ['--dialect', 'replay', '--sandbox', 'require', '--no-journal'];
  client = await InProcessClient.start([...options, '--state', join(base, 'state'), root]);
}

const run = (command: string) => client!.text('execute_command', { command });
const at = (...names: string[]) => join(root, ...names);

function layRepositories(...names: string[]): void {
  for (const name of names) layOut(at(name, '.git'), REPOSITORY);
}

function expectUnchanged(names: readonly string[]): void {
  const configs = names.map((name) => readFileSync(at(name, '.git/config'), 'utf8'));
  expect(configs).toEqual(names.map(() => ''));
}

function putManyAt(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  renameSync(join(many.path, 'many'), path);
  manyAt = path;
}

describe('one call that writes several files', () => {
  const REASON = /--allow-git-config/;
  const paths = (names: readonly string[]) => ({
    path: names.map((name) => at(name)),
    content: names.map(() => 'x\n'),
    line_count: names.map(() => 1),
  });

  it.each([
    ['in any order', ['x/HEAD', 'x/objects/a', 'x/refs/a', 'x/config']],
    ['the other way round', ['x/config', 'x/refs/a', 'x/objects/a', 'x/HEAD']],
    ['that has its configuration elsewhere', ['x/HEAD', 'x/commondir']],
    ['called .git in a new directory', ['x/y/.git/description']],
  ])('cannot make a repository %s', async (_, names) => {
    client = await InProcessClient.start(['--dialect', 'fileeditor', '--state', join(base, 'state'), root]);
    await client.text('set_workspace', { path: root });
    expect(await client.text('write_files', paths(names))).toMatch(REASON);
    expect(readdirSync(root)).toEqual([]);
  });
});

describe.runIf(boxed)('commands in the sandbox', () => {
  it('cannot make a repository in several steps, even among very many entries', async () => {
    putManyAt(at('node_modules/many'));
    await start();
    await run(`${make('parts')}; mv parts/HEAD parts/later; mkdir sub; echo 'gitdir: ../parts' > pointer`);
    // Files count as older than a command only beyond the precision of the file system's clock.
    const made = Date.now();
    await until(() => Date.now() > made + 100);
    await run('mv parts/later parts/HEAD; mv pointer sub/.git');
    expect(readdirSync(at('parts')).sort()).toEqual(['HEAD.refused', 'config', 'objects', 'refs']);
    expect(readdirSync(at('sub'))).toEqual(['.git.refused']);
  });

  it('cannot change the configuration of known repositories, even among very many entries', async () => {
    const names = ['one', 'two/inner', 'three/inner'];
    layRepositories(...names);
    await start();
    await run('true');
    putManyAt(at('many'));
    await run(`for name in ${names.join(' ')}; do echo evil >> $name/.git/config; done`);
    expectUnchanged(names);
  });

  it('cannot change repositories near the top, even with very many entries further down', async () => {
    putManyAt(at('some/deep/many'));
    const names = ['a', 'b', 'some/c', 'z'];
    layRepositories(...names);
    await start();
    await run(`for name in ${names.join(' ')}; do echo evil >> $name/.git/config; done`);
    expectUnchanged(names);
  });

  it('leave no repository behind in a directory whose name is not valid UTF-8', async () => {
    await start();
    const answer = await run(`D=$(printf 'x\\377'); ${make('"$D"/.git')}; ln -s "$D" link`);
    expect(answer).toContain('x\\xff/.git was made into a Git repository');
    expect(existsSync(at('link/.git/HEAD.refused'))).toBe(true);
    expect(existsSync(at('link/.git/HEAD'))).toBe(false);
  });

  it('leave no repository behind by taking away the permission to change or list it', () => {
    const commands = [
      `${make('fixed/.git')}; chmod 555 fixed/.git`,
      `${make('closed/in/.git')}; chmod 311 closed`,
      `${make('shut/.git')}; chmod 111 shut/.git shut`,
      'mkdir nothing; chmod 0 nothing',
    ];
    const { status, stderr } = new UnprivilegedUser(base, root).run(commands.join('; '));
    for (const name of ['closed', 'shut', 'shut/.git', 'nothing']) chmodSync(at(name), 0o755);
    for (const name of ['fixed', 'closed/in', 'shut'])
      expect(readdirSync(at(name, '.git')).sort()).toEqual(['HEAD.refused', 'config', 'objects', 'refs']);
    expect({ status, stderr }).toMatchObject({ status: 0 });
  });
});
