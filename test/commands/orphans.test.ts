/** Commands do not outlive the client that asked for them, however it ends. How the server may end: survival.test.ts. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { program } from '../client.ts';
import { until } from '../until.ts';
import { type CommandsFixture, makeCommandsFixture, modes, startInProcess } from './commands-fixture.ts';
import { leftovers, uniqueSeconds, waitForSleepers } from './processes.ts';

/** A client in a process of its own, so that it can be killed: it starts the command line that it is given and asks for one command. */
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

  /** Starts a client whose command sleeps, and gives the client's process and the server's pid. */
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

  it('a client that is killed takes its commands and its server along', async () => {
    const seconds = uniqueSeconds();
    const { child, server } = await start(seconds);
    child.kill('SIGKILL');
    expect(await leftovers(seconds)).toEqual([]);
    await until(() => !isAlive(server));
  });

  it('a client that started the server through a shell does so too', async () => {
    const seconds = uniqueSeconds();
    const { child } = await start(seconds, ['/bin/sh', '-c', '"$@"; :', 'sh']);
    child.kill('SIGKILL');
    expect(await leftovers(seconds)).toEqual([]);
  });

  it('a client that ends its input and lives on gets its answer', async () => {
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
