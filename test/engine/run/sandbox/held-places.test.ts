import { execFileSync, spawnSync } from 'node:child_process';
import { lstatSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asMountPoint } from '../../../../src/engine/confine/mounts.ts';
import {
  holdDirectoriesBetween,
  releaseDirectories,
  type SandboxPlace,
} from '../../../../src/engine/run/sandbox/held-places.ts';
import { whenMounted } from '../../../../src/engine/run/sandbox/mount-check.ts';
import { heldBelow } from '../../../descriptors.ts';
import { layOut, temporaryDirectory } from '../../../tree.ts';

const onLinux = process.platform === 'linux';

describe.runIf(onLinux)('the directories between held places (needs Linux)', () => {
  let base: ReturnType<typeof temporaryDirectory>;
  const place = (path: string, writable: boolean): SandboxPlace => {
    const { dev, ino } = lstatSync(join(base.path, path), { bigint: true });
    return { path: join(base.path, path), identity: `${dev}:${ino}`, fd: undefined, writable };
  };
  const open = () => heldBelow(base.path);

  beforeEach(() => {
    base = temporaryDirectory();
    layOut(base.path, { 'w/a/b/locked/x': '', 'w/a/b/locked/c/open/y': '', 'w/a/file': '' });
  });

  afterEach(() => base.remove());

  it('are held once each, and writable like the place around them', () => {
    const places = ['w', 'w/a/b/locked', 'w/a/b/locked/c/open', 'w/a/file'];
    const between = holdDirectoriesBetween(places.map((path) => place(path, path !== 'w/a/b/locked')));
    const seen = between.map(({ path, writable }) => [path.slice(base.path.length), writable]);
    expect(seen).toEqual([
      ['/w/a', true],
      ['/w/a/b', true],
      ['/w/a/b/locked/c', false],
    ]);
    releaseDirectories(between);
  });

  it('are released even when a place was moved', () => {
    const places = [place('w', true), place('w/a/b/locked', false), place('w/a/file', false)];
    const before = open();
    releaseDirectories(holdDirectoriesBetween(places));
    renameSync(join(base.path, 'w/a/file'), join(base.path, 'w/a/file2'));
    expect(() => holdDirectoriesBetween(places)).toThrow(/w\/a\/file is not where it was/);
    expect(open()).toEqual(before);
  });
});

describe.runIf(onLinux)('a command that checks its mounts (needs Linux)', () => {
  const start = (places: string[]) => {
    const [file, ...args] = whenMounted(places, ['/bin/echo', 'a  b']);
    return spawnSync(file!, args, { encoding: 'utf8' });
  };

  it('starts when all mounts are there, with its arguments unchanged', () => {
    const some = execFileSync('cut', ['-d', ' ', '-f', '5', '/proc/self/mountinfo'], { encoding: 'utf8' });
    expect(start(some.trim().split('\n').slice(0, 3))).toMatchObject({ status: 0, stdout: 'a  b\n' });
    expect(start([])).toMatchObject({ status: 0, stdout: 'a  b\n' });
  });

  it('does not start when a mount is missing', () => {
    expect(start(['/proc', '/pro*'])).toMatchObject({ status: 1, stdout: '' });
  });

  it('knows how the system escapes the paths of mounts', () => {
    expect(asMountPoint('/a b/c\td\\e\n#é')).toBe('/a\\040b/c\\011d\\134e\\012#é');
  });
});
