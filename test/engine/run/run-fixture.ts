/** A root and a directory beside it, with every file that the abuse tables name. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Wall } from '../../../src/engine/confine/wall.ts';
import { EngineFailure } from '../../../src/engine/failures.ts';
import type { CommandsOptions } from '../../../src/engine/run/commands.ts';
import { Commands } from '../../../src/engine/run/commands.ts';

export interface RunFixture {
  base: string;
  root: string;
  out: string;
  wall: Wall;
  open(options?: Partial<CommandsOptions>): Promise<Commands>;
  close(): void;
}

export const SECRET = 'S3CRET-beside-the-root';

export function makeRunFixture(wallOptions: { readOnly?: boolean } = {}): RunFixture {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'cofferdam-run-')));
  const root = join(base, 'root');
  const out = join(base, 'out');
  for (const directory of [
    root,
    out,
    `${root}shop`,
    join(root, 'sub'),
    join(root, 'sub2'),
    join(root, 'victim'),
  ]) {
    mkdirSync(directory);
  }
  fillOutside(base, out);
  fillRoot(root, out);
  const wall = new Wall([{ path: root, writable: true }], wallOptions);
  const opened: Commands[] = [];
  return {
    base,
    root,
    out,
    wall,
    open: async (options = {}) => {
      const commands = await Commands.open({
        wall,
        sandbox: 'off',
        allowNet: false,
        environment: process.env,
        bundled: { rg: { path: packagedRipgrep(), copy: packagedRipgrep() } },
        ...options,
      });
      opened.push(commands);
      return commands;
    },
    close: () => {
      for (const commands of opened) commands.close();
      wall.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

function fillOutside(base: string, out: string): void {
  writeFileSync(join(out, 'secret.txt'), `${SECRET}\n`);
  writeFileSync(join(out, 'only-outside.txt'), 'outside\n');
  writeFileSync(join(base, 'rootshop', 'x'), `${SECRET}\n`);
}

function fillRoot(root: string, out: string): void {
  const put = (name: string, content: string) => writeFileSync(join(root, name), content);
  put('a.txt', 'hello world\n5 apples and -f\n10 /etc/passwd\n');
  put('b.txt', 'hello world\n7 pears\n');
  put('-weird.txt', 'hello -weird\n');
  put('pattern.txt', 'hello\n');
  put('redos.txt', `${'a'.repeat(40)}!\n`);
  put('big.txt', randomLines(1));
  put('big2.txt', randomLines(2));
  put('prog.sed', '1e id\n');
  put('prog.awk', 'BEGIN{system("id")}\n');
  put('list0', `${out}/secret.txt\0`);
  put('list1', `${out}/secret.txt\n`);
  put('magic', '0 string hello HELLO\n');
  put('sub/inner.txt', 'inner\n');
  put('sub2/inner.txt', 'inner\n');
  put('victim/v.txt', 'alive\n');
  writeFileSync(join(root, 'evil.sh'), `#!/bin/sh\ntouch ${out}/pwned\n`, { mode: 0o755 });
  const link = (target: string, name: string) => symlinkSync(target, join(root, name));
  link(join(out, 'secret.txt'), 'link');
  link(out, 'dlink');
  link('link', 'chain');
  link(join(out, 'missing.txt'), 'dangling');
  link('a.txt', 'inlink');
  link('sub', 'sublink');
  execFileSync('mkfifo', [join(root, 'pipe')]);
}

/** Lines in random order, the same each time. */
function randomLines(seed: number): string {
  let state = seed;
  let text = '';
  for (let line = 0; line < 20_000; line++) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    text += `${state % 5000}\n`;
  }
  return text;
}

export function packagedRipgrep(): string {
  const { rgPath } = createRequire(import.meta.url)('@vscode/ripgrep') as { rgPath: string };
  return rgPath;
}

/** The kind of failure with which a promise rejects. */
export function failureKind(run: Promise<unknown>): Promise<string> {
  return run.then(
    () => 'no failure',
    (thrown) => (thrown instanceof EngineFailure ? thrown.facts.kind : String(thrown)),
  );
}

/** Why a test in the sandbox is skipped. */
export const NO_SANDBOX = 'bubblewrap is not installed or cannot make a sandbox here';

/** Everything below a directory, with contents, to show that a command changed nothing. */
export function snapshot(directory: string): string {
  const script =
    'find . -printf "%p %y %m %s %l\\n" | LC_ALL=C sort; find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum';
  return execFileSync('/bin/sh', ['-c', script], { cwd: directory, encoding: 'utf8' });
}
