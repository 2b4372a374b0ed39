/**
 * Commands open neither the FIFOs that they meet in directories nor ignore files that lead outside.
 *
 * Opening a FIFO that nobody writes to blocks, so a command that ends by itself has opened none.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InProcessClient } from '../in-process.ts';
import { type CommandsFixture, makeCommandsFixture, modes, startInProcess } from './commands-fixture.ts';

/** Commands that walk or compare directories, and what they print. */
const WALKS: readonly { args: string[]; prints: string | RegExp }[] = [
  { args: ['grep', '-rh', 'found', 'walk'], prints: 'found one\nfound two\n' },
  { args: ['grep', '-rhD', 'read', 'found', 'walk'], prints: 'found one\nfound two\n' },
  { args: ['grep', '-rh', '--devices=read', 'found', 'walk'], prints: 'found one\nfound two\n' },
  { args: ['grep', '-hD', 'read', '-d', 'recurse', 'found', 'walk'], prints: 'found one\nfound two\n' },
  { args: ['grep', '-hDread', '-drecurse', 'found', 'walk'], prints: 'found one\nfound two\n' },
  { args: ['rg', '--no-filename', '--sort=path', 'found', 'walk'], prints: 'found one\nfound two\n' },
  { args: ['rg', '-IN', '-uuu', '--sort=path', 'found', 'walk'], prints: 'found one\nfound two\n' },
  { args: ['rg', '--files', '--sort=path', 'walk'], prints: 'walk/a.txt\nwalk/sub/b.txt\n' },
  {
    args: ['rg', '--files', '--no-require-git', '--ignore-vcs', '--ignore-dot', 'walk/sub'],
    prints: 'walk/sub/b.txt\n',
  },
  { args: ['find', 'walk', '-type', 'p', '-name', 'pipe'], prints: /pipe\n/ },
  { args: ['diff', '-r', '--no-dereference', 'walk', 'walk2'], prints: /fifo/ },
  { args: ['diff', '-rN', '--no-dereference', 'walk', 'walk2'], prints: /fifo/ },
  { args: ['du', '-a', 'walk'], prints: /pipe\n/ },
  { args: ['ls', '-R', 'walk'], prints: /pipe\n/ },
  { args: ['file', '-b', 'walk/pipe'], prints: 'fifo (named pipe)\n' },
];

/** Commands that would open a FIFO by its name. */
const OPENS = [
  ...[
    'cat',
    'head',
    'tail',
    'wc',
    'sort',
    'uniq',
    'cut -c1',
    'grep x',
    'sed p',
    'awk 1',
    'rg x',
    'diff a.txt',
  ].map((command) => [...command.split(' '), 'walk/pipe']),
  ['grep', '-f', 'walk/pipe', 'a.txt'],
  ['grep', '--exclude-from=walk/pipe', '-r', 'x', '.'],
  ['sort', '-R', '--random-source=walk/pipe', 'a.txt'],
  ['rg', '--ignore-file=walk/pipe', 'x'],
  ['rg', '-f', 'walk/pipe', 'x'],
  ['du', '-X', 'walk/pipe', '.'],
  ['diff', '-X', 'walk/pipe', 'a.txt', 'b.txt'],
  // It would open namesakes/a.txt, which is a FIFO.
  ['diff', '--no-dereference', 'a.txt', 'namesakes'],
  ['diff', '--no-dereference', '--from-file=namesakes', 'a.txt'],
];

for (const mode of modes) {
  describe(mode, () => {
    let fixture: CommandsFixture;
    let server: InProcessClient;
    const call = async ([command, ...args]: readonly string[]) => {
      const { result } = await server.call('shell_exec', { command, args });
      return result!.content[0]!.text!;
    };
    const printed = async (args: readonly string[]) => {
      const text = await call(args);
      const [, stdout, stderr] = /^exit_code: \d+\nstdout:\n(.*)\nstderr:\n(.*)$/s.exec(text) ?? [text, text];
      expect(stderr ?? '').toBe('');
      return stdout!;
    };

    beforeAll(async () => {
      fixture = makeCommandsFixture();
      const put = (path: string, text: string) => writeFileSync(join(fixture.root, path), text);
      for (const name of ['walk/sub', 'walk2/sub', 'namesakes', 'tree/.git', 'tree/deep']) {
        mkdirSync(join(fixture.root, name), { recursive: true });
      }
      put('walk/a.txt', 'found one\n');
      put('walk/sub/b.txt', 'found two\n');
      const pipes = [
        'walk/pipe',
        'walk/.gitignore',
        'walk/sub/.ignore',
        'walk/only',
        'walk2/pipe',
        'namesakes/a.txt',
      ];
      execFileSync('mkfifo', ['.rgignore', ...pipes], { cwd: fixture.root });
      // Each of these would hide a file if rg read it.
      writeFileSync(join(fixture.base, '.ignore'), 'above-*\n');
      writeFileSync(join(fixture.base, '.gitignore'), 'above-*\n');
      writeFileSync(join(fixture.out, 'patterns'), 'outside-*\n');
      put('tree/above-1', 'needle\n');
      put('tree/outside-1', 'needle\n');
      put('tree/inside-1', 'needle\n');
      put('tree/seen', 'needle\n');
      put('tree/.gitignore', 'inside-*\n');
      put('tree/.git/HEAD', 'ref: refs/heads/main\n');
      symlinkSync(join(fixture.out, 'patterns'), join(fixture.root, 'tree/.ignore'));
      symlinkSync(join(fixture.out, 'patterns'), join(fixture.root, 'tree/deep/.rgignore'));
      put('tree/deep/outside-2', 'needle\n');
      server = await startInProcess(fixture, { mode });
    });

    afterAll(async () => {
      await server.end();
      fixture.remove();
    });

    for (const { args, prints } of WALKS) {
      it(`${args.join(' ')} skips FIFOs`, async () => {
        const stdout = await printed(args);
        if (typeof prints === 'string') expect(stdout.split('\n').sort()).toEqual(prints.split('\n').sort());
        else expect(stdout).toMatch(prints);
      });
    }

    for (const args of OPENS) {
      it(`${args.join(' ')} is refused`, async () => {
        expect(await call(args)).toMatch(/^ArgumentNotAllowed: /);
      });
    }

    it('rg ignores no file because of ignore files outside', async () => {
      const all = 'tree/above-1\ntree/deep/outside-2\ntree/inside-1\ntree/outside-1\ntree/seen\n';
      expect(await printed(['rg', '-l', '--sort=path', 'needle', 'tree'])).toBe(all);
      expect(
        await printed(['rg', '-l', '--sort=path', '--ignore-dot', '--ignore-vcs', 'needle', 'tree']),
      ).toBe(all);
    });
  });
}
