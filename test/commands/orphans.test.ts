/** Commands do not outlive their client, however it ends. survival.test.ts is about the ways in which a server ends. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { program } from '../client.ts';
import { leftovers, uniqueSeconds, waitForSleepers } from '../processes.ts';
import { until } from '../until.ts';
import { type CommandsFixture, makeCommandsFixture, modes, startInProcess } from './commands-fixture.ts';

/** A client in a separate process, so that it can be killed. It starts a server and asks it for one command. */
const CLIENT = `
const { spawn } = require('node:child_process');
const [command, file, ...args] = process.argv.slice(2);
const server = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const send = (message) => server.stdin.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const clientInfo = { name: 'test', version: '1' };
send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
send({ method: 'notifications/initialized' });
send({ id: 2, method: 'tools/call', params: { name: 'execute_command', arguments: { command, timeout: 60 } } });
console.log(server.pid);
`;

describe.concurrent.each(modes)('%s', (mode) => {
  let fixture: CommandsFixture;
  let client: string;

  beforeAll(() => {
    fixture = makeCommandsFixture();
    client = join(fixture.base, 'client.cjs');
    writeFileSync(client, CLIENT);
  });

  afterAll(() => fixture.remove());

  /** Starts a client whose command sleeps. Returns the client's process and the server's pid. */
  const start = async (seconds: string, via: readonly string[] = []) => {
    const sandbox = mode === 'in bubblewrap' ? 'require' : 'off';
    const words = [
      ...via,
      process.execPath,
      program,
      '--dialect',
      'replay',
      '--sandbox',
      sandbox,
      fixture.root,
    ];
    const command = `setsid sleep ${seconds} & sleep ${seconds}`;
    const child = spawn(process.execPath, [client, command, ...words], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const pid = new Promise<number>((resolve) => child.stdout.once('data', (text) => resolve(Number(text))));
    expect(await waitForSleepers(seconds, 2)).toBe(2);
    return { child, server: await pid };
  };

  it('when a client is killed, its commands and its server end', async () => {
    const seconds = uniqueSeconds();
    const { child, server } = await start(seconds);
    child.kill('SIGKILL');
    expect(await leftovers(seconds)).toEqual([]);
    await until(() => !isAlive(server));
  });

  it('when a client that started the server through a shell is killed, its commands end', async () => {
    const seconds = uniqueSeconds();
    const { child } = await start(seconds, ['/bin/sh', '-c', '"$@"; :', 'sh']);
    child.kill('SIGKILL');
    expect(await leftovers(seconds)).toEqual([]);
  });

  it('a client that only ends its input still gets its answer', async () => {
    const server = await startInProcess(fixture, { mode, dialect: 'replay' });
    const answer = server.text('execute_command', { command: 'sleep 1; echo late', timeout: 60 });
    const ended = server.end();
    expect(await answer).toBe('late\n[exit code: 0]');
    await ended;
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
