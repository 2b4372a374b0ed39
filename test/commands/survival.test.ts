/** Nothing that a command started outlives it, its call or its server, with bubblewrap and without. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RawClient } from '../client.ts';
import { boxed, type CommandsFixture, makeCommandsFixture, modes, startServer } from './commands-fixture.ts';
import { descendantsOf, leftovers, uniqueSeconds, waitForSleepers } from './processes.ts';

/** In its group, in a session of its own, behind two forks, and behind a shell that waits for it. */
const family = (seconds: string) =>
  `setsid sleep ${seconds} & (setsid sleep ${seconds} &) ; (sh -c 'sleep ${seconds}; :' &) ; sleep ${seconds}`;
const MEMBERS = 4;

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

  it('the time limit ends all of them', async () => {
    const seconds = uniqueSeconds();
    const { result } = await server.call('execute_command', { command: family(seconds), timeout: 1 });
    expect(result).toMatchObject({ isError: true });
    expect(result!.content[0]!.text).toContain('[timed out after 1 s]');
    expect(await leftovers(seconds)).toEqual([]);
  });

  it('the end of the command ends those that it left behind, also one that holds its output open', async () => {
    const seconds = uniqueSeconds();
    const left = `setsid sleep ${seconds} & (sleep ${seconds} &) ; echo done`;
    expect(await server.text('execute_command', { command: left, timeout: 60 })).toBe('done\n[exit code: 0]');
    expect(await leftovers(seconds)).toEqual([]);
  });

  it('a cancelled call ends all of them, and the server goes on', async () => {
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

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGKILL'] as const) {
    it(`${signal} for the server ends all of them`, async ({ onTestFinished }) => {
      const lone = await startServer(fixture, { mode, dialect: 'replay' });
      onTestFinished(() => void lone.child.kill('SIGKILL'));
      const seconds = uniqueSeconds();
      void start(lone, seconds);
      expect(await waitForSleepers(seconds, MEMBERS)).toBe(MEMBERS);
      lone.child.kill(signal);
      const { code, signal: seen } = await lone.exited;
      expect(signal === 'SIGKILL' ? seen : code).toBe(signal === 'SIGKILL' ? 'SIGKILL' : 0);
      expect(await leftovers(seconds)).toEqual([]);
    });
  }

  it('a reading command is ended with its server as well', async ({ onTestFinished }) => {
    const lone = await startServer(fixture, { mode });
    onTestFinished(() => void lone.child.kill('SIGKILL'));
    const word = uniqueSeconds();
    const endless = `:a;ba #${word}`;
    lone.call('shell_exec', { command: 'sed', args: [endless, 'a.txt'] }).catch(() => {});
    while (!descendantsOf(lone.child.pid!).some(({ words }) => /^sed .*:a;ba/.test(words))) await delay(25);
    lone.child.kill('SIGKILL');
    await lone.exited;
    expect(await leftovers(word)).toEqual([]);
  });
});

describe.runIf(boxed)('in bubblewrap', () => {
  it('not even one survives that left its session and dropped its environment', async ({
    onTestFinished,
  }) => {
    const fixture = makeCommandsFixture();
    const lone = await startServer(fixture, { mode: 'in bubblewrap', dialect: 'replay' });
    onTestFinished(() => {
      lone.child.kill('SIGKILL');
      fixture.remove();
    });
    const seconds = uniqueSeconds();
    const command = `(env -i setsid sleep ${seconds} &) ; (env -i setsid sh -c 'sleep ${seconds}; :' &) ; sleep ${seconds}`;
    lone.call('execute_command', { command, timeout: 60 }).catch(() => {});
    expect(await waitForSleepers(seconds, 3)).toBe(3);
    lone.child.kill('SIGKILL');
    await lone.exited;
    expect(await leftovers(seconds)).toEqual([]);
  });
});
