/** What a command can see of the server and the machine: little without a sandbox, almost nothing in one. */
import { readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RawClient } from '../client.ts';
import {
  boxed,
  type CommandsFixture,
  LEAK,
  makeCommandsFixture,
  modes,
  programOnPath,
  SECRET,
  startServer,
} from './commands-fixture.ts';

const ALL = 'replay,workspace,patch';

interface Ran {
  stdout: string;
  stderr: string;
  exitCode: number | null;
}

const shell = (server: RawClient, command: string) => server.text('execute_command', { command });

async function run(server: RawClient, command: string, script: string): Promise<Ran> {
  const args = command === 'node' ? ['-e', script] : ['-c', script];
  const envelope = JSON.parse(await server.text('run_command', { command, args })) as { data: Ran };
  return envelope.data;
}

describe.each(modes)('a command %s', (mode) => {
  let fixture: CommandsFixture;
  let server: RawClient;

  beforeAll(async () => {
    fixture = makeCommandsFixture();
    server = await startServer(fixture, { mode, dialect: ALL });
  });

  afterAll(async () => {
    await server.end();
    fixture.remove();
  });

  it("has nothing of the server's environment", async () => {
    const names = 'COFFERDAM_RUN HOME LANG LC_ALL LOGNAME PATH PWD SHELL TERM TMPDIR USER'.split(' ');
    const told = [
      await shell(server, 'env'),
      (await run(server, 'node', 'for (const k in process.env) console.log(k + "=" + process.env[k])'))
        .stdout,
      await server.text('shell_exec', {
        command: 'awk',
        args: ['BEGIN {for (k in ENVIRON) print k "=" ENVIRON[k]}'],
      }),
    ];
    for (const text of told) {
      expect(text).toContain('PATH=');
      expect(text).not.toContain(LEAK);
      const others = [...text.matchAll(/^(\w+)=/gm)]
        .map(([, name]) => name!)
        .filter((name) => !names.includes(name));
      // Shells set the first two by themselves, gawk the others.
      const own = ['_', 'OLDPWD', 'AWKPATH', 'AWKLIBPATH'];
      expect(others.filter((name) => !own.includes(name))).toEqual([]);
    }
  });

  it("has its own home and temporary directory, not the operator's", async () => {
    const told = await shell(server, 'echo "$HOME $TMPDIR"; touch "$HOME/x" "$TMPDIR/x" && echo both');
    expect(told).toMatch(/\nboth\n\[exit code: 0\]$/);
    expect(told).not.toContain(`${homedir()} `);
    expect(await shell(server, 'cd && pwd')).not.toBe(`${homedir()}\n[exit code: 0]`);
  });

  it('cannot make a link through which file tools get out', async () => {
    const plant = `ln -s ${fixture.out}/secret.txt planted; ln -s ${fixture.out} planted-dir; ln -s ../out/new.txt planted-new`;
    expect(await shell(server, plant)).toBe('(no output)\n[exit code: 0]');
    const at = (name: string) => join(fixture.root, name);
    for (const path of ['planted', 'planted-dir/secret.txt', 'planted-new', 'planted-dir/new.txt'].map(at)) {
      expect((await server.call('read_file', { path })).error).toMatchObject({ code: -32001 });
      expect((await server.call('write_file', { path, content: 'x' })).error).toMatchObject({ code: -32001 });
      const edits = [{ oldText: 'S3CRET', newText: 'x' }];
      expect((await server.call('edit_file', { path, edits })).error).toMatchObject({ code: -32001 });
    }
    for (const tool of ['workspace_read_file', 'workspace_write_file']) {
      const { result } = await server.call(tool, {
        file: 'planted',
        ...(tool.includes('write') && { content: 'x' }),
      });
      expect(result!.content[0]!.text).toContain('"code":"INVALID_PATH"');
    }
    for (const tool of ['append', 'patch_write_file']) {
      const { result } = await server.call(tool, { path: at('planted'), content: 'x' });
      expect(result!.content[0]!.text).toMatch(/^OutsideRoot: /);
    }
    const { result } = await server.call('shell_exec', { command: 'cat', args: ['planted'] });
    expect(result!.content[0]!.text).toBe('OutsideRoot: planted resolves outside the configured root');
    expect(readFileSync(join(fixture.out, 'secret.txt'), 'utf8')).toBe(`${SECRET}\n`);
  });

  it('cannot redirect the next call with a link in place of a file', async () => {
    writeFileSync(join(fixture.root, 'plain.txt'), 'plain\n');
    const cat = async () =>
      (await server.call('shell_exec', { command: 'cat', args: ['plain.txt'] })).result!.content[0]!.text!;
    expect(await cat()).toBe('exit_code: 0\nstdout:\nplain\n\nstderr:\n');
    await run(
      server,
      'node',
      `const fs=require('fs');fs.unlinkSync('plain.txt');fs.symlinkSync('${fixture.out}/secret.txt','plain.txt')`,
    );
    expect(await cat()).toBe('OutsideRoot: plain.txt resolves outside the configured root');
    const inThere = await server.call('run_command', {
      command: 'node',
      args: ['-e', '1'],
      cwd: 'planted-dir',
    });
    expect(inThere.result!.content[0]!.text).toContain('"code":"INVALID_PATH"');
  });

  it('does not make later calls run a program that it wrote into the root', async () => {
    await shell(
      server,
      'for p in cat node sh grep; do printf "#!/bin/sh\\necho planted\\n" > $p; chmod 755 $p; done',
    );
    expect(await shell(server, 'cat b.txt')).toBe('hello world\n7 pears\n[exit code: 0]');
    expect((await run(server, 'node', 'console.log(1)')).stdout).toBe('1\n');
    const { result } = await server.call('shell_exec', { command: 'grep', args: ['pears', 'b.txt'] });
    expect(result!.content[0]!.text).toBe('exit_code: 0\nstdout:\n7 pears\n\nstderr:\n');
  });
});

