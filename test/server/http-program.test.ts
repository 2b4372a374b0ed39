/** The program over HTTP: its output at the start, tokens and certificates from files, signals, and its shutdown. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { request as tlsRequest } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseHttp } from '../../src/cli/arguments/options/http-flags.ts';
import { describeHttp } from '../../src/cli/serve/start-up.ts';
import type { App } from '../../src/server/mcp/app.ts';
import { readSecret } from '../../src/server/web/tokens/secret-files.ts';
import { program } from '../client.ts';
import { runInProcess } from '../in-process.ts';
import { leftovers, uniqueSeconds } from '../processes.ts';
import { soak } from '../soak.ts';
import { layOut, temporaryDirectory } from '../tree.ts';
import { certificate, privateKey } from './http-certificate.ts';
import { type Answer, ask, hello, meta, RawConnection, usual } from './http-fixture.ts';

const TOKEN = 'a-token-from-the-environment';
const auth = (token: string) => ({ ...usual, authorization: `Bearer ${token}` });

let directory: { path: string; remove(): void };
let served: string;
const started: Program[] = [];
beforeEach(() => {
  directory = temporaryDirectory();
  served = join(directory.path, 'served');
  layOut(served, { 'a.txt': 'hello\n' });
});
afterEach(async () => {
  for (const { child, exited } of started.splice(0)) {
    child.kill('SIGKILL');
    await exited;
  }
  directory.remove();
});

class Program {
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  stdout = '';
  stderr = '';

  constructor(args: string[], env: Record<string, string> = {}) {
    this.child = spawn(process.execPath, [program, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...withoutToken(), ...env },
    });
    this.child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
      this.stdout += chunk;
    });
    this.child.stderr!.setEncoding('utf8').on('data', (chunk: string) => {
      this.stderr += chunk;
    });
    this.exited = new Promise((resolve) => this.child.once('close', resolve));
    started.push(this);
  }

  async says(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.stderr);
      if (found) return found;
      if (this.child.exitCode !== null) throw new Error(`it ended: ${this.stderr}`);
      await pause(10);
    }
  }

  async port(): Promise<number> {
    return Number((await this.says(/serving https?:\/\/\S+:(\d+)\/mcp/))[1]);
  }
}

function serve(args: string[], env: Record<string, string> = { COFFERDAM_TOKEN: TOKEN }): Program {
  const dialect = args.includes('--dialect') ? [] : ['--dialect', 'replay'];
  return new Program([...dialect, '--http', '0', ...args, served], env);
}

const withoutToken = () => {
  const { COFFERDAM_TOKEN: _, ...clean } = process.env;
  return clean;
};

/** Runs in the process of the test: starting the program for each refusal would take most of the time. */
const refusal = (args: string[], env: Record<string, string> = {}) =>
  runInProcess([...args, served], { env: { ...withoutToken(), ...env } });

function refusalOfProgram(args: string[], env: Record<string, string> = {}) {
  return spawnSync(process.execPath, [program, ...args, served], {
    encoding: 'utf8',
    env: { ...withoutToken(), ...env },
    timeout: 120_000,
  });
}

async function call(port: number, name: string, args: object, token = TOKEN): Promise<Answer> {
  const headers = auth(token);
  const opened = await ask({ port, method: 'POST', path: '/mcp', headers, body: JSON.stringify(hello()) });
  const session = { ...headers, 'mcp-session-id': opened.headers['mcp-session-id'] as string };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  return ask({ port, method: 'POST', path: '/mcp', headers: session, body: JSON.stringify(message) });
}

const knock = async (port: number, token: string, path = '/mcp') =>
  (await ask({ port, method: 'POST', path, headers: auth(token), body: JSON.stringify(hello()) })).status;

