/** A root and a directory beside it with what the abuse tables need, and servers that run commands there. */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { RawClient } from '../client.ts';
import { InProcessClient } from '../in-process.ts';
import { layOut, type Tree, temporaryDirectory } from '../tree.ts';

/** The content of every file outside the root that a command might read. */
export const SECRET = 'S3CRET-beside-the-root';
/** The value of a variable in the server's environment. */
export const LEAK = 'LEAKED-from-the-server';

export type Mode = 'in bubblewrap' | 'without a sandbox';

/** Whether bubblewrap is installed and can make a sandbox. Otherwise the tests that need it are skipped, and say so. */
export const boxed = bubblewrapWorks();
export const modes: readonly Mode[] = boxed ? ['in bubblewrap', 'without a sandbox'] : ['without a sandbox'];

function bubblewrapWorks(): boolean {
  try {
    const namespaces = [
      '--unshare-user',
      '--unshare-pid',
      '--unshare-net',
      '--proc',
      '/proc',
      '--dev',
      '/dev',
    ];
    execFileSync('bwrap', ['--ro-bind', '/', '/', ...namespaces, '/bin/sh', '-c', 'exit 0'], {
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
}

/** The path of a program on the PATH. Undefined when it is not installed. */
export function programOnPath(name: string): string | undefined {
  const places = (process.env.PATH ?? '').split(':').map((place) => join(place, name));
  return places.find((program) => existsSync(program));
}

/** Whether a reading command can be started. rg always can, because it comes with the package. */
export function isInstalled(command: string): boolean {
  return command === 'rg' || programOnPath(command) !== undefined;
}

export interface CommandsFixture {
  base: string;
  /** The directory that servers serve: `{ROOT}` in the tables. */
  root: string;
  /** The directory beside it: `{OUT}` in the tables. */
  out: string;
  /** Replaces `{ROOT}` and `{OUT}`, and `{3*ab}` by `ababab`. */
  fill(text: string): string;
  /** Every entry inside and outside with its type, mode, size, times and target: any change shows. */
  snapshot(): string;
  remove(): void;
}

export function makeCommandsFixture(): CommandsFixture {
  const temporary = temporaryDirectory();
  const base = temporary.path;
  const [root, out] = [join(base, 'root'), join(base, 'out')];
  layOut(out, { 'secret.txt': `${SECRET}\n`, 'only-outside.txt': 'outside\n', 'info/exclude': 'b.txt\n' });
  // rg would look for ignore files above the root, too.
  layOut(base, { '.ignore': 'a.txt\n', '.rgignore': 'a.txt\n', 'rootshop/x': `${SECRET}\n` });
  // After this link, `..` does not lead where it seems to.
  layOut(base, { 'deep/er/': '', turn: { link: 'deep/er' }, 'deep/root/a.txt': `${SECRET}\n` });
  layOut(root, insideOf(out));
  for (const odd of [
    'odd/--help',
    'odd/-e',
    'odd/-i',
    'odd/-exec',
    'odd/x=1',
    'odd/ARGC=2',
    'odd/new\nline',
    'odd/−f',
    'odd/*',
  ]) {
    writeFileSync(join(root, odd), `inside ${odd.slice(4)}\n`);
  }
  const fill = (text: string) =>
    text
      .replaceAll('{ROOT}', root)
      .replaceAll('{OUT}', out)
      .replace(/\{(\d+)\*([^}]+)\}/g, (_, times, part: string) => part.repeat(Number(times)));
  return {
    base,
    root,
    out,
    fill,
    snapshot: () =>
      execFileSync('/bin/sh', ['-c', 'find . -printf "%p %y %m %s %T@ %C@ %l\\n" | LC_ALL=C sort'], {
        cwd: base,
        encoding: 'utf8',
      }),
    remove: temporary.remove,
  };
}

function insideOf(out: string): Tree {
  const winding = 's/../'.repeat(800);
  return {
    'a.txt': 'hello world\n5 apples and -f\n10 /etc/passwd\n',
    'b.txt': 'hello world\n7 pears\n',
    '-weird.txt': 'hello -weird\n',
    'pattern.txt': 'hello\n',
    'crlf.txt': 'one\r\ntwo\r\n',
    'euro.txt': { repeat: '€', times: 100_000 },
    'redos.txt': `${'a'.repeat(40)}!\n`,
    'big.txt': disorder(1),
    'big2.txt': disorder(2),
    'prog.sed': '1e id\n',
    'prog.awk': 'BEGIN{system("id")}\n',
    list0: `${out}/secret.txt\0`,
    list1: `${out}/secret.txt\n`,
    magic: '0 string hello HELLO\n',
    'sub/inner.txt': 'inner\n',
    'sub2/inner.txt': 'inner\n',
    'victim/v.txt': 'alive\n',
    'evil.sh': { text: `#!/bin/sh\ntouch ${out}/pwned\n`, mode: '755' },
    's/': '',
    'odd/': '',
    pipe: { fifo: true },
    link: { link: '../out/secret.txt' },
    dlink: { link: '../out' },
    chain: { link: 'link' },
    dangling: { link: '../out/missing.txt' },
    absolute: { link: `${out}/secret.txt` },
    inlink: { link: 'a.txt' },
    sublink: { link: 'sub' },
    loop: { link: 'loop' },
    twisted: { link: '../turn' },
    twisting: { link: '../turn/../root/a.txt' },
    'holder/b.txt': { link: '../../out/secret.txt' },
    // Links that take so many steps together that a lookup may give up before the end.
    winding1: { link: `${winding}winding2` },
    winding2: { link: `${winding}winding3` },
    winding3: { link: `${winding}winding4` },
    winding4: { link: `${winding}dlink/secret.txt` },
  };
}

/** Lines in random order, the same each time. */
function disorder(seed: number): string {
  let state = seed;
  let text = '';
  for (let line = 0; line < 12_000; line++) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    text += `${state % 5000}\n`;
  }
  return text;
}

export interface ServerOptions {
  mode: Mode;
  dialect?: string;
  flags?: readonly string[];
  env?: Record<string, string>;
  /** Directories to serve besides the root. */
  roots?: readonly string[];
}

/** The command line of a server and its environment, with a variable that no command may see. */
function startOf(fixture: CommandsFixture, options: ServerOptions) {
  const { mode, dialect = 'patch', flags = [], env = {}, roots = [fixture.root] } = options;
  const sandbox = mode === 'in bubblewrap' ? 'require' : 'off';
  return {
    args: ['--dialect', dialect, '--sandbox', sandbox, ...flags, ...roots],
    env: { ...process.env, LEAKME_VAR: LEAK, SECRET_X: LEAK, ...env },
  };
}

/** Starts a server on the root in a separate process. */
export function startServer(fixture: CommandsFixture, options: ServerOptions): Promise<RawClient> {
  const { args, env } = startOf(fixture, options);
  return RawClient.start(args, env);
}

/** Starts one in the process of the test, for tests that do not depend on that. */
export function startInProcess(fixture: CommandsFixture, options: ServerOptions): Promise<InProcessClient> {
  const { args, env } = startOf(fixture, options);
  return InProcessClient.start(args, env);
}

/** Lowers the priority of a server and of everything that it starts from now on. */
export function yieldToOthers(server: RawClient): void {
  setPriority(server.child.pid!, 19);
}

/** The peak memory of a server, in MiB. */
export function peakMemory(server: RawClient): number {
  const status = readFileSync(`/proc/${server.child.pid}/status`, 'utf8');
  return Number(/^VmHWM:\s*(\d+)/m.exec(status)![1]) / 1024;
}

const SPIED = 'grep sed awk find cat head tail wc sort uniq cut tr diff file stat ls du'.split(' ');

/**
 * Makes programs that log that they were started and then execute the real ones. With their directory first on a
 * server's PATH, they show whether a call has started anything.
 */
export function makeSpies(fixture: CommandsFixture): { path: string; started(): string[]; forget(): void } {
  const directory = join(fixture.base, 'spies');
  const log = join(fixture.base, 'spies.log');
  mkdirSync(directory);
  for (const name of SPIED) {
    const real = programOnPath(name);
    if (!real) continue;
    const spy = join(directory, name);
    writeFileSync(spy, `#!/bin/sh\necho ${name} >> ${log}\nexec ${real} "$@"\n`);
    chmodSync(spy, 0o755);
  }
  return {
    path: `${directory}:${process.env.PATH}`,
    started: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []),
    forget: () => copyFileSync('/dev/null', log),
  };
}

export interface Row {
  command: string;
  args: string[];
  effect: string;
  /** deny: it is refused; contain: it is cut off in time and size; inert: it is harmless; allow: it works. */
  expect: 'deny' | 'contain' | 'inert' | 'allow';
  /** How the refusal begins, if that matters. */
  refusal?: string;
  /** What a row that works prints, exactly. */
  stdout?: string;
  exit?: number;
}

function rowsOf(table: URL): Row[] {
  return JSON.parse(readFileSync(table, 'utf8')) as Row[];
}

/** The rows of the agreed table, and those of our own. */
export const agreedRows = rowsOf(new URL('../engine/run/abuse.json', import.meta.url));
export const ownRows = rowsOf(new URL('abuse-of-our-own.json', import.meta.url));

export function titleOf({ command, args, effect }: Row): string {
  return `${JSON.stringify([command, ...args]).slice(0, 110)}: ${effect}`;
}