describe.runIf(boxed)('in bubblewrap', () => {
  let fixture: CommandsFixture;
  let server: RawClient;
  let hidden: string[];

  beforeAll(async () => {
    fixture = makeCommandsFixture();
    server = await startServer(fixture, { mode: 'in bubblewrap', dialect: ALL });
    const { pid } = server.child;
    hidden = [
      join(fixture.out, 'secret.txt'),
      join(fixture.root, 'dlink/secret.txt'),
      join(fixture.base, 'rootshop/x'),
      `/proc/${pid}/environ`,
      `/proc/${pid}/cwd/package.json`,
      `/proc/${pid}/root/etc/hostname`,
      `/proc/${process.pid}/environ`,
      join(homedir(), '.bashrc'),
      join(homedir(), '.profile'),
      '/etc/shadow',
      '/etc/hostname',
      '/var/log',
      '/proc/1/root/etc/shadow',
    ];
  });

  afterAll(async () => {
    await server.end();
    fixture.remove();
  });

  it('a secret beside the root, the home and the server cannot be read from sh', async () => {
    for (const path of hidden) {
      const told = await shell(server, `cat ${path} 2>&1 || ls -la ${path} 2>&1`);
      expect(told, path).not.toContain(SECRET);
      expect(told, path).not.toContain(LEAK);
      expect(told, path).toMatch(/No such file or directory|Permission denied|cannot access/);
    }
  });

  it('node cannot read the secret either', async () => {
    const script = `for (const p of ${JSON.stringify(hidden)}) try { console.log('READ', p, require('fs').readFileSync(p, 'utf8')) } catch (e) { console.log(e.code) }`;
    writeFileSync(join(fixture.root, 'look.js'), script);
    const told = JSON.parse(await server.text('run_command', { command: 'node', args: ['look.js'] })) as {
      data: Ran;
    };
    expect(told.data.stdout.trim().split('\n')).toHaveLength(hidden.length);
    expect(told.data.stdout).not.toMatch(/READ/);
  });

  it.runIf(programOnPath('python3'))('python3 cannot read the secret either', async () => {
    const script = `import os\nfor p in ${JSON.stringify(hidden)}:\n  try:\n    print('READ', os.listdir(p) if os.path.isdir(p) else open(p).read())\n  except OSError as e:\n    print(e.errno)\n`;
    writeFileSync(join(fixture.root, 'look.py'), script);
    const told = JSON.parse(await server.text('run_command', { command: 'python3', args: ['look.py'] })) as {
      data: Ran;
    };
    expect(told.data.stderr).toBe('');
    expect(told.data.stdout.trim().split('\n')).toHaveLength(hidden.length);
    expect(told.data.stdout).not.toMatch(/READ/);
  });

  it('the operator’s home is invisible, except for programs that are installed in it', async () => {
    const told = await shell(server, `ls -A ${homedir()} 2>&1`);
    expect(told).not.toMatch(/\.ssh|\.bash|\.profile|\.config|\.npm\b/);
  });

  it('only the processes of the command itself are visible', async () => {
    const told = await shell(server, 'ls /proc | grep -c "^[0-9]"; cat /proc/[0-9]*/cmdline | tr "\\0" " "');
    expect(told).not.toMatch(/cofferdam\.cjs|vitest/);
    expect(Number(told.split('\n')[0])).toBeLessThan(10);
  });

  it('nothing outside the root can be written', async () => {
    const before = fixture.snapshot().replaceAll(/^\.\/root.*\n/gm, '');
    for (const place of ['/usr/x', '/etc/x', '/x', '/bin/x', '/proc/sys/kernel/hostname'])
      expect(await shell(server, `echo x > ${place}`), place).not.toContain('[exit code: 0]');
    // If the root is inside /tmp, a command has a /tmp of its own around it.
    await shell(
      server,
      `echo x > ${fixture.out}/x; echo x > ${fixture.base}/x; echo x >> ${fixture.out}/secret.txt`,
    );
    expect(fixture.snapshot().replaceAll(/^\.\/root.*\n/gm, '')).toBe(before);
  });
});