describe('at the start', () => {
  it('says where it serves what, but never the token, and stops when asked to', async () => {
    const server = serve(['--dialect', 'patch,replay']);
    const port = await server.port();
    expect(server.stderr).toContain(
      `serving http://127.0.0.1:${port}/mcp (patch); by name: /mcp/patch, /mcp/replay`,
    );
    expect(await knock(port, TOKEN)).toBe(200);
    expect(await knock(port, 'another')).toBe(401);
    expect(await knock(port, TOKEN, '/mcp/workspace')).toBe(404);
    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    expect(server.stderr).not.toContain(TOKEN);
  });

  it('needs a token, and makes one only where a terminal can show it', () => {
    const { status, stderr } = refusalOfProgram(['--http', '0']);
    expect([status, stderr.split('\n').length]).toEqual([2, 2]);
    expect(stderr).toContain('no token: set COFFERDAM_TOKEN, or give --token-file or --new-token');
    expect(refusalOfProgram(['--http', '0'], { COFFERDAM_TOKEN: '' }).stderr).toContain(
      'COFFERDAM_TOKEN is empty',
    );
    const unsendable = refusalOfProgram(['--http', '0'], { COFFERDAM_TOKEN: 'open sesame' });
    expect(unsendable.stderr).toContain('cannot be sent');
    expect(unsendable.stderr).not.toContain('sesame');
  });

  it('prefers the token that was set to a new one, and does not show it', async () => {
    const server = serve(['--new-token']);
    const port = await server.port();
    while (!/bearer_token_env_var/.test(server.stdout)) await pause(10);
    expect(await knock(port, TOKEN)).toBe(200);
    expect(server.stdout).toContain('The token is the one that you have set as COFFERDAM_TOKEN.');
    expect(server.stdout).toContain(`  http://127.0.0.1:${port}/\n`);
    expect(server.stdout).toContain('--header "Authorization: Bearer $COFFERDAM_TOKEN"');
    expect(server.stderr).toContain('no new token is made');
    expect(server.stdout + server.stderr).not.toContain(TOKEN);
  });

  it.skipIf(!existsSync('/usr/bin/script'))(
    'shows a new token on a terminal, in the form that clients accept',
    async () => {
      const { COFFERDAM_TOKEN: _, ...env } = process.env;
      const line = `'${process.execPath}' '${program}' --http 0 '${served}'`;
      const child = spawn('/usr/bin/script', ['-qec', line, '/dev/null'], {
        env,
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      let shown = '';
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        shown += chunk;
      });
      while (!/bearer_token_env_var/.test(shown)) await pause(20);
      const port = Number(/serving http:\/\/127\.0\.0\.1:(\d+)/.exec(shown)![1]);
      const token = /--header "Authorization: Bearer ([\w-]{43})"/.exec(shown)![1]!;
      const config = JSON.parse(/\{"mcpServers".*\}/.exec(shown)![0]);
      expect(config.mcpServers.cofferdam.headers.Authorization).toBe(`Bearer ${token}`);
      expect(await knock(port, token)).toBe(200);
      child.stdin.write('\x03');
      await new Promise((resolve) => child.once('exit', resolve));
    },
  );

  it.each([
    [{ http: 'abc' }, 'give [HOST:]PORT'],
    [{ http: '99999' }, 'give [HOST:]PORT'],
    [{ http: '::1:80' }, 'give [HOST:]PORT'],
    [{ http: '' }, 'give [HOST:]PORT'],
    [{ http: '0', 'tls-cert': 'c.pem' }, '--tls-cert and --tls-key belong together'],
    [{ http: '0', 'allow-origin': ['*'] }, 'give one origin'],
    [{ http: '0', 'allow-origin': ['app.example'] }, 'give one origin'],
    [{ http: '0', 'allow-origin': ['https://app.example/path'] }, 'give one origin'],
    [{ http: '0', 'allow-host': ['http://x'] }, 'give a host name'],
    [{ http: '0', 'allow-host': ['*.example'] }, 'give a host name'],
    [{ 'token-file': 'tokens' }, '--token-file is for a server over HTTP'],
  ])('refuses %j', (values, words) => {
    expect(() => parseHttp(values)).toThrow(words);
  });

  it('accepts a port, a host and a port, and IPv6 in brackets', () => {
    const address = (http: string) => {
      const { host, port } = parseHttp({ http })!;
      return [host, port];
    };
    expect(address('8080')).toEqual(['127.0.0.1', 8080]);
    expect(address('files.example:1')).toEqual(['files.example', 1]);
    expect(address('[::1]:65535')).toEqual(['::1', 65535]);
    expect(parseHttp({})).toBeUndefined();
  });

  it.each([
    [['--http', '0', '--token-file', '/no/such/file'], '/no/such/file: there is no such file'],
    [
      ['--http', '0', '--tls-cert', '/no/such/file', '--tls-key', 'x'],
      '/no/such/file: there is no such file',
    ],
    [['--http', 'no-such-host.invalid:80'], 'this machine has no such address'],
  ])('refuses %j in one line', async (args, words) => {
    const { status, stderr } = await refusal(args, { COFFERDAM_TOKEN: TOKEN });
    expect([status, stderr.includes(words), stderr.trim().split('\n').length]).toEqual([2, true, 1]);
  });

  it('says that a port is in use', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    const { stderr, status } = await refusal(['--http', String(port)], { COFFERDAM_TOKEN: TOKEN });
    taken.close();
    expect([status, stderr]).toEqual([2, `cofferdam: 127.0.0.1, port ${port}: in use already\n`]);
  });

  it('warns only if others can listen in', () => {
    const app = { dialects: [{ name: 'repo' }] } as unknown as App;
    const asked = { host: '0.0.0.0', port: 80, allowHosts: [], allowOrigins: [] };
    expect(describeHttp(app, asked, 'http://0.0.0.0:80/mcp')[1]).toMatch(/^warning: .*without TLS/);
    const tls = { certFile: 'c', keyFile: 'k' };
    expect(describeHttp(app, { ...asked, tls }, 'https://0.0.0.0:443/mcp')).toHaveLength(1);
    for (const host of ['127.0.0.1', '::1', 'localhost', '127.9.9.9'])
      expect(describeHttp(app, { ...asked, host }, 'http://x/mcp')).toHaveLength(1);
  });

  const six = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));
  it.skipIf(!six)('listens on IPv6', async () => {
    const server = new Program(['--http', '[::1]:0', served], { COFFERDAM_TOKEN: TOKEN });
    const port = await server.port();
    expect(server.stderr).toContain(`serving http://[::1]:${port}/mcp`);
    const options = { host: '::1', port, method: 'POST', path: '/mcp', body: JSON.stringify(hello()) };
    expect((await ask({ ...options, headers: auth(TOKEN) })).status).toBe(200);
    expect((await ask({ ...options, headers: { ...auth(TOKEN), host: 'evil.example' } })).status).toBe(403);
  });
});

