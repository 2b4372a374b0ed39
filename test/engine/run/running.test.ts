import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EngineFailure } from '../../../src/engine/failures.ts';
import type { Commands } from '../../../src/engine/run/commands.ts';
import { survivors, uniqueSeconds, waitForProcess } from './process-search.ts';
import type { Workshop } from './workshop.ts';
import { makeWorkshop, packagedRipgrep, SECRET } from './workshop.ts';

let place: Workshop;
const rooms = new Map<string, Commands>();

beforeAll(async () => {
  place = makeWorkshop();
  process.env.LEAKME_VAR = 'LEAKED-from-the-server';
  process.env.PASSED_VAR = 'passed on purpose';
  rooms.set('without a sandbox', await place.open({ sandbox: 'off', passEnv: ['PASSED_VAR', 'NOT_SET'] }));
  const boxed = await place.open({ sandbox: 'auto', passEnv: ['PASSED_VAR', 'NOT_SET'] });
  if (boxed.layers().some((layer) => layer.name === 'bubblewrap' && layer.active)) {
    rooms.set('in bubblewrap', boxed);
  }
});

afterAll(() => {
  delete process.env.LEAKME_VAR;
  delete process.env.PASSED_VAR;
  place.close();
});

const failureKind = (run: Promise<unknown>) =>
  run.then(
    () => 'no failure',
    (thrown) => (thrown instanceof EngineFailure ? thrown.facts.kind : String(thrown)),
  );

