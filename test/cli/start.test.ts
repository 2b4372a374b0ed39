/** `cofferdam start` and `npm start`: what they serve and print, and that what they print works when pasted. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { program } from '../client.ts';
import { runInProcess } from '../in-process.ts';
import { ask, hello, usual } from '../server/http-fixture.ts';
import { soak } from '../soak.ts';
import { layOut, temporaryDirectory } from '../tree.ts';

let directory: { path: string; remove(): void };
let served: string;
let state: string;
const running: Started[] = [];
beforeEach(() => {
  directory = temporaryDirectory();
  layOut(directory.path, { 'my app/a.txt': 'in my app\n', 'here/b.txt': 'here\n', 'state/': '' });
  served = join(directory.path, 'my app');
  state = join(directory.path, 'state');
});
afterEach(async () => {
  for (const { child, exited } of running.splice(0)) {
    // `npm start` passes this signal on to its server. If it were killed, the server would stay behind.
    child.kill('SIGTERM');
    await exited;
  }
  directory.remove();
});

const npmStart = resolve(import.meta.dirname, '../../scripts/start.mjs');

class Started {
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  stdout = '';
  stderr = '';

  constructor(script: string, args: string[], env: Record<string, string> = {}) {
    const { COFFERDAM_TOKEN: _, PORT: __, INIT_CWD: ___, ...clean } = process.env;
    this.child = spawn(process.execPath, [script, ...args], {
      cwd: join(directory.path, 'here'),
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...clean, ...env },
    });
    this.child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
      this.stdout += chunk;
    });
    this.child.stderr!.setEncoding('utf8').on('data', (chunk: string) => {
      this.stderr += chunk;
    });
    this.exited = new Promise((settle) => this.child.once('close', settle));
    running.push(this);
  }

  async printed(): Promise<this> {
    while (!this.stdout.includes('bearer_token_env_var')) {
      if (this.child.exitCode !== null) throw new Error(`it ended: ${this.stderr}`);
      await pause(10);
    }
    return this;
  }

  async end(): Promise<void> {
    this.child.kill('SIGTERM');
    await this.exited;
  }

  get configs() {
    return [...this.stdout.matchAll(/\{"mcpServers".*\}/g)].map(
      ([line]) => JSON.parse(line).mcpServers.cofferdam,
    );
  }

  get token(): string {
    return this.configs[1].headers.Authorization.slice('Bearer '.length);
  }

  async knock(token: string): Promise<number> {
    const { port, pathname } = new URL(this.configs[1].url);
    const headers = { ...usual, authorization: `Bearer ${token}` };
    const body = JSON.stringify(hello());
    return (await ask({ port: Number(port), method: 'POST', path: pathname, headers, body })).status;
  }
}

function start(...args: string[]): Promise<Started> {
  return new Started(program, ['start', '--http', '127.0.0.1:0', '--state', state, ...args]).printed();
}

/** The answer to a call in a server that is started with a printed configuration. */
function toolCall({ command, args }: { command: string; args: string[] }, name: string, path: string) {
  const messages = [
    hello(),
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name, arguments: { path } } },
  ];
  const { stdout } = spawnSync(command, args, {
    cwd: '/',
    encoding: 'utf8',
    input: messages.map((message) => `${JSON.stringify(message)}\n`).join(''),
  });
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return answers.find(({ id }) => id === 7).result?.content[0].text;
}

describe('the output', () => {
  it('begins with a configuration for stdio that works without changes, from any directory', async () => {
    const { configs, stdout } = await start('../my app');
    expect(configs[0]).toEqual({ command: process.execPath, args: [program, '--state', state, served] });
    expect(toolCall(configs[0], 'read_file', 'a.txt')).toBe('in my app\n');
    expect(stdout.indexOf('"command"')).toBeLessThan(stdout.indexOf('"url"'));
    expect(stdout).not.toContain('npx');
    expect(stdout).toContain(
      `claude mcp add --scope user cofferdam -- ${process.execPath} ${program} --state ${state} '${served}'`,
    );
  });

  it('includes the options of the server except those of HTTP, and says whether clients can change files', async () => {
    const { configs, stdout } = await start(
      '--dialect',
      'patch,replay',
      '--new-token',
      '--no-journal',
      '../my app:ro',
      '.',
    );
    const { args } = configs[0];
    expect(args.slice(1)).toEqual([
      ...['--dialect', 'patch,replay', '--state', state, '--no-journal'],
      ...[`${served}:ro`, join(directory.path, 'here')],
    ]);
    expect(stdout).toContain(`  ${served} (read-only)\n`);
    expect(stdout).toContain(
      `  ${directory.path}/here (read-write: clients can change and delete files here`,
    );
    const alone = await start('--read-only');
    expect(alone.stdout).toMatch(/Serving:\n {2}\S+\/here \(read-only\)\n\n/);
  });
});