describe('a token file', () => {
  const lines = ['anna anna-token-0123456789 read-write', 'bert bert-token-0123456789 read-only'];
  let file: string;
  beforeEach(() => {
    file = join(directory.path, 'tokens');
    writeFileSync(file, lines.join('\n'), { mode: 0o600 });
  });

  it('is refused if other users can read it', async () => {
    for (const mode of [0o640, 0o604, 0o660, 0o610]) {
      chmodSync(file, mode);
      expect(() => readSecret(file, [served])).toThrow('other users can reach it');
    }
    const { status, stderr } = await refusal(['--http', '0', '--token-file', file]);
    expect([status, stderr]).toEqual([2, expect.stringContaining('other users can reach it')]);
    expect(() => readSecret(directory.path, [])).toThrow(/not a file|cannot be read/);
  });

  it('is refused if clients can read it, even through a link', async () => {
    const inside = join(served, 'tokens');
    writeFileSync(inside, lines.join('\n'), { mode: 0o600 });
    const link = join(directory.path, 'link');
    symlinkSync(inside, link);
    for (const path of [inside, link])
      expect(() => readSecret(path, [served])).toThrow('where clients can read it');
    expect(() => readSecret(file, [directory.path])).toThrow('where clients can read it');
    expect(readSecret(file, [served]).toString()).toContain('anna');
    expect((await refusal(['--http', '0', '--token-file', inside])).status).toBe(2);
  });

  it('is refused if a line is invalid, and the error does not show the token', async () => {
    writeFileSync(file, 'anna anna-token-0123456789 all');
    const { status, stderr } = await refusal(['--http', '0', '--token-file', file]);
    expect([status, stderr]).toEqual([2, expect.stringContaining(`${file}, line 1`)]);
    expect(stderr).not.toContain('anna-token');
    writeFileSync(file, '# nobody\n');
    expect((await refusal(['--http', '0', '--token-file', file])).stderr).toContain('no token in it');
  });

  it('decides who may do what, and is read again on SIGHUP', async () => {
    const server = serve(['--token-file', file], {});
    const port = await server.port();
    const write = { path: 'a.txt', content: 'changed' };
    expect((await call(port, 'write_file', write, 'bert-token-0123456789')).json.error!.code).toBe(-32001);
    expect((await call(port, 'write_file', write, 'anna-token-0123456789')).json.result).toBeDefined();

    writeFileSync(file, `${lines[1]}\ncarl carl-token-0123456789 read-only\n`);
    server.child.kill('SIGHUP');
    await server.says(/read again, 2 valid/);
    expect(await knock(port, 'anna-token-0123456789')).toBe(401);
    expect(await knock(port, 'bert-token-0123456789')).toBe(200);
    expect(await knock(port, 'carl-token-0123456789')).toBe(200);

    // An invalid line gives nobody access; the other lines still count.
    writeFileSync(file, `${lines[1]}\ncarl carl-token-0123456789 nonsense\n`);
    server.child.kill('SIGHUP');
    await server.says(/line 2: [\s\S]*read again, 1 valid/);
    expect(await knock(port, 'bert-token-0123456789')).toBe(200);
    expect(await knock(port, 'carl-token-0123456789')).toBe(401);

    chmodSync(file, 0o644);
    server.child.kill('SIGHUP');
    await server.says(/read again, 0 valid/);
    expect(await knock(port, 'bert-token-0123456789')).toBe(401);
    expect(server.stderr).not.toMatch(/(anna|bert|carl)-token/);
  });
});