for (const kind of ['without a sandbox', 'in bubblewrap']) {
  const inRoom = (name: string, test: (commands: Commands) => Promise<void>) =>
    it.concurrent(name, async ({ skip }) => {
      const commands = rooms.get(kind);
      if (!commands) return skip('bubblewrap is not installed or cannot make a sandbox here');
      await test(commands);
    });

  describe(`a command ${kind}`, () => {
    inRoom('gives back its exit code and both streams', async (commands) => {
      const result = await commands.shell('echo out; echo err >&2; exit 7');
      expect(result).toMatchObject({
        exitCode: 7,
        signal: null,
        timedOut: false,
        endedBy: 'itself',
        stdout: 'out\n',
        stderr: 'err\n',
        stdoutTruncated: false,
        stdoutBytes: 4,
      });
    });

    inRoom('tells the signal that ended a program', async (commands) => {
      const result = await commands.develop('node', ['-e', 'process.kill(process.pid, "SIGSEGV")']);
      expect(result).toMatchObject({ exitCode: null, signal: 'SIGSEGV', timedOut: false });
    });

    inRoom('runs in the directory that was asked for', async (commands) => {
      const result = await commands.shell('pwd; ls', { cwd: join(place.root, 'sub') });
      expect(result.stdout).toBe(`${place.root}/sub\ninner.txt\n`);
    });

    inRoom('has empty input', async (commands) => {
      expect((await commands.shell('cat; echo end')).stdout).toBe('end\n');
    });

    inRoom('gets a fixed environment and what was named', async (commands) => {
      const { stdout } = await commands.shell('env');
      const names = stdout.split('\n').flatMap((line) => line.split('=')[0] || []);
      const fixed = ['HOME', 'LANG', 'LC_ALL', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'USER'];
      expect(
        names.filter((name) => !['_', 'PWD', 'OLDPWD', 'SHLVL', 'COFFERDAM_RUN'].includes(name)).sort(),
      ).toEqual([...fixed, 'PASSED_VAR'].sort());
      expect(stdout).toContain('PASSED_VAR=passed on purpose\n');
    });

    inRoom('can write to the root and to its temporary directory', async (commands) => {
      const result = await commands.shell(
        'echo made > made.txt && echo x > "$TMPDIR/t" && cat "$TMPDIR/t"; ls -d "$HOME"',
      );
      expect(result).toMatchObject({ exitCode: 0, stderr: '' });
      expect(readFileSync(join(place.root, 'made.txt'), 'utf8')).toBe('made\n');
    });

    inRoom('is ended in time, and what it printed is kept', async (commands) => {
      const seconds = uniqueSeconds();
      const result = await commands.shell(`echo first; sleep ${seconds}; echo never`, { timeoutMs: 300 });
      expect(result).toMatchObject({ exitCode: null, timedOut: true, endedBy: 'timeout', stdout: 'first\n' });
      expect(result.signal).toBe('SIGTERM');
      expect(await survivors(seconds)).toEqual([]);
    });

    inRoom('may clean up when it is asked to end', async (commands) => {
      const line = 'trap "echo cleaned; exit 0" TERM; echo on; while :; do sleep 0.05; done';
      const result = await commands.shell(line, { timeoutMs: 300 });
      expect(result).toMatchObject({ exitCode: null, timedOut: true, stdout: 'on\ncleaned\n' });
    });

    inRoom('that does not listen is killed after the grace', async (commands) => {
      const seconds = uniqueSeconds();
      const started = Date.now();
      const line = `trap "" TERM; echo on; sleep ${seconds}`;
      const result = await commands.shell(line, { timeoutMs: 200 });
      expect(result).toMatchObject({ exitCode: null, signal: 'SIGKILL', timedOut: true, stdout: 'on\n' });
      expect(Date.now() - started).toBeGreaterThanOrEqual(3000);
      expect(await survivors(seconds)).toEqual([]);
    });

    inRoom('takes children along that called setsid', async (commands) => {
      const seconds = uniqueSeconds();
      const line = `setsid sleep ${seconds} & sleep ${seconds}`;
      expect((await commands.shell(line, { timeoutMs: 300 })).timedOut).toBe(true);
      expect(await survivors(seconds)).toEqual([]);
    });

    inRoom('leaves no child behind that forked twice and closed its streams', async (commands) => {
      const seconds = uniqueSeconds();
      const line = `(setsid sh -c 'sleep ${seconds} & exit' </dev/null >/dev/null 2>&1 &); echo done`;
      expect(await commands.shell(line)).toMatchObject({ exitCode: 0, stdout: 'done\n' });
      expect(await survivors(seconds)).toEqual([]);
    });

    inRoom('leaves no child behind that dropped its environment as well', async (commands) => {
      const seconds = uniqueSeconds();
      const daemon = `env -i setsid sleep ${seconds} </dev/null >/dev/null 2>&1 & sleep 1`;
      const result = await commands.shell(`(${daemon}); echo done`);
      expect(result).toMatchObject({ exitCode: 0, stdout: 'done\n' });
      expect(await survivors(seconds)).toEqual([]);
    });

    inRoom('is not held up by a grandchild that keeps its output open', async (commands) => {
      const seconds = uniqueSeconds();
      const started = Date.now();
      const result = await commands.shell(`sleep ${seconds} & echo done`, { timeoutMs: 20_000 });
      expect(result).toMatchObject({ exitCode: 0, timedOut: false, stdout: 'done\n' });
      expect(Date.now() - started).toBeLessThan(8000);
      expect(await survivors(seconds)).toEqual([]);
    });

    inRoom('is killed at once when the call is cancelled', async (commands) => {
      const seconds = uniqueSeconds();
      const caller = new AbortController();
      const run = commands.shell(`trap "" TERM; sleep ${seconds}`, { signal: caller.signal });
      const kind = failureKind(run);
      await waitForProcess(seconds);
      const cancelled = Date.now();
      caller.abort();
      expect(await kind).toBe('cancelled');
      expect(Date.now() - cancelled).toBeLessThan(2500);
      expect(await survivors(seconds)).toEqual([]);
    });

    inRoom('is not started when the call was cancelled before', async (commands) => {
      expect(await failureKind(commands.shell('echo x', { signal: AbortSignal.abort() }))).toBe('cancelled');
    });

    inRoom('has each stream cut at the cap, between characters', async (commands) => {
      const line = 'i=0; while [ $i -lt 400 ]; do printf "aé€😀"; printf "éé" >&2; i=$((i+1)); done';
      const result = await commands.shell(line, { maxOutputBytes: 1024 });
      expect(result.stdout).toBe(`${'aé€😀'.repeat(102)}aé`);
      expect(result.stdout).not.toContain('\ufffd');
      expect(result).toMatchObject({ stdoutTruncated: true, stdoutBytes: 4000, exitCode: 0 });
      expect(result.stderr).toBe('é'.repeat(512));
      expect(result).toMatchObject({ stderrTruncated: true, stderrBytes: 1600 });
    });

    inRoom('that only reads cannot map much memory', async (commands) => {
      const result = await commands.read('awk', ['BEGIN{x="x";for(;;) x=x x}'], { timeoutMs: 10_000 });
      expect(result.timedOut).toBe(false);
      expect(result.exitCode === 0).toBe(false);
    });

    inRoom('must be in the list, by its bare name, and installed', async (commands) => {
      expect(await failureKind(commands.develop('bash', ['-c', 'id']))).toBe('command-not-allowed');
      expect(await failureKind(commands.develop('/usr/bin/node', ['-v']))).toBe('command-not-allowed');
      expect(await failureKind(commands.develop('./evil.sh', []))).toBe('command-not-allowed');
      const wider = await place.open({ allowCommands: ['no-such-program', 'sh'] });
      expect(await failureKind(wider.develop('no-such-program', []))).toBe('command-not-installed');
      expect((await wider.develop('sh', ['-c', 'echo wider'])).stdout).toBe('wider\n');
    });

    inRoom('runs where the wall allows it only', async (commands) => {
      expect(await failureKind(commands.shell('pwd', { cwd: place.out }))).toBe('outside');
      expect(await failureKind(commands.shell('pwd', { cwd: join(place.root, 'dlink') }))).toBe('outside');
      expect(await failureKind(commands.shell('pwd', { cwd: join(place.root, 'nowhere') }))).toBe(
        'not-found',
      );
      expect(await failureKind(commands.shell('pwd', { cwd: join(place.root, 'a.txt') }))).toBe(
        'not-a-directory',
      );
    });

    inRoom('can have a long line and many arguments, up to what the system takes', async (commands) => {
      const long = 'x'.repeat(100_000);
      expect((await commands.shell(`: ${long}; echo ok`)).stdout).toBe('ok\n');
      expect(await failureKind(commands.shell(`: ${long.repeat(30)}`))).toBe('io');
    });
  });
}

