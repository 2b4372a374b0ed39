import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Commands } from '../../../../src/engine/run/commands.ts';
import type { RunFixture } from '../run-fixture.ts';
import { makeRunFixture, NO_SANDBOX, packagedRipgrep, SECRET } from '../run-fixture.ts';

let place: RunFixture;
let room: Commands;

beforeAll(async () => {
  place = makeRunFixture();
  process.env.LEAKME_VAR = 'LEAKED-from-the-server';
  room = await place.open({ sandbox: 'auto' });
});

afterAll(() => {
  delete process.env.LEAKME_VAR;
  place.close();
});

describe('bubblewrap', () => {
  const boxed = (name: string, test: (commands: Commands) => Promise<void>) =>
    it.concurrent(name, async ({ skip }) => {
      if (!room.sandboxed) return skip(NO_SANDBOX);
      await test(room);
    });

  const attempts = (
    path: string,
  ): [
    name: string,
    run: (commands: Commands) => Promise<{ stdout: string; stderr: string; exitCode: number | null }>,
  ][] => [
    ['sh', (commands) => commands.runShellLine(`cat '${path}'`)],
    ['node', (commands) => commands.runDeveloperTool('node', ['-p', `fs.readFileSync('${path}', 'utf8')`])],
    ['python3', (commands) => commands.runDeveloperTool('python3', ['-c', `print(open('${path}').read())`])],
  ];

  boxed('hides a secret beside the root from sh, node and python3', async (commands) => {
    for (const [name, attempt] of attempts(join(place.out, 'secret.txt'))) {
      const result = await attempt(commands);
      expect(result.stdout + result.stderr, name).not.toContain(SECRET);
      expect(result.exitCode, name).not.toBe(0);
    }
    expect((await commands.runShellLine('cat link; ls ..')).stdout).toBe('root\n');
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
      ['sh', commands.runShellLine(`ls -A '${home}' 2>/dev/null`)],
      [
        'node',
        commands.runDeveloperTool('node', [
          '-e',
          `try{console.log(fs.readdirSync('${home}').join('\\n'))}catch{}`,
        ]),
      ],
      [
        'python3',
        commands.runDeveloperTool('python3', [
          '-c',
          `import os\nprint("\\n".join(os.listdir('${home}') if os.path.exists('${home}') else []))`,
        ]),
      ],
    ];
    const real = readdirSync(home);
    for (const [name, run] of list) {
      const seen = (await run).stdout.split('\n').filter(Boolean);
      // Only the directories of programs that are installed there are visible, and nothing beside them.
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
      await commands.runShellLine(all),
      await commands.runDeveloperTool('node', ['-e', node]),
      await commands.runDeveloperTool('python3', ['-c', python]),
    ];
    for (const { stdout, stderr, exitCode } of runs) {
      expect(exitCode, stderr).toBe(0);
      expect(stdout).toContain('COFFERDAM_RUN');
      expect(stdout).not.toContain('LEAKED-from-the-server');
    }
    expect((await commands.runShellLine(`ls -d /proc/${process.pid}`)).exitCode).not.toBe(0);
  });

  boxed('shows only programs, libraries and a few made-up files of the system', async (commands) => {
    const { stdout } = await commands.runShellLine(
      'ls /; echo; ls /etc; echo; cat /etc/passwd /etc/shadow 2>&1',
    );
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

  boxed('leaves no way to write outside the root', async (commands) => {
    for (const path of ['/x', '/usr/x', '/etc/x', '/dev/x', '/proc/sys/kernel/hostname']) {
      const result = await commands.runShellLine(`echo x > '${path}'`);
      expect(result.exitCode, path).not.toBe(0);
    }
    await commands.runShellLine(`echo x > '${place.base}/x'; echo x > '${place.out}/x'; echo x > link`);
    expect(readFileSync(join(place.out, 'secret.txt'), 'utf8')).toBe(`${SECRET}\n`);
    expect(readdirSync(place.base).sort()).toEqual(['out', 'root', 'rootshop']);
  });

  boxed('shows a reading command the root read-only', async (commands) => {
    const result = await commands.runReadingCommand('stat', ['-f', '-c', '%i', '.']);
    expect(result.exitCode).toBe(0);
    const { stdout } = await commands.runReadingCommand('grep', ['-c', 'hello', 'a.txt']);
    expect(stdout).toBe('1\n');
  });

  boxed('leaves no descriptor open that leads out', async (commands) => {
    const { stdout } = await commands.runShellLine('ls -l /proc/self/fd');
    const targets = stdout.split('\n').flatMap((line) => line.split(' -> ')[1] ?? []);
    expect(targets.length).toBeGreaterThanOrEqual(4);
    for (const target of targets) {
      expect(target).toMatch(/^(?:\/dev\/null|pipe:\[\d+\]|socket:\[\d+\]|\/proc\/\d+\/fd)$/);
    }
  });

  boxed('gives commands no network unless it is allowed', async (commands) => {
    const server = createServer((socket) => socket.end('REACHED'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const connect = `require('net').connect(${port}, '127.0.0.1').on('data', (d) => console.log(String(d))).on('error', (e) => console.log(e.code))`;
    const open = await place.open({ sandbox: 'require', allowNet: true });
    expect((await commands.runDeveloperTool('node', ['-e', connect])).stdout).toBe('ECONNREFUSED\n');
    expect((await open.runDeveloperTool('node', ['-e', connect])).stdout).toBe('REACHED\n');
    server.close();
  });

  boxed('keeps a read-only root read-only for every command', async () => {
    const locked = makeRunFixture({ readOnly: true });
    try {
      const commands = await locked.open({ sandbox: 'require' });
      for (const run of [
        commands.runShellLine('echo x > new.txt'),
        commands.runDeveloperTool('node', ['-e', 'fs.writeFileSync("new.txt", "x")']),
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
    const result = await commands.runDeveloperTool('npm', ['run', '--silent', 'hi'], {
      cwd: join(place.root, 'pkg'),
    });
    expect(result.stdout).toBe('from-npm\n');
  });

  function installationParents(): string[] {
    return [packagedRipgrep(), ...(process.env.PATH ?? '').split(':')];
  }
});