describe('TLS', () => {
  it('is served with a certificate and its key, which SIGHUP reads again', async () => {
    const [certFile, keyFile] = [join(directory.path, 'cert.pem'), join(directory.path, 'key.pem')];
    writeFileSync(certFile, certificate);
    writeFileSync(keyFile, privateKey, { mode: 0o600 });
    const server = serve(['--tls-cert', certFile, '--tls-key', keyFile]);
    const port = await server.port();
    expect(server.stderr).toContain('serving https://');
    const knockSafely = () =>
      new Promise<number>((resolve, reject) => {
        const options = { host: '127.0.0.1', port, method: 'POST', path: '/mcp', agent: false as const };
        tlsRequest({ ...options, ca: certificate, headers: auth(TOKEN) }, (response) => {
          response.resume();
          resolve(response.statusCode!);
        })
          .once('error', reject)
          .end(JSON.stringify(hello()));
      });
    expect(await knockSafely()).toBe(200);
    await expect(knock(port, TOKEN)).rejects.toThrow();
    writeFileSync(keyFile, 'no key');
    server.child.kill('SIGHUP');
    await server.says(/certificate: the old one stays/);
    expect(await knockSafely()).toBe(200);
    // A key that others can read by now is not accepted, either.
    writeFileSync(keyFile, privateKey);
    chmodSync(keyFile, 0o644);
    server.child.kill('SIGHUP');
    await server.says(/certificate: the old one stays: .*chmod 600/);
    expect(await knockSafely()).toBe(200);
    chmodSync(keyFile, 0o600);
    writeFileSync(keyFile, 'no key');
    expect(
      (
        await refusal(['--http', '0', '--tls-cert', certFile, '--tls-key', keyFile], {
          COFFERDAM_TOKEN: TOKEN,
        })
      ).stderr,
    ).toContain('are not a certificate (PEM) and its key');
  });
});

describe('the key of a certificate', () => {
  it('is refused if other users can read it, with the command to run, and so is a certificate with a key in it', async () => {
    const [certFile, keyFile] = [join(directory.path, 'cert.pem'), join(directory.path, "my 'own' key.pem")];
    writeFileSync(certFile, certificate);
    writeFileSync(keyFile, privateKey);
    const start = () =>
      refusal(['--http', '0', '--tls-cert', certFile, '--tls-key', keyFile], { COFFERDAM_TOKEN: TOKEN });
    for (const mode of [0o644, 0o640, 0o604, 0o660]) {
      chmodSync(keyFile, mode);
      const { status, stderr } = await start();
      expect([status, stderr]).toEqual([2, expect.stringContaining('other users can reach it')]);
      expect(stderr).toContain(`chmod 600 '${keyFile.replaceAll("'", "'\\''")}'`);
    }
    chmodSync(keyFile, 0o600);
    writeFileSync(certFile, certificate + privateKey);
    expect((await start()).stderr).toContain(`chmod 600 ${certFile}`);
  });
});