describe('bubblewrap', () => {
  const boxed = (name: string, test: (commands: Commands) => Promise<void>) =>
    it.concurrent(name, async ({ skip }) => {
      const commands = rooms.get('in bubblewrap');
      if (!commands) return skip('bubblewrap is not installed or cannot make a sandbox here');
      await test(commands);
    });

  const attempts = (
    path: string,
  ): [
    name: string,
    run: (commands: Commands) => Promise<{ stdout: string; stderr: string; exitCode: number | null }>,
  ][] => [
    ['sh', (commands) => commands.shell(`cat '${path}'`)],
    ['node', (commands) => commands.develop('node', ['-p', `fs.readFileSync('${path}', 'utf8')`])],
    ['python3', (commands) => commands.develop('python3', ['-c', `print(open('${path}').read())`])],
  ];

  boxed('hides a secret beside the root from sh, node and python3', async (commands) => {
    for (const [name, attempt] of attempts(join(place.out, 'secret.txt'))) {
      const result = await attempt(commands);
      expect(result.stdout + result.stderr, name).not.toContain(SECRET);
      expect(result.exitCode, name).not.toBe(0);
    }
    expect((await commands.shell('cat link; ls ..')).stdout).toBe('root\n');
  });

  boxed('shows sh, node and python3 the files in the root', async (commands) => {
    for (const [name, attempt] of attempts(join(place.root, 'b.txt'))) {
      const result = await attempt(commands);
      expect(result, name).toMatchObject({ exitCode: 0, stderr: '' });
      expect(result.stdout, name).toContain('7 pears');
    }
  });

  boxed('hides the home directory from sh, node and python3', async (commands) => {
    const home = homedir();
    const list: [string, Promise<{ stdout: string }>][] = [
      ['sh', commands.shell(`ls -A '${home}' 2>/dev/null`)],
      [
        'node',
        commands.develop('node', ['-e', `try{console.log(fs.readdirSync('${home}').join('\\n'))}catch{}`]),
      ],
      [
        'python3',
        commands.develop('python3', [
          '-c',
          `import os\nprint("\\n".join(os.listdir('${home}') if os.path.exists('${home}') else []))`,
        ]),
      ],
    ];
    const real = readdirSync(home);
    for (const [name, run] of list) {
      const seen = (await run).stdout.split('\n').filter(Boolean);
      // Only the directories of programs that were put there may be seen, and then nothing beside them.
      expect(seen.length, `${name} sees ${seen}`).toBeLessThan(Math.max(real.length, 1));
      for (const personal of [
        '.ssh',
        '.bashrc',
        '.profile',
        '.bash_history',
        '.npmrc',
        '.config',
        '.cache',
      ]) {
        expect(seen, name).not.toContain(personal);
      }
    }
  });

  boxed('hides the environment of the server from sh, node and python3', async (commands) => {
    const all = 'cat /proc/[0-9]*/environ /proc/self/environ 2>/dev/null; env';
    const node =
      'for(const p of fs.readdirSync("/proc"))try{console.log(fs.readFileSync(`/proc/${p}/environ`,"latin1"))}catch{}';
    const python =
      'import glob\nfor p in glob.glob("/proc/*/environ"):\n  try: print(open(p).read())\n  except Exception: pass';
    const runs = [
      await commands.shell(all),
      await commands.develop('node', ['-e', node]),
      await commands.develop('python3', ['-c', python]),
    ];
    for (const { stdout, stderr, exitCode } of runs) {
      expect(exitCode, stderr).toBe(0);
      expect(stdout).toContain('COFFERDAM_RUN');
      expect(stdout).not.toContain('LEAKED-from-the-server');
    }
    expect((await commands.shell(`ls -d /proc/${process.pid}`)).exitCode).not.toBe(0);
  });

  boxed('shows of the system only programs, libraries and a few made-up files', async (commands) => {
    const { stdout } = await commands.shell('ls /; echo; ls /etc; echo; cat /etc/passwd /etc/shadow 2>&1');
    const [top, etc] = stdout.split('\n\n').map((part) => part.split('\n'));
    for (const name of top!) {
      const expected = ['bin', 'dev', 'etc', 'lib', 'lib32', 'lib64', 'libx32', 'proc', 'sbin', 'tmp', 'usr'];
      const leadsToMount = [place.root, ...installationParents()].some((path) =>
        path.startsWith(`/${name}/`),
      );
      expect(expected.includes(name) || leadsToMount, name).toBe(true);
    }
    expect(etc).not.toContain('shadow');
    expect(etc).not.toContain('ssh');
    expect(stdout).not.toContain('root:');
  });

  boxed('leaves no way to write outside of the root', async (commands) => {
    for (const path of ['/x', '/usr/x', '/etc/x', '/dev/x', '/proc/sys/kernel/hostname']) {
      const result = await commands.shell(`echo x > '${path}'`);
      expect(result.exitCode, path).not.toBe(0);
    }
    await commands.shell(`echo x > '${place.base}/x'; echo x > '${place.out}/x'; echo x > link`);
    expect(readFileSync(join(place.out, 'secret.txt'), 'utf8')).toBe(`${SECRET}\n`);
    expect(readdirSync(place.base).sort()).toEqual(['out', 'root', 'rootshop']);
  });

  boxed('gives a reading command the root without leave to write', async (commands) => {
    const result = await commands.read('stat', ['-f', '-c', '%i', '.']);
    expect(result.exitCode).toBe(0);
    const { stdout } = await commands.read('grep', ['-c', 'hello', 'a.txt']);
    expect(stdout).toBe('1\n');
  });

  boxed('leaves no descriptor open that leads out', async (commands) => {
    const { stdout } = await commands.shell('ls -l /proc/self/fd');
    const targets = stdout.split('\n').flatMap((line) => line.split(' -> ')[1] ?? []);
    expect(targets.length).toBeGreaterThanOrEqual(4);
    for (const target of targets) {
      expect(target).toMatch(/^(?:\/dev\/null|pipe:\[\d+\]|socket:\[\d+\]|\/proc\/\d+\/fd)$/);
    }
  });

  boxed('has no network unless it is allowed', async (commands) => {
    const server = createServer((socket) => socket.end('REACHED'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const connect = `require('net').connect(${port}, '127.0.0.1').on('data', (d) => console.log(String(d))).on('error', (e) => console.log(e.code))`;
    const open = await place.open({ sandbox: 'require', allowNet: true });
    expect((await commands.develop('node', ['-e', connect])).stdout).toBe('ECONNREFUSED\n');
    expect((await open.develop('node', ['-e', connect])).stdout).toBe('REACHED\n');
    server.close();
  });

  boxed('keeps a read-only root read-only for every command', async () => {
    const locked = makeWorkshop({ readOnly: true });
    try {
      const commands = await locked.open({ sandbox: 'require' });
      for (const run of [
        commands.shell('echo x > new.txt'),
        commands.develop('node', ['-e', 'fs.writeFileSync("new.txt", "x")']),
      ]) {
        expect((await run).exitCode).not.toBe(0);
      }
      expect(readdirSync(locked.root)).not.toContain('new.txt');
    } finally {
      locked.close();
    }
  });

  boxed('lets npm and npx run', async (commands) => {
    mkdirSync(join(place.root, 'pkg'), { recursive: true });
    writeFileSync(join(place.root, 'pkg', 'package.json'), '{"name":"x","scripts":{"hi":"echo from-npm"}}');
    const result = await commands.develop('npm', ['run', '--silent', 'hi'], { cwd: join(place.root, 'pkg') });
    expect(result.stdout).toBe('from-npm\n');
  });

  function installationParents(): string[] {
    return [packagedRipgrep(), ...(process.env.PATH ?? '').split(':')];
  }
});
