import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Commands } from '../../../../src/engine/run/commands.ts';
import type { RunResult } from '../../../../src/engine/run/process/run.ts';
import { bundle } from '../../../built.ts';
import { leftovers, processesWith, uniqueSeconds, waitForProcess } from '../../../processes.ts';
import type { RunFixture } from '../run-fixture.ts';
import { failureKind, makeRunFixture, NO_SANDBOX } from '../run-fixture.ts';

let place: RunFixture;
let server: string;
const rooms = new Map<string, Commands>();
const MODES = { 'without a sandbox': 'off', 'in bubblewrap': 'require' } as const;

beforeAll(async () => {
  place = makeRunFixture();
  rooms.set('without a sandbox', await place.open({ sandbox: 'off' }));
  const boxed = await place.open({ sandbox: 'auto' });
  if (boxed.sandboxed) {
    rooms.set('in bubblewrap', boxed);
  }
  server = await bundle('test/engine/run/lone-server.ts', 'lone-server.mjs');
});

afterAll(() => {
  place.close();
});

/** Runs one command in a separate server, which the command line `via` starts. */
function loneServer(mode: string, words: readonly string[], via: readonly string[] = []): ChildProcess {
  const [file, ...args] = [...via, process.execPath, server, place.root, mode, ...words];
  return spawn(file!, args, { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Kills a server while its command runs, and returns what is left of the command. */
async function leftByKilledServer(mode: string, words: readonly string[], sign: string, processes: number) {
  const child = loneServer(mode, words);
  const exited = new Promise((resolve) => child.once('exit', resolve));
  await waitForProcess(sign, processes);
  child.kill('SIGKILL');
  await exited;
  return leftovers(sign);
}

async function answerOf(child: ChildProcess): Promise<RunResult> {
  let text = '';
  for await (const chunk of child.stdout!) text += chunk;
  return JSON.parse(text);
}

for (const kind of ['without a sandbox', 'in bubblewrap'] as const) {
  const inRoom = (name: string, test: (commands: Commands) => Promise<void>) =>
    it(name, async ({ skip }) => {
      const commands = rooms.get(kind);
      if (!commands) return skip(NO_SANDBOX);
      await test(commands);
    });

  describe(`a command ${kind}`, () => {
    inRoom('ends with all other commands of its engine when the engine closes', async () => {
      const seconds = uniqueSeconds();
      const commands = await place.open({ sandbox: MODES[kind] });
      const runs = [1, 2].map(() => failureKind(commands.runShellLine(`sleep ${seconds}`)));
      await waitForProcess(seconds);
      await commands.close();
      expect(await Promise.all(runs)).toEqual(['cancelled', 'cancelled']);
      expect(processesWith(seconds)).toEqual([]);
    });

    inRoom('does not start after its engine was closed', async () => {
      const commands = await place.open({ sandbox: MODES[kind] });
      const started = `started ${kind}`;
      const run = failureKind(commands.runShellLine(`touch '${started}'`));
      await commands.close();
      expect(await run).toBe('cancelled');
      expect(existsSync(join(place.root, started))).toBe(false);
    });

    inRoom('is gone at once when it is killed, even if it ignores SIGTERM', async (commands) => {
      const seconds = uniqueSeconds();
      const stubborn = commands.runShellLine(`trap "" TERM; sleep ${seconds}`);
      await waitForProcess(seconds);
      commands.kill();
      expect(await leftovers(seconds)).toEqual([]);
      expect(await stubborn).toMatchObject({ exitCode: null });
    });

    inRoom('keeps running when the commands of another engine are ended', async (commands) => {
      const [first, second] = [uniqueSeconds(), uniqueSeconds()];
      const other = await place.open({ sandbox: MODES[kind] });
      const run = commands.runShellLine(`sleep ${first}`, { timeoutMs: 60_000 });
      const ended = failureKind(other.runShellLine(`sleep ${second}`));
      await Promise.all([waitForProcess(first), waitForProcess(second)]);
      await other.close();
      expect(await ended).toBe('cancelled');
      expect(processesWith(first)).not.toEqual([]);
      commands.kill();
      expect(await run).toMatchObject({ signal: 'SIGKILL' });
    });

    inRoom('is ended when it starts too many processes', async (commands) => {
      const seconds = uniqueSeconds();
      const line = `i=0; while [ $i -lt 800 ]; do sleep ${seconds} & i=$((i+1)); done; wait`;
      const result = await commands.runShellLine(line, { timeoutMs: 55_000 });
      expect(result.timedOut).toBe(false);
      expect(result.endedBy === 'too-many-processes' || result.stderr.includes('fork')).toBe(true);
      expect(await leftovers(seconds)).toEqual([]);
    });

    inRoom('may flood its output without filling the memory', async (commands) => {
      const before = process.memoryUsage().rss;
      const flood = 200 * 1024 * 1024;
      const result = await commands.runShellLine(`yes | head -c ${flood}`);
      expect(result).toMatchObject({ exitCode: 0, stdoutTruncated: true, stdoutBytes: flood });
      expect(result.stdout.length).toBe(512 * 1024);
      expect(process.memoryUsage().rss - before).toBeLessThan(96 * 1024 * 1024);
    });

    inRoom('dies with its children when the server is killed', async () => {
      const seconds = uniqueSeconds();
      const line = `setsid sleep ${seconds} & sh -c 'sleep ${seconds}; :' & sleep ${seconds}`;
      expect(await leftByKilledServer(MODES[kind], ['shell', line], seconds, 3)).toEqual([]);
    });

    inRoom('dies with the server even if it only reads', async () => {
      const script = `BEGIN { while (1) x = ${uniqueSeconds()} }`;
      expect(await leftByKilledServer(MODES[kind], ['read', 'awk', script], script, 1)).toEqual([]);
    });

    inRoom('inherits no descriptor that the server was started with', async () => {
      const leak = `exec 7</ 9<${place.out} 12<${place.out}; exec "$@"`;
      const line = 'ls -l /proc/self/fd; cat /proc/self/fd/9/secret.txt /proc/self/fd/12/secret.txt';
      const result = await answerOf(loneServer(MODES[kind], ['shell', line], ['bash', '-c', leak, 'bash']));
      expect(result.stdout).toContain(' 2 -> ');
      expect(result.stdout).not.toContain(place.out);
      expect(result.stdout).not.toContain('S3CRET');
      expect(result.stdout).not.toMatch(/ 7 -> \/$/m);
    });
  });
}
