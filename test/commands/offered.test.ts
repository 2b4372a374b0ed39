import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InProcessClient, runInProcess } from '../in-process.ts';
import { boxed, type CommandsFixture, makeCommandsFixture } from './commands-fixture.ts';

let fixture: CommandsFixture;
/** A PATH with everything except bubblewrap. */
let withoutBubblewrap: string;
/** A PATH with a bubblewrap that does not work. */
let withBroken: string;

beforeAll(() => {
  fixture = makeCommandsFixture();
  withoutBubblewrap = join(fixture.base, 'programs');
  mkdirSync(withoutBubblewrap);
  for (const name of ['cat', 'grep', 'sed', 'awk', 'ls', 'sh', 'setpriv', 'python3']) {
    const real = ['/usr/bin', '/bin'].map((place) => join(place, name)).find((path) => existsSync(path));
    if (real) symlinkSync(real, join(withoutBubblewrap, name));
  }
  symlinkSync(process.execPath, join(withoutBubblewrap, 'node'));
  const broken = join(fixture.base, 'broken');
  mkdirSync(broken);
  writeFileSync(
    join(broken, 'bwrap'),
    '#!/bin/sh\n[ "$1" = --help ] && exit 0\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n',
  );
  chmodSync(join(broken, 'bwrap'), 0o755);
  withBroken = `${broken}:${withoutBubblewrap}`;
});

afterAll(() => fixture.remove());

async function offered(args: readonly string[], PATH?: string): Promise<{ names: string[]; said: string }> {
  const env = { ...process.env, ...(PATH !== undefined && { PATH }) };
  const client = await InProcessClient.start([...args, fixture.root], env);
  const { result } = await client.request('tools/list');
  while (!/; wall: /.test(client.stderr)) await new Promise((resolve) => setTimeout(resolve, 10));
  await client.end();
  return { names: (result!.tools as { name: string }[]).map(({ name }) => name), said: client.stderr };
}

const doctor = async (args: readonly string[], PATH = process.env.PATH) =>
  (await runInProcess(['doctor', ...args, fixture.root], { env: { ...process.env, PATH } })).stdout;

it('the start-up line mentions what commands change only if there are command tools', async () => {
  const state = ['--sandbox', 'off', '--state', join(fixture.base, 'state')];
  const none = await offered([...state, '--dialect', 'standard']);
  expect(none.said).toMatch(/; changes: kept in .* days$/m);
  const some = await offered([...state, '--dialect', 'replay']);
  expect(some.said).toMatch(
    / days; what commands change, up to 100,000 entries, not in .git and node_modules$/m,
  );
});

describe('--deny and --hide', () => {
  it('leave no command tool when no sandbox is active, and the server says so', async () => {
    for (const [args, PATH] of [
      [['--deny', 'secrets'], withoutBubblewrap],
      [['--hide', 'drafts/'], withBroken],
      [['--deny', '*.key', '--sandbox', 'off'], process.env.PATH],
    ] as const) {
      for (const [dialect, tool] of [
        ['patch', 'shell_exec'],
        ['replay', 'execute_command'],
      ] as const) {
        const { names, said } = await offered(['--dialect', dialect, ...args], PATH);
        expect(names).not.toContain(tool);
        expect(names.length).toBeGreaterThan(4);
        expect(said).toContain('no command tools are offered: files are denied or hidden here');
      }
    }
  });

  it('leave the command tools when the sandbox works', async ({ skip }) => {
    if (!boxed) return skip('bubblewrap is not installed or cannot make a sandbox here');
    const { names } = await offered(['--dialect', 'replay', '--deny', 'secrets']);
    expect(names).toContain('execute_command');
  });
});

describe('--sandbox require', () => {
  it('offers no command tool when bubblewrap is missing, and says so', async () => {
    for (const [dialect, tool] of [
      ['patch', 'shell_exec'],
      ['replay', 'execute_command'],
      ['workspace', 'run_command'],
    ]) {
      const args = ['--dialect', dialect!, '--sandbox', 'require'];
      const { names, said } = await offered(args, withoutBubblewrap);
      expect(names).not.toContain(tool);
      expect(names.length).toBeGreaterThan(4);
      expect(said).toContain('no command tools are offered: bubblewrap (bwrap) is not installed');
    }
  });

  it('does not run the tool even if a client calls it anyway', async () => {
    const args = ['--dialect', 'patch', '--sandbox', 'require', fixture.root];
    const client = await InProcessClient.start(args, { ...process.env, PATH: withoutBubblewrap });
    const { error } = await client.call('shell_exec', { command: 'cat', args: ['a.txt'] });
    expect(error).toMatchObject({ code: -32602 });
    await client.end();
  });

  it('offers none when bubblewrap does not work, and says why', async () => {
    const { names, said } = await offered(['--dialect', 'patch', '--sandbox', 'require'], withBroken);
    expect(names).not.toContain('shell_exec');
    expect(said).toContain('No permissions to create new namespace');
  });

  it.runIf(boxed)('offers them when bubblewrap works', async () => {
    const { names, said } = await offered(['--dialect', 'patch', '--sandbox', 'require']);
    expect(names).toContain('shell_exec');
    expect(said).toContain('commands: sandboxed by bubblewrap');
  });
});

