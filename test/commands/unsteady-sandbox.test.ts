/** If an installed sandbox fails, no command runs until it works. If there is none, the server says so everywhere. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { planSandbox } from '../../src/engine/run/sandbox/sandbox.ts';
import { program } from '../client.ts';
import { InProcessClient } from '../in-process.ts';
import { temporaryDirectory } from '../tree.ts';
import { boxed, programOnPath } from './commands-fixture.ts';

let base: ReturnType<typeof temporaryDirectory>;
let root: string;

beforeEach(() => {
  base = temporaryDirectory();
  root = join(base.path, 'root');
  mkdirSync(root);
  mkdirSync(join(base.path, 'bin'));
});

afterEach(() => base.remove());

/** A PATH with a script as `bwrap`. In the script, `$real` is the bwrap that works. */
function withBubblewrap(script: string): NodeJS.ProcessEnv {
  const file = join(base.path, 'bin/bwrap');
  const draft = join(base.path, 'bwrap-draft');
  writeFileSync(draft, `#!/bin/sh\nreal=${programOnPath('bwrap')}\n${script}\n`);
  chmodSync(draft, 0o755);
  // A shell reads its script while it runs it, so a running script must not find the file empty.
  renameSync(draft, file);
  return { ...process.env, PATH: `${join(base.path, 'bin')}:${process.env.PATH}` };
}

/** A PATH without bwrap. */
function withoutBubblewrap(): NodeJS.ProcessEnv {
  for (const name of ['cat', 'sh', 'setpriv'])
    symlinkSync(programOnPath(name)!, join(base.path, 'bin', name));
  symlinkSync(process.execPath, join(base.path, 'bin/node'));
  return { ...process.env, PATH: join(base.path, 'bin') };
}

const TOOLS = [
  ['replay', 'execute_command', { command: 'echo ran!' }],
  ['patch', 'shell_exec', { command: 'cat', args: ['x'] }],
  ['workspace', 'run_command', { command: 'node', args: ['-e', 'console.log("r" + "an!")'] }],
] as const;

describe.skipIf(!boxed)('an installed bubblewrap (needs bubblewrap)', () => {
  it.each(TOOLS)(
    'makes %s refuse every command while it fails, until it works',
    async (dialect, tool, args) => {
      const flag = join(base.path, 'broken');
      writeFileSync(flag, '');
      writeFileSync(join(root, 'x'), 'ran!\n');
      const env = withBubblewrap(
        `[ -e ${flag} ] && { echo "bwrap: out of luck" >&2; exit 1; }\nexec $real "$@"`,
      );
      const server = await InProcessClient.start(['--dialect', dialect, root], env);
      try {
        await server.says('commands: REFUSED until the sandbox works');
        for (let round = 0; round < 2; round++) {
          const refused = JSON.stringify(await server.call(tool, args));
          expect(refused).toContain('bubblewrap');
          expect(refused).not.toContain('ran!');
        }
        rmSync(flag);
        expect(JSON.stringify((await server.call(tool, args)).result)).toContain('ran!');
        writeFileSync(flag, '');
        const again = await server.call(tool, args);
        expect(JSON.stringify(again)).toContain('out of luck');
      } finally {
        await server.end();
      }
    },
  );

  it('is neither used nor reported missing if it is only in a served directory', async () => {
    symlinkSync(programOnPath('bwrap')!, join(root, 'bwrap'));
    const env = { ...process.env, PATH: root };
    const server = await InProcessClient.start(['--dialect', 'replay', root], env);
    try {
      const { result } = await server.request('tools/list');
      expect(JSON.stringify(result)).not.toContain('NOT confined');
      const answer = JSON.stringify(await server.call('execute_command', { command: 'echo r""an' }));
      expect(answer).toContain('is in a served directory');
      expect(answer).not.toContain('ran');
    } finally {
      await server.end();
    }
  });

  it('keeps all of its features after a single failure', async () => {
    const log = join(base.path, 'log');
    const failed = join(base.path, 'failed');
    const once = `[ "$1" = --help ] || [ -e ${failed} ] || { : > ${failed}; exit 1; }`;
    const env = withBubblewrap(`echo "$@" >> ${log}; ${once}\nexec $real "$@"`);
    const layers = async () => {
      writeFileSync(log, '');
      const server = await InProcessClient.start(['--dialect', 'replay', root], env);
      await server.text('execute_command', { command: 'true' });
      await server.end();
      const started = readFileSync(log, 'utf8')
        .split('\n')
        .find((line) => line.includes('exec "$@"'))!;
      return started.match(/--disable-userns|--seccomp/g);
    };
    const first = await layers();
    expect(readFileSync(log, 'utf8')).toContain('echo ran');
    expect(first).toEqual(await layers());
  });

  it('may be slow: the server waits for it', async () => {
    const log = join(base.path, 'log');
    const env = withBubblewrap(`echo "$1" >> ${log}; [ "$1" = --help ] && sleep 6\nexec $real "$@"`);
    const server = await InProcessClient.start(['--dialect', 'replay', root], env);
    try {
      expect(await server.text('execute_command', { command: 'hostname' })).toBe('cofferdam\n[exit code: 0]');
      expect(readFileSync(log, 'utf8').match(/--help/g)).toHaveLength(1);
    } finally {
      await server.end();
    }
  });
});

