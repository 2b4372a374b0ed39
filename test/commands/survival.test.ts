/** Nothing that a command started outlives it, its call or its server, with bubblewrap and without. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RawClient } from '../client.ts';
import { descendantsOf, leftovers, uniqueSeconds, waitForSleepers } from '../processes.ts';
import { BETWEEN_LOOKS_AT_PROCESSES_MS, until } from '../until.ts';
import { type CommandsFixture, makeCommandsFixture, modes, startServer } from './commands-fixture.ts';

/** Starts sleepers in the command's group, in a separate session, after two forks, and below a waiting shell. */
const family = (seconds: string) =>
  `setsid sleep ${seconds} & (setsid sleep ${seconds} &) ; (sh -c 'sleep ${seconds}; :' &) ; sleep ${seconds}`;
const MEMBERS = 4;
const STRAYS = 3;

describe.concurrent.each(modes)('%s', (mode) => {
  let fixture: CommandsFixture;
  let server: RawClient;

  beforeAll(async () => {
    fixture = makeCommandsFixture();
    server = await startServer(fixture, { mode, dialect: 'replay' });
  });

  afterAll(async () => {
    await server.end();
    fixture.remove();
  });

  const start = (client: RawClient, seconds: string, id = `call-${seconds}`) => {
    const answer = client.replyTo(id);
    client.send({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'execute_command', arguments: { command: family(seconds), timeout: 60 } },
    });
    answer.catch(() => {});
    return answer;
  };

  it('the time limit ends all processes of a command', async () => {
    const seconds = uniqueSeconds();
    const { result } = await server.call('execute_command', { command: family(seconds), timeout: 1 });
    expect(result).toMatchObject({ isError: true });
    expect(result!.content[0]!.text).toContain('[timed out after 1 s]');
    expect(await leftovers(seconds)).toEqual([]);
  });

  it('when the command ends, the processes that it left behind end, even one that holds its output open', async () => {
    const seconds = uniqueSeconds();
    const left = `setsid sleep ${seconds} & (sleep ${seconds} &) ; echo done`;
    expect(await server.text('execute_command', { command: left, timeout: 60 })).toBe('done\n[exit code: 0]');
    expect(await leftovers(seconds)).toEqual([]);
  });

  it('cancelling the call ends all processes, and the server keeps running', async () => {
    const seconds = uniqueSeconds();
    void start(server, seconds, 'to-be-cancelled');
    expect(await waitForSleepers(seconds, MEMBERS)).toBe(MEMBERS);
    server.send({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 'to-be-cancelled' },
    });
    expect(await leftovers(seconds)).toEqual([]);
    expect(await server.text('execute_command', { command: 'echo on' })).toBe('on\n[exit code: 0]');
  });

  it('other calls are answered while a command runs', async () => {
    const seconds = uniqueSeconds();
    void start(server, seconds);
    expect(await waitForSleepers(seconds, MEMBERS)).toBe(MEMBERS);
    const [read, ran] = await Promise.all([
      server.text('read_file', { path: `${fixture.root}/b.txt` }),
      server.text('execute_command', { command: 'echo beside' }),
    ]);
    expect([read, ran]).toEqual(['hello world\n7 pears\n', 'beside\n[exit code: 0]']);
    expect(await waitForSleepers(seconds, MEMBERS)).toBe(MEMBERS);
    server.send({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: `call-${seconds}` },
    });
    expect(await leftovers(seconds)).toEqual([]);
  });

  /** Starts a reading command, and in the sandbox also processes that leave their session and environment. */
  const startMore = async (client: RawClient, seconds: string) => {
    if (mode === 'in bubblewrap') {
      const command = `(env -i setsid sleep ${seconds} &) ; (env -i setsid sh -c 'sleep ${seconds}; :' &) ; sleep ${seconds}`;
      client.call('execute_command', { command, timeout: 60 }).catch(() => {});
    }
    client.call('shell_exec', { command: 'sed', args: [`:a;ba #${seconds}`, 'a.txt'] }).catch(() => {});
    const isReading = () => descendantsOf(client.child.pid!).some(({ words }) => /^sed .*:a;ba/.test(words));
    await until(isReading, BETWEEN_LOOKS_AT_PROCESSES_MS);
  };
  const sleepersOf = (signal: string) =>
    signal === 'SIGKILL' && mode === 'in bubblewrap' ? MEMBERS + STRAYS : MEMBERS;

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGKILL'] as const) {
    it(`${signal} to the server ends all processes`, async ({ onTestFinished }) => {
      const lone = await startServer(fixture, { mode, dialect: 'replay,patch' });
      onTestFinished(() => void lone.child.kill('SIGKILL'));
      const seconds = uniqueSeconds();
      void start(lone, seconds);
      if (signal === 'SIGKILL') await startMore(lone, seconds);
      expect(await waitForSleepers(seconds, sleepersOf(signal))).toBe(sleepersOf(signal));
      lone.child.kill(signal);
      const { code, signal: seen } = await lone.exited;
      expect(signal === 'SIGKILL' ? seen : code).toBe(signal === 'SIGKILL' ? 'SIGKILL' : 0);
      expect(await leftovers(seconds)).toEqual([]);
    });
  }
});
