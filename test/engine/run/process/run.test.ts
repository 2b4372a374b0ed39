import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Commands } from '../../../../src/engine/run/commands.ts';
import { leftovers, uniqueSeconds, waitForProcess } from '../../../processes.ts';
import { timedOutWhileRunning } from '../../../timed-out.ts';
import type { RunFixture } from '../run-fixture.ts';
import { failureKind, makeRunFixture, NO_SANDBOX } from '../run-fixture.ts';

let place: RunFixture;
const rooms = new Map<string, Commands>();

beforeAll(async () => {
  place = makeRunFixture();
  process.env.LEAKME_VAR = 'LEAKED-from-the-server';
  process.env.PASSED_VAR = 'passed on purpose';
  rooms.set('without a sandbox', await place.open({ sandbox: 'off', passEnv: ['PASSED_VAR', 'NOT_SET'] }));
  const boxed = await place.open({ sandbox: 'auto', passEnv: ['PASSED_VAR', 'NOT_SET'] });
  if (boxed.sandboxed) {
    rooms.set('in bubblewrap', boxed);
  }
});

afterAll(() => {
  delete process.env.LEAKME_VAR;
  delete process.env.PASSED_VAR;
  place.close();
});

for (const kind of ['without a sandbox', 'in bubblewrap']) {
  const inRoom = (name: string, test: (commands: Commands) => Promise<void>) =>
    it.concurrent(name, async ({ skip }) => {
      const commands = rooms.get(kind);
      if (!commands) return skip(NO_SANDBOX);
      await test(commands);
    });

  describe(`a command ${kind}`, () => {
    inRoom('returns its exit code and both streams', async (commands) => {
      const result = await commands.runShellLine('echo out; echo err >&2; exit 7');
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

    inRoom('reports the signal that ended the program', async (commands) => {
      const result = await commands.runDeveloperTool('node', ['-e', 'process.kill(process.pid, "SIGSEGV")']);
      expect(result).toMatchObject({ exitCode: null, signal: 'SIGSEGV', timedOut: false });
    });

    inRoom('runs in the requested directory', async (commands) => {
      const result = await commands.runShellLine('pwd; ls', { cwd: join(place.root, 'sub') });
      expect(result.stdout).toBe(`${place.root}/sub\ninner.txt\n`);
    });

    inRoom('has empty input', async (commands) => {
      expect((await commands.runShellLine('cat; echo end')).stdout).toBe('end\n');
    });

    inRoom('gets a fixed environment and the variables that were named', async (commands) => {
      const { stdout, ...rest } = await commands.runShellLine('env');
      expect(rest).toMatchObject({ exitCode: 0, endedBy: 'itself', stderr: '' });
      const names = stdout.split('\n').flatMap((line) => line.split('=')[0] || []);
      const fixed = ['HOME', 'LANG', 'LC_ALL', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'USER'];
      expect(
        names.filter((name) => !['_', 'PWD', 'OLDPWD', 'SHLVL', 'COFFERDAM_RUN'].includes(name)).sort(),
      ).toEqual([...fixed, 'PASSED_VAR'].sort());
      expect(stdout).toContain('PASSED_VAR=passed on purpose\n');
    });

    inRoom('can write to the root and to its temporary directory', async (commands) => {
      const result = await commands.runShellLine(
        'echo made > made.txt && echo x > "$TMPDIR/t" && cat "$TMPDIR/t"; ls -d "$HOME"',
      );
      expect(result).toMatchObject({ exitCode: 0, stderr: '' });
      expect(readFileSync(join(place.root, 'made.txt'), 'utf8')).toBe('made\n');
    });

    inRoom('is ended at the time limit, and its output is kept', async (commands) => {
      const seconds = uniqueSeconds();
      const line = `echo first; sleep ${seconds}; echo never`;
      const result = await timedOutWhileRunning(
        (limit) => commands.runShellLine(line, { timeoutMs: limit * 300 }),
        ({ stdout }) => stdout !== '',
      );
      expect(result).toMatchObject({ exitCode: null, timedOut: true, endedBy: 'timeout', stdout: 'first\n' });
      expect(result.signal).toBe('SIGTERM');
      expect(await leftovers(seconds)).toEqual([]);
    });

    inRoom('can clean up after SIGTERM', async (commands) => {
      const line = 'trap "echo cleaned; exit 0" TERM; echo on; while :; do sleep 0.05; done';
      const result = await timedOutWhileRunning(
        (limit) => commands.runShellLine(line, { timeoutMs: limit * 300 }),
        ({ stdout }) => stdout !== '',
      );
      expect(result).toMatchObject({ exitCode: null, timedOut: true, stdout: 'on\ncleaned\n' });
    });

    inRoom('is killed after the grace period if it ignores SIGTERM', async (commands) => {
      const seconds = uniqueSeconds();
      const started = Date.now();
      const line = `trap "" TERM; echo on; sleep ${seconds}`;
      const result = await timedOutWhileRunning(
        (limit) => commands.runShellLine(line, { timeoutMs: limit * 200 }),
        ({ stdout }) => stdout !== '',
      );
      expect(result).toMatchObject({ exitCode: null, signal: 'SIGKILL', timedOut: true, stdout: 'on\n' });
      expect(Date.now() - started).toBeGreaterThanOrEqual(3000);
      expect(await leftovers(seconds)).toEqual([]);
    });

    inRoom('ends together with children that called setsid', async (commands) => {
      const seconds = uniqueSeconds();
      const line = `setsid sleep ${seconds} & sleep ${seconds}`;
      expect((await commands.runShellLine(line, { timeoutMs: 300 })).timedOut).toBe(true);
      expect(await leftovers(seconds)).toEqual([]);
    });

    inRoom('leaves no child behind that forked twice and closed its streams', async (commands) => {
      const seconds = uniqueSeconds();
      const line = `(setsid sh -c 'sleep ${seconds} & exit' </dev/null >/dev/null 2>&1 &); echo done`;
      expect(await commands.runShellLine(line)).toMatchObject({ exitCode: 0, stdout: 'done\n' });
      expect(await leftovers(seconds)).toEqual([]);
    });

    inRoom('leaves no child behind that dropped its environment as well', async (commands) => {
      const seconds = uniqueSeconds();
      const daemon = `env -i setsid sleep ${seconds} </dev/null >/dev/null 2>&1 & sleep 1`;
      const result = await commands.runShellLine(`(${daemon}); echo done`);
      expect(result).toMatchObject({ exitCode: 0, stdout: 'done\n' });
      expect(await leftovers(seconds)).toEqual([]);
    });

    inRoom('is not held up by a grandchild that keeps its output open', async (commands) => {
      const seconds = uniqueSeconds();
      const result = await commands.runShellLine(`sleep ${seconds} & echo done`, { timeoutMs: 20_000 });
      expect(result).toMatchObject({ exitCode: 0, timedOut: false, stdout: 'done\n' });
      expect(await leftovers(seconds)).toEqual([]);
    });

    inRoom('is killed at once when the call is cancelled', async (commands) => {
      const seconds = uniqueSeconds();
      const caller = new AbortController();
      const line = `trap "touch asked-${seconds}" TERM; sleep ${seconds}; sleep ${seconds}`;
      const kind = failureKind(commands.runShellLine(line, { signal: caller.signal }));
      await waitForProcess(seconds);
      caller.abort();
      expect(await kind).toBe('cancelled');
      expect(existsSync(join(place.root, `asked-${seconds}`))).toBe(false);
      expect(await leftovers(seconds)).toEqual([]);
    });

    inRoom('does not start if the call was already cancelled', async (commands) => {
      expect(await failureKind(commands.runShellLine('echo x', { signal: AbortSignal.abort() }))).toBe(
        'cancelled',
      );
    });

    inRoom('has each stream truncated at the cap, between characters', async (commands) => {
      const line = 'i=0; while [ $i -lt 400 ]; do printf "aé€😀"; printf "éé" >&2; i=$((i+1)); done';
      const result = await commands.runShellLine(line, { maxOutputBytes: 1024 });
      expect(result.stdout).toBe(`${'aé€😀'.repeat(102)}aé`);
      expect(result.stdout).not.toContain('\ufffd');
      expect(result).toMatchObject({ stdoutTruncated: true, stdoutBytes: 4000, exitCode: 0 });
      expect(result.stderr).toBe('é'.repeat(512));
      expect(result).toMatchObject({ stderrTruncated: true, stderrBytes: 1600 });
    });

    inRoom('must be on the list by its bare name, and installed', async (commands) => {
      expect(await failureKind(commands.runDeveloperTool('bash', ['-c', 'id']))).toBe('command-not-allowed');
      expect(await failureKind(commands.runDeveloperTool('/usr/bin/node', ['-v']))).toBe(
        'command-not-allowed',
      );
      expect(await failureKind(commands.runDeveloperTool('./evil.sh', []))).toBe('command-not-allowed');
      const wider = await place.open({ allowCommands: ['no-such-program', 'sh'] });
      expect(await failureKind(wider.runDeveloperTool('no-such-program', []))).toBe('command-not-installed');
      expect((await wider.runDeveloperTool('sh', ['-c', 'echo wider'])).stdout).toBe('wider\n');
    });

    inRoom('runs only where the wall allows it', async (commands) => {
      expect(await failureKind(commands.runShellLine('pwd', { cwd: place.out }))).toBe('outside');
      expect(await failureKind(commands.runShellLine('pwd', { cwd: join(place.root, 'dlink') }))).toBe(
        'outside',
      );
      expect(await failureKind(commands.runShellLine('pwd', { cwd: join(place.root, 'nowhere') }))).toBe(
        'not-found',
      );
      expect(await failureKind(commands.runShellLine('pwd', { cwd: join(place.root, 'a.txt') }))).toBe(
        'not-a-directory',
      );
    });

    inRoom('can have a long line and many arguments, up to the limits of the system', async (commands) => {
      const long = 'x'.repeat(100_000);
      expect((await commands.runShellLine(`: ${long}; echo ok`)).stdout).toBe('ok\n');
      expect(await failureKind(commands.runShellLine(`: ${long.repeat(30)}`))).toBe('io');
    });
  });
}