describe('--sandbox auto and off', () => {
  it('warn in the start-up line when commands are not confined, in one line', async () => {
    const missing = await offered(['--dialect', 'patch'], withoutBubblewrap);
    expect(missing.names).toContain('shell_exec');
    expect(missing.said).toMatch(
      /commands: NOT confined by the system \(bubblewrap \(bwrap\) is not installed\)/,
    );
    const off = await offered(['--dialect', 'patch', '--sandbox', 'off']);
    expect(off.names).toContain('shell_exec');
    expect(off.said).toMatch(/commands: NOT confined by the system \(switched off\)/);
    const broken = await offered(['--dialect', 'patch'], withBroken);
    expect(broken.said).toMatch(/commands: REFUSED until the sandbox works \(bubblewrap .*No permissions/);
    for (const { said } of [missing, off, broken]) expect(said.trim().split('\n')).toHaveLength(1);
  });

  it('and require are the only values: any other ends the start with a clear message', async () => {
    const { status, stderr } = await runInProcess(['--sandbox', 'maybe', fixture.root]);
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining("--sandbox is auto, require or off, not 'maybe'"),
    ]);
  });
});

describe('doctor', () => {
  const measure = (told: string, name: string) =>
    told.split('\n').find((line) => line.includes(`commands: ${name}`)) ?? '';

  it.runIf(boxed)('shows each active measure', async () => {
    const told = await doctor([]);
    for (const name of [
      'argument rules',
      'bubblewrap',
      'no network',
      'no new privileges',
      'limits',
      'own environment',
      'nothing survives',
    ])
      expect(measure(told, name), name).toMatch(/^yes {2}/);
  });

  it('shows what is missing and why', async () => {
    const told = await doctor([], withoutBubblewrap);
    expect(measure(told, 'bubblewrap')).toMatch(/^no .*bubblewrap \(bwrap\) is not installed/);
    expect(measure(told, 'no network')).toMatch(/^no .*needs bubblewrap/);
    expect(measure(told, 'nothing survives')).toMatch(/^no /);
    expect(measure(told, 'argument rules')).toMatch(/^yes/);
    expect(measure(await doctor(['--sandbox', 'off']), 'bubblewrap')).toMatch(/^no .*switched off/);
    expect(await doctor(['--sandbox', 'require'], withoutBubblewrap)).toMatch(
      /^no {3}commands .*commands are refused: bubblewrap \(bwrap\) is not installed$/m,
    );
  });

  it.runIf(boxed)('shows when the network is allowed, and which variables are passed', async () => {
    const told = await doctor(['--allow-net', '--env', 'HOME']);
    expect(measure(told, 'no network')).toMatch(/^no .*the network is allowed/);
    expect(measure(told, 'own environment')).toContain('HOME');
  });
});

describe.runIf(boxed)('the network', () => {
  let listener: Server;
  let port: number;

  beforeAll(async () => {
    listener = createServer((socket) => socket.end('reached\n'));
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    port = (listener.address() as { port: number }).port;
  });

  afterAll(() => listener.close());

  const reach = async (flags: readonly string[]) => {
    const client = await InProcessClient.start([
      '--dialect',
      'workspace',
      '--sandbox',
      'require',
      ...flags,
      fixture.root,
    ]);
    const script = `require('net').connect(${port},'127.0.0.1').on('data',d=>console.log(String(d))).on('error',e=>console.log(e.code))`;
    const told = await client.text('run_command', { command: 'node', args: ['-e', script] });
    await client.end();
    return (JSON.parse(told) as { data: { stdout: string } }).data.stdout.trim();
  };

  it('is not available to commands', async () => {
    expect(await reach([])).toMatch(/^(?:ECONNREFUSED|ENETUNREACH)$/);
  });

  it('is available with --allow-net', async () => {
    expect(await reach(['--allow-net'])).toBe('reached');
  });
});
