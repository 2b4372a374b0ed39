/** A read-only directory inside a writable one: commands can neither change it nor move it away. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InProcessClient } from '../in-process.ts';
import { layOut, temporaryDirectory } from '../tree.ts';
import { boxed } from './commands-fixture.ts';

describe.skipIf(!boxed)('a read-only directory inside a writable one (needs bubblewrap)', () => {
  let base: ReturnType<typeof temporaryDirectory>;
  let work: string;
  let server: InProcessClient;
  const run = async (command: string) => {
    const { result, error } = await server.call('execute_command', { command });
    return error?.message ?? result!.content.map(({ text }) => text).join('\n');
  };
  const settings = () => readFileSync(join(work, 'a dir/config/prod/settings'), 'utf8');

  beforeEach(async () => {
    base = temporaryDirectory();
    work = join(base.path, 'work');
    layOut(base.path, {
      'work/a dir/config/prod/settings': 'safe\n',
      'work/a dir/config/other': '',
      'out/': '',
    });
    const roots = [work, `${join(work, 'a dir/config/prod')}:ro`];
    server = await InProcessClient.start(['--dialect', 'replay', '--sandbox', 'require', ...roots]);
  });

  afterEach(async () => {
    await server.end();
    base.remove();
  });

  it.each([
    ["mv 'a dir' b", 'echo bad > b/config/prod/settings'],
    ["mv 'a dir/config' 'a dir/config2'", "echo bad > 'a dir/config2/prod/settings'"],
    ["mv 'a dir/config' out", 'echo bad > out/prod/settings'],
    ["mv 'a dir/config/prod' prod", 'echo bad > prod/settings'],
    ['cd .. && mv work elsewhere', "echo bad > '../elsewhere/a dir/config/prod/settings'"],
    [
      "rm -rf 'a dir'; rmdir 'a dir/config' 'a dir'",
      "mkdir -p 'a dir/config/prod'; echo bad > 'a dir/config/prod/settings'",
    ],
    ["ln 'a dir/config/prod/settings' hard", 'echo bad > hard'],
    ["umount 'a dir/config/prod'; umount -l 'a dir/config'", "echo bad > 'a dir/config/prod/settings'"],
    [
      `mkdir -p swap; python3 -c "import ctypes; print(ctypes.CDLL(None).renameat2(-100, b'a dir', -100, b'swap', 2))"`,
      'echo bad > swap/config/prod/settings',
    ],
  ])('is not changed by `%s` followed by a second call `%s`', async (first, second) => {
    await run(first);
    await run(second);
    expect(settings()).toBe('safe\n');
    expect(await run("cat 'a dir/config/prod/settings'")).toBe('safe\n[exit code: 0]');
  });

  it('does not protect its siblings from changes and moves', async () => {
    const moved = "mkdir 'a dir/config/more' && mv 'a dir/config/more' x && mv 'a dir/config/other' y && ls";
    expect(await run(moved)).toContain('a dir\nx\ny\n');
  });

  it('blocks all commands, with a reason, while it is not in its place', async () => {
    renameSync(join(work, 'a dir'), join(work, 'b'));
    const refused = `${join(work, 'a dir/config/prod')} is not where it was when the server started`;
    expect(await run('echo bad > b/config/prod/settings')).toContain(refused);
    const { error } = await server.call('write_file', { path: 'b/config/prod/settings', content: 'bad' });
    expect(error).toMatchObject({ code: -32001 });
    const deleted = await server.call('delete_file', { path: 'b', recursive: true });
    expect(deleted.error?.code).toBeDefined();
    symlinkSync('../out', join(work, 'a dir'));
    expect(await run('true')).toContain(refused);
    expect(readdirSync(join(base.path, 'out'))).toEqual([]);
    unlinkSync(join(work, 'a dir'));
    mkdirSync(join(work, 'a dir/config/prod'), { recursive: true });
    expect(await run('true')).toContain(refused);
    renameSync(join(work, 'a dir'), join(work, 'c'));
    renameSync(join(work, 'b'), join(work, 'a dir'));
    expect(settings()).toBe('safe\n');
    expect(await run("cat 'a dir/config/prod/settings'")).toBe('safe\n[exit code: 0]');
  });

  it('must also be in its place if it is outside all other directories', async () => {
    renameSync(work, join(base.path, 'gone'));
    expect(await run('true')).toContain(`${work} is not where it was`);
    expect(existsSync(work)).toBe(false);
    symlinkSync('gone', work);
    expect(await run('true')).toContain(`${work} is not where it was`);
    unlinkSync(work);
    renameSync(join(base.path, 'gone'), work);
    expect(await run('echo on')).toBe('on\n[exit code: 0]');
  });
});
