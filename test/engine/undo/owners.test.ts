/** Undo for a user who does not own everything and may not write everywhere. Root runs these tests as another user. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { program } from '../../client.ts';
import { soak } from '../../soak.ts';
import { layOut, readBack, type Tree, temporaryDirectory } from '../../tree.ts';

const NOBODY = 65534;

describe.skipIf(process.getuid?.() !== 0)('a user who is not root', () => {
  let home: { path: string; remove(): void };
  let root: string;

  beforeEach(() => {
    home = temporaryDirectory();
    root = join(home.path, 'root');
    cpSync(dirname(program), join(home.path, 'dist'), { recursive: true });
    copyFileSync(join(dirname(program), '../package.json'), join(home.path, 'package.json'));
    mkdirSync(root);
    chmodSync(home.path, 0o755);
    for (const path of [home.path, root]) chownSync(path, NOBODY, NOBODY);
  });
  afterEach(() => home.remove());

  function run(...args: string[]) {
    const command = [join(home.path, 'dist/cofferdam.cjs'), ...args, '--state', join(home.path, 'state')];
    const as = { uid: NOBODY, gid: NOBODY, cwd: root, env: { ...process.env, HOME: home.path } };
    return spawnSync(process.execPath, command, { ...as, encoding: 'utf8' });
  }
  const fine = (...args: string[]) => {
    const { status, stderr } = run(...args);
    expect([status, stderr]).toEqual([0, '']);
  };
  const call = (tool: string, args: object) =>
    expect(
      run('call', '--dialect', 'replay', tool, JSON.stringify(args), root, '--sandbox', 'off'),
    ).toMatchObject({ status: 0 });

  test('can restore a deleted file that belongs to somebody else, as it was', () => {
    layOut(root, { 'theirs.txt': 'of root\n', link: { link: 'x' }, 'd/theirs.txt': 'of root\n' });
    chownSync(join(root, 'd'), NOBODY, NOBODY);
    const before = readBack(root);
    for (const path of ['theirs.txt', 'link', 'd/theirs.txt']) {
      call('delete_file', { path: join(root, path) });
      const after = readBack(root);
      expect(after[path]).toBeUndefined();
      fine('undo');
      expect(readBack(root)).toEqual(before);
      expect(lstatSync(join(root, path)).uid).toBe(0);
      // Redo is no different for the other paths: the usual run tries it once.
      if (path !== soak('d/theirs.txt', path)) continue;
      fine('redo');
      expect(readBack(root)).toEqual(after);
      fine('undo');
      expect(readBack(root)).toEqual(before);
    }
  });

  test('can restore read-only directories that a command removed, with their modes', () => {
    const tree: Tree = {
      'ro/in/f.txt': 'f\n',
      'ro/in/none/': '',
      'ro/g.txt': 'g\n',
      'ro/link': { link: 'g.txt' },
    };
    layOut(root, tree);
    for (const path of ['ro', 'ro/in', 'ro/in/none', 'ro/in/f.txt', 'ro/g.txt', 'ro/link']) {
      lchownSync(join(root, path), NOBODY, NOBODY);
    }
    const modes = () => ['ro', 'ro/in', 'ro/in/none'].map((path) => statSync(join(root, path)).mode & 0o777);
    for (const [path, mode] of [
      ['ro/in/none', 0o500],
      ['ro/in', 0o555],
      ['ro', 0o555],
    ] as const) {
      chmodSync(join(root, path), mode);
    }
    call('execute_command', { command: 'chmod -R u+w ro; rm -rf ro' });
    expect(readBack(root)).toEqual({});
    for (let round = 0; round < soak(1, 2); round++) {
      fine('undo');
      expect(readBack(root)).toEqual(tree);
      expect(modes()).toEqual([0o555, 0o555, 0o500]);
      fine('redo');
      expect(readBack(root)).toEqual({});
    }
  });

  test('is told when a command ran on directories that the server could not read before or after it', () => {
    layOut(root, { 'closed/in': 'in\n', 'open/out': 'out\n', 'file.txt': 'file\n' });
    for (const path of ['closed', 'closed/in', 'open', 'open/out', 'file.txt'])
      chownSync(join(root, path), NOBODY, NOBODY);
    chmodSync(join(root, 'closed'), 0);
    const command = (line: string) => {
      const args = JSON.stringify({ command: line });
      const { stdout } = run(
        'call',
        '--dialect',
        'replay',
        'execute_command',
        args,
        root,
        '--sandbox',
        'off',
      );
      return stdout;
    };
    const undo = () => run('undo').status;

    // What was there before is not reported as new, and what is still there is not reported as removed.
    expect(command('chmod 755 closed; chmod 0 open file.txt; echo new > new.txt')).toContain(
      `not recorded: the server could not read "${join(root, 'closed')}" and 1 more`,
    );
    expect(undo()).toBe(0);
    chmodSync(join(root, 'open'), 0o755);
    expect(readBack(root)).toEqual({ 'closed/in': 'in\n', 'open/out': 'out\n', 'file.txt': 'file\n' });

    chmodSync(join(root, 'closed'), 0);
    expect(command('chmod 755 closed; rm closed/in')).toContain('not recorded');
    expect(run('history').stdout).toContain('does not know what was changed in it');
    expect(undo()).toBe(1);

    chmodSync(join(root, 'closed'), 0);
    expect(command('chmod 755 closed; rm -r closed')).toContain('could not read what was in it');
    expect(undo()).toBe(1);
  });
});