describe('bubblewrap during a trial', () => {
  const plan = (script: string, patienceMs?: number) => {
    withBubblewrap(script);
    const bwrap = { path: join(base.path, 'bin/bwrap'), passedOver: undefined };
    return planSandbox('auto', bwrap, false, patienceMs);
  };

  it('may hang: the server refuses calls before clients give up', async () => {
    const flag = join(base.path, 'go');
    const hangs = `while [ ! -e ${flag} ]; do sleep 0.02; done\necho "bwrap: out of luck" >&2; exit 1`;
    const why = 'bubblewrap has not answered for 0.02 s; the server keeps waiting for it';
    expect(await plan(hangs, 20)).toEqual({ kind: 'failing', why });
    // A call that arrives when the trial is already late does not wait again.
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 30_000);
    const later = { kind: 'failing', why: why.replace('0.02', '20') };
    expect(await plan(hangs).finally(() => clock.mockRestore())).toEqual(later);
    writeFileSync(flag, '');
    // The trial has continued, and the next call gets its result.
    const result = 'bubblewrap cannot make a sandbox here: bwrap: out of luck';
    expect(await plan(hangs)).toEqual({ kind: 'failing', why: result });
  });

  it.each([
    ['ends well without a command', 'exit 0', 'it ended without starting the command'],
    ['says why it fails', 'echo "bwrap: out of luck" >&2; exit 1', 'bwrap: out of luck'],
    ['never stops talking', 'exec yes talk >&2', 'talk'],
  ])('is not used if it %s', async (_, script, why) => {
    const refused = { kind: 'failing', why: `bubblewrap cannot make a sandbox here: ${why}` };
    expect(await plan(script)).toEqual(refused);
  });
});

describe('bubblewrap that cannot be started', () => {
  it.each([
    ['without the right to run it', (file: string) => writeFileSync(file, '', { mode: 0o644 })],
    ['a link that leads nowhere', (file: string) => symlinkSync('/nonexistent/bwrap', file)],
  ])('does not count as missing: %s', async (_, put) => {
    put(join(base.path, 'bin/bwrap'));
    const server = await InProcessClient.start(['--dialect', 'replay', root], withoutBubblewrap());
    try {
      const { result } = await server.request('tools/list');
      expect(JSON.stringify(result)).not.toContain('NOT confined');
      const answer = JSON.stringify(await server.call('execute_command', { command: 'echo r""an' }));
      expect(answer).toContain('cannot be run by this user');
      expect(answer).not.toContain('ran');
    } finally {
      await server.end();
    }
  });
});

describe('commands without any bubblewrap', () => {
  const NOT = /NOT confined.*bubblewrap \(bwrap\) is not installed/;

  it.each(TOOLS)(
    'run in %s, and its list of tools says that nothing confines them',
    async (dialect, tool, args) => {
      writeFileSync(join(root, 'x'), 'ran!\n');
      const server = await InProcessClient.start(['--dialect', dialect, root], withoutBubblewrap());
      const { result } = await server.request('tools/list');
      const tools = result!.tools as { name: string; description: string }[];
      for (const { name, description } of tools) expect(NOT.test(description), name).toBe(name === tool);
      expect(JSON.stringify((await server.call(tool, args)).result)).toContain('ran!');
      await server.end();
      expect(server.stderr).toMatch(NOT);
    },
  );

  it('are reported as not confined by doctor, with install instructions, by call, and in the trace', () => {
    const env = { ...withoutBubblewrap(), COFFERDAM_STATE: join(base.path, 'state') };
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [program, ...args], { env, encoding: 'utf8' });
    expect(run('doctor', root).stdout).toMatch(NOT);
    const state = ['--state', join(base.path, 'state')];
    const called = run(
      'call',
      'execute_command',
      '{"command":"echo ran"}',
      '--dialect',
      'replay',
      ...state,
      root,
    );
    expect(called.stdout).toContain('ran');
    expect(called.stderr).toMatch(NOT);
    const traced = run('trace', '--json', ...state);
    expect(JSON.parse(traced.stdout.trim().split('\n').at(-1)!)).toMatchObject({ confined: false });
  });

  it('are also reported as not confined when the operator switched the sandbox off', async () => {
    const server = await InProcessClient.start(['--dialect', 'replay', '--sandbox', 'off', root]);
    const { result } = await server.request('tools/list');
    const tools = result!.tools as { name: string; description: string }[];
    const described = tools.find(({ name }) => name === 'execute_command')!.description;
    expect(described).toContain('NOT confined on this machine (switched off)');
    await server.end();
  });
});