describe('the token', () => {
  it('stays the same from start to start, until --new-token makes another', async () => {
    const first = await start();
    expect(await first.knock(first.token)).toBe(200);
    expect(await first.knock('another')).toBe(401);
    expect(first.stdout).toContain(`A new token, kept in ${state}/token for the next start:`);
    await first.end();
    const second = await start();
    expect(second.token).toBe(first.token);
    expect(await second.knock(first.token)).toBe(200);
    await second.end();
    const third = await start('--new-token');
    expect(third.token).not.toBe(first.token);
    expect(await third.knock(first.token)).toBe(401);
    await third.end();
    expect(readFileSync(join(state, 'token'), 'utf8')).toBe(`${third.token}\n`);
    if (soak(false, true)) expect((await start()).token).toBe(third.token);
  });

  it('is the same for several servers that start at once', async () => {
    const all = await Promise.all([start(), start(), start()]);
    expect(new Set(all.map(({ token }) => token)).size).toBe(1);
  });

  it('lasts for one run if the state directory is inside a served directory, and the output says so', async () => {
    const env = { XDG_STATE_HOME: join(served, '.state') };
    const args = ['start', '--http', '127.0.0.1:0', served];
    const one = await new Started(program, args, env).printed();
    expect(one.stderr).toContain('the token is for this run only: there is no state directory');
    expect(one.stdout).toContain('A token that ends with this server');
    expect(await one.knock(one.token)).toBe(200);
    const two = await new Started(program, args, env).printed();
    expect(two.token).not.toBe(one.token);
    expect(existsSync(join(served, '.state'))).toBe(false);
  });

  it('is neither shown nor stored if the operator set it', async () => {
    const args = ['start', '--http', '127.0.0.1:0', '--state', state];
    const server = await new Started(program, args, { COFFERDAM_TOKEN: 'set-by-the-operator' }).printed();
    expect(await server.knock('set-by-the-operator')).toBe(200);
    expect(server.stdout + server.stderr).not.toContain('set-by-the-operator');
    expect(existsSync(join(state, 'token'))).toBe(false);
  });
});

describe('the port', () => {
  let taken: Server;
  let port: number;
  beforeEach(async () => {
    taken = createServer();
    await new Promise<void>((settle) => taken.listen(0, '127.0.0.1', settle));
    port = (taken.address() as { port: number }).port;
  });
  afterEach(() => taken.close());

  it('is the first free one of a range, and the output says which', async () => {
    const range = `127.0.0.1:${port}-${Math.min(port + 20, 65535)}`;
    const server = await new Started(program, ['start', '--http', range, '--state', state]).printed();
    const chosen = Number(new URL(server.configs[1].url).port);
    expect(chosen).toBeGreaterThan(port);
    expect(server.stderr).toContain(`port ${port} is in use: this server has port ${chosen}`);
    expect(await server.knock(server.token)).toBe(200);
  });

  it('depends on the directory, so that each directory has the same port again', async () => {
    const served = ['here', 'my app', '1', '2'].map((name) => join(directory.path, name));
    for (const path of served) mkdirSync(path, { recursive: true });
    const serve = (path: string) => new Started(program, ['start', '--state', state, path]).printed();
    // Another program on this machine may have the port that belongs to the directory.
    const portOf = ({ stderr, configs }: Started) =>
      /port (\d+) is in use/.exec(stderr)?.[1] ?? new URL(configs[1].url).port;
    const all = await Promise.all(served.map(serve));
    for (const server of all) expect(await server.knock(server.token)).toBe(200);
    const ports = all.map(portOf);
    expect(new Set(ports).size).toBeGreaterThan(1);
    for (const server of all) await server.end();
    expect(portOf(await serve(served[0]!))).toBe(ports[0]);
  });

  it('must be free if the user named a single port', async () => {
    const args = ['start', '--http', `${port}`, '--state', state];
    const { status, stderr } = await runInProcess(args, { cwd: join(directory.path, 'here') });
    expect([status, stderr]).toEqual([2, `cofferdam: 127.0.0.1, port ${port}: in use already\n`]);
  });
});

describe('npm start', () => {
  it('serves the given directory, or the one where npm was called', async () => {
    const env = { PORT: '0', INIT_CWD: directory.path, XDG_STATE_HOME: state };
    const [told, here] = await Promise.all([
      new Started(npmStart, ['my app'], env).printed(),
      new Started(npmStart, [], env).printed(),
    ]);
    expect(told.configs[0].args).toEqual([program, served]);
    expect(toolCall(told.configs[0], 'read_file', 'a.txt')).toBe('in my app\n');
    // The state directory is inside the served one, so this server has a token of its own.
    expect(here.stdout).toMatch(new RegExp(`Serving:\\n {2}${directory.path} \\(read-write`));
    expect(await told.knock(told.token)).toBe(200);
  });

  it('ends when its parent process ends', async () => {
    const launched = `require('node:child_process').spawn(process.execPath, ${JSON.stringify([npmStart])}, { stdio: 'inherit' });`;
    const parent = join(directory.path, 'parent.cjs');
    writeFileSync(parent, launched);
    const env = { PORT: '0', INIT_CWD: served, XDG_STATE_HOME: state };
    const started = await new Started(parent, [], env).printed();
    started.child.kill('SIGKILL');
    const knock = () => started.knock(started.token).catch(({ code }: NodeJS.ErrnoException) => code);
    await expect.poll(knock).toBe('ECONNREFUSED');
  });
});