describe('limits that an operator can raise', () => {
  it('are named in the refusals', async () => {
    const port = await serve(['--http-body', '1KiB', '--http-calls', '1']).port();
    const long = await call(port, 'write_file', { path: 'long.txt', content: 'x'.repeat(2000) });
    expect([long.status, long.json.error!.message]).toEqual([413, expect.stringContaining('--http-body')]);
    const waiting = call(port, 'execute_command', {
      command: 'touch began; while [ ! -e go ]; do sleep 0.02; done',
    });
    while (!existsSync(join(served, 'began'))) await pause(10);
    const refused = await call(port, 'read_file', { path: 'a.txt' });
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
    expect(refused.json.error!.message).toContain('--http-calls');
    writeFileSync(join(served, 'go'), '');
    expect((await waiting).status).toBe(200);
  });

  it('allow a body of the given size', async () => {
    const port = await serve(['--http-body', soak('8MB', '24MB')]).port();
    const content = 'y'.repeat(soak(7, 20) * 1024 * 1024);
    expect((await call(port, 'write_file', { path: 'large.txt', content })).status).toBe(200);
    expect(readFileSync(join(served, 'large.txt'), 'utf8') === content).toBe(true);
  });

  it.each([
    ['--http-calls', '0'],
    ['--http-calls', '-1'],
    ['--http-calls', 'many'],
    ['--http-calls', '1e3'],
    ['--http-body', '0'],
    ['--http-body', '10'],
    ['--http-body', '1GiB'],
    ['--http-body', 'large'],
  ])('cannot be %s %s', async (name, value) => {
    const { status, stderr } = await refusal(['--http', '0', `${name}=${value}`], { COFFERDAM_TOKEN: TOKEN });
    expect([status, stderr]).toEqual([2, expect.stringContaining(`${name} ${value}: give`)]);
    expect((await refusal([`${name}=1024`])).stderr).toContain('--http');
  });
});

describe('commands', () => {
  it('do not see the token, even if its variable is passed on by name', async () => {
    const server = serve(['--env', 'COFFERDAM_TOKEN']);
    const { text } = await call(await server.port(), 'execute_command', { command: 'env; echo listed' });
    expect(text).toContain('listed');
    expect(text).not.toContain(TOKEN);
  });

  it('end when a client without a session disconnects, and continue in a session', async () => {
    const port = await serve([]).port();
    const opened = await ask({
      port,
      method: 'POST',
      path: '/mcp',
      headers: auth(TOKEN),
      body: JSON.stringify(hello()),
    });
    const seconds = uniqueSeconds();
    const hangUp = async (name: string, headers: string, _meta: object) => {
      const command = `touch began-${name}; while [ ! -e go-on ]; do sleep ${name === 'alone' ? seconds : 0.02}; done; touch ended-${name}`;
      const params = { name: 'execute_command', arguments: { command }, _meta };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      const raw = await RawConnection.open(port);
      raw.socket.write(
        `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer ${TOKEN}\r\n` +
          `${headers}Content-Length: ${body.length}\r\n\r\n${body}`,
      );
      while (!existsSync(join(served, `began-${name}`))) await pause(10);
      raw.socket.destroy();
    };
    const modern =
      'Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: execute_command\r\n';
    await hangUp('alone', modern, meta);
    await hangUp('session', `Mcp-Session-Id: ${opened.headers['mcp-session-id']}\r\n`, {});
    expect(await leftovers(seconds)).toEqual([]);
    writeFileSync(join(served, 'go-on'), '');
    while (!existsSync(join(served, 'ended-session'))) await pause(10);
    expect(existsSync(join(served, 'ended-alone'))).toBe(false);
  });

  it('are still answered if they run at SIGTERM', async () => {
    const server = serve([]);
    const port = await server.port();
    const answer = call(port, 'execute_command', { command: 'touch began; sleep 0.7; echo to the end' });
    while (!existsSync(join(served, 'began'))) await pause(10);
    server.child.kill('SIGTERM');
    expect((await answer).text).toContain('to the end');
    expect(await server.exited).toBe(0);
  });
});

describe('a server on stdio', () => {
  it('loads no code of HTTP', () => {
    const watcher = join(directory.path, 'watch.cjs');
    writeFileSync(watcher, 'process.on("exit", () => console.error(process.moduleLoadList.join("\\n")));');
    const input = `${JSON.stringify(hello())}\n${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })}\n`;
    const { stderr } = spawnSync(process.execPath, ['--require', watcher, program, served], {
      input,
      encoding: 'utf8',
    });
    expect(stderr).toContain('NativeModule events');
    expect(stderr).not.toMatch(/NativeModule (_?http|https|_?tls|internal\/deps\/undici)/);
  });
});
