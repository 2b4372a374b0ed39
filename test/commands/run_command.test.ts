/** workspace's run_command through a server, with bubblewrap and without. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InProcessClient } from '../in-process.ts';
import { proves } from '../proves.ts';
import { timedOutWhileRunning } from '../timed-out.ts';
import {
  type CommandsFixture,
  LEAK,
  makeCommandsFixture,
  modes,
  programOnPath,
  startInProcess,
} from './commands-fixture.ts';

interface Envelope {
  ok: boolean;
  data: {
    command: string;
    args: string[];
    cwd: string;
    exitCode: number | null;
    signal: string | null;
    timedOut: boolean;
    stdout: string;
    stderr: string;
    stdoutTruncated: boolean;
    stderrTruncated: boolean;
  };
  error: { code: string; message: string; details: Record<string, unknown> };
}

async function envelopeOf(server: InProcessClient, args: object): Promise<Envelope> {
  const { result } = await server.call('run_command', args);
  const envelope = JSON.parse(result!.content[0]!.text!) as Envelope;
  expect(result!.isError ?? false).toBe(!envelope.ok);
  return envelope;
}

const node = (script: string, more: object = {}) => ({ command: 'node', args: ['-e', script], ...more });

describe.concurrent.each(modes)('run_command %s', (mode) => {
  let fixture: CommandsFixture;
  let server: InProcessClient;
  const run = (args: object) => envelopeOf(server, args);

  beforeAll(async () => {
    fixture = makeCommandsFixture();
    server = await startInProcess(fixture, { mode, dialect: 'workspace' });
  });

  afterAll(async () => {
    await server.end();
    fixture.remove();
  });

  it('answers with these fields in this order', async () => {
    proves('workspace.run_command.output', 'workspace.run_command.manual.version');
    const { result } = await server.call('run_command', { command: 'npm', args: ['--version'] });
    expect(result!.content[0]!.text).toMatch(
      /^\{"ok":true,"data":\{"command":"npm","args":\["--version"\],"cwd":"\.","exitCode":0,"signal":null,"timedOut":false,"stdout":"\d+\.\d+\.\d+[^"]*\\n","stderr":"","stdoutTruncated":false,"stderrTruncated":false\}\}$/,
    );
    expect(result!.isError).toBeUndefined();
  });

  it('is ok with any exit code, separates both streams, and logs neither of them', async () => {
    proves('workspace.run_command.log');
    const print = 'console.log("print" + "ed");console.error("al" + "so");process.exit(3)';
    const { ok, data } = await run(node(print));
    expect(ok).toBe(true);
    expect(data).toMatchObject({ exitCode: 3, signal: null, stdout: 'printed\n', stderr: 'also\n' });
    expect(server.stderr).not.toMatch(/printed|also/);
  });

  it('reports the signal that ended it', async () => {
    const { data } = await run(node('process.kill(process.pid, "SIGKILL")'));
    expect(data).toMatchObject({ exitCode: null, signal: 'SIGKILL', timedOut: false });
  });

  it('is ended at the time limit, and its output is kept', async () => {
    proves(
      'workspace.run_command.timeout',
      'workspace.run_command.manual.timeout',
      'workspace.decided.timed-out',
    );
    const runIntoLimit = (script: string) =>
      timedOutWhileRunning(
        (seconds) => run(node(script, { timeoutMs: seconds * 1000 })),
        ({ data }) => data.stdout !== '',
      );
    const [waiting, stubborn] = await Promise.all([
      runIntoLimit('console.log("so far");setTimeout(()=>{},100000)'),
      runIntoLimit('process.on("SIGTERM",()=>console.log("no"));console.log("on");setInterval(()=>{},1000)'),
    ]);
    expect(waiting).toMatchObject({
      ok: true,
      data: { exitCode: null, signal: 'SIGTERM', timedOut: true, stdout: 'so far\n' },
    });
    expect(stubborn.data).toMatchObject({
      exitCode: null,
      signal: 'SIGKILL',
      timedOut: true,
      stdout: 'on\nno\n',
    });
  });

  it('has each stream truncated at the cap, between characters', async () => {
    proves('workspace.run_command.truncation', 'workspace.decided.character-boundary');
    const print = 'process.stdout.write("€".repeat(1000));process.stderr.write("x".repeat(1024))';
    const { data } = await run(node(print, { maxOutputBytes: 1024 }));
    expect(data).toMatchObject({ stdout: '€'.repeat(341), stdoutTruncated: true });
    expect(data).toMatchObject({ stderr: 'x'.repeat(1024), stderrTruncated: false });
    const other = await run(node('process.stderr.write("é".repeat(40000))'));
    expect(other.data).toMatchObject({
      stderr: 'é'.repeat(32768),
      stderrTruncated: true,
      stdoutTruncated: false,
    });
    const largest = await run(node('process.stdout.write("x".repeat(300000))', { maxOutputBytes: 262144 }));
    expect(largest.data.stdout.length).toBe(262144);
  });

  it('runs without a shell', async () => {
    proves('workspace.run_command.no-shell');
    const words = ['$(id)', '`id`', '; touch pwned', '*', '>x', '"', "'", '\n', '$HOME', '~'];
    const { data } = await run(node('console.log(JSON.stringify(process.argv.slice(1)))', {}));
    expect(data.stdout).toBe('[]\n');
    const args = ['-e', 'console.log(JSON.stringify(process.argv.slice(1)))', '--', ...words];
    const told = await run({ command: 'node', args });
    expect(JSON.parse(told.data.stdout)).toEqual(words);
    expect(told.data.args).toEqual(args);
  });

  it('runs in the requested directory, and shows its normalised name', async () => {
    const here = 'console.log(process.cwd())';
    expect((await run(node(here))).data).toMatchObject({ cwd: '.', stdout: `${fixture.root}\n` });
    expect((await run(node(here, { cwd: 'workspace/./sub/' }))).data).toMatchObject({
      cwd: 'sub',
      stdout: `${fixture.root}/sub\n`,
    });
    expect((await run(node(here, { cwd: 'sublink' }))).data.stdout).toBe(`${fixture.root}/sub\n`);
    expect((await run(node(here, { cwd: 'dlink' }))).error).toMatchObject({ code: 'INVALID_PATH' });
  });

  it('takes the arguments that the schema allows, and no more', async () => {
    const echo = 'console.log(process.argv.length)';
    const most = ['-e', echo, '--', ...Array<string>(61).fill('x'.repeat(400))];
    expect((await run({ command: 'node', args: most })).data.stdout).toBe('62\n');
    for (const args of [[...most, 'x'], ['x'.repeat(401)]]) {
      expect((await run({ command: 'node', args })).error.code).toBe('VALIDATION_ERROR');
    }
  });

  it('runs scripts of the workspace with the allowed tools', async () => {
    writeFileSync(join(fixture.root, 'sum.js'), 'console.log([1, 2, 3].reduce((a, b) => a + b))\n');
    writeFileSync(join(fixture.root, 'sum.py'), 'print(sum([1, 2, 3]))\n');
    expect((await run({ command: 'node', args: ['sum.js'] })).data.stdout).toBe('6\n');
    if (programOnPath('python3')) {
      expect((await run({ command: 'python3', args: ['sum.py'] })).data.stdout).toBe('6\n');
    }
  });

  it('never takes a program from the workspace, whatever it is called', async () => {
    writeFileSync(join(fixture.root, 'node'), '#!/bin/sh\necho planted\n', { mode: 0o755 });
    expect((await run(node('console.log("not plan" + "ted")'))).data.stdout).toBe('not planted\n');
  });
});

describe('run_command', () => {
  it('has exactly this schema', () => {
    proves('workspace.run_command.input');
    const tools = JSON.parse(
      readFileSync(new URL('../dialects/workspace/tools-list.json', import.meta.url), 'utf8'),
    ) as { name: string; inputSchema: object }[];
    expect(JSON.stringify(tools.find(({ name }) => name === 'run_command')!.inputSchema)).toBe(
      JSON.stringify({
        type: 'object',
        additionalProperties: false,
        required: ['command'],
        properties: {
          command: { type: 'string', minLength: 1 },
          args: { type: 'array', items: { type: 'string', maxLength: 400 }, maxItems: 64, default: [] },
          cwd: { type: 'string', default: '.' },
          timeoutMs: { type: 'integer', minimum: 100, maximum: 60000, default: 15000 },
          maxOutputBytes: { type: 'integer', minimum: 1024, maximum: 262144, default: 65536 },
        },
      }),
    );
  });

  it('allows more programs and variables when the operator names them', async () => {
    const fixture = makeCommandsFixture();
    const flags = [
      '--allow-command',
      'sh',
      '--allow-command',
      'no-such-program',
      '--env',
      'PASSED',
      '--env',
      'UNSET',
    ];
    const server = await startInProcess(fixture, {
      mode: modes[0]!,
      dialect: 'workspace',
      flags,
      env: { PASSED: 'through' },
    });
    try {
      const { data } = await envelopeOf(server, { command: 'sh', args: ['-c', 'env'] });
      expect(data.stdout).toMatch(/^PASSED=through$/m);
      expect(data.stdout).not.toMatch(/UNSET/);
      expect(data.stdout).not.toContain(LEAK);
      const refused = await envelopeOf(server, { command: 'bash' });
      expect(refused.error.details.allowed).toEqual([
        'node',
        'npm',
        'npx',
        'python3',
        'pytest',
        'tsc',
        'sh',
        'no-such-program',
      ]);
      const missing = await envelopeOf(server, { command: 'no-such-program' });
      expect(missing.error).toMatchObject({ code: 'NOT_FOUND', details: { reason: 'not-installed' } });
    } finally {
      await server.end();
      fixture.remove();
    }
  });
});
