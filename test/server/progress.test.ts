/** Progress of long calls: a notification every second for clients that asked, and none after the answer. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lastLineOf } from '../../src/server/mcp/progress.ts';
import { program, RawClient, type WireClient } from '../client.ts';
import { InProcessClient } from '../in-process.ts';
import { soak } from '../soak.ts';
import { layOut, temporaryDirectory } from '../tree.ts';
import { until } from '../until.ts';

let directory: { path: string; remove(): void };
const clients: InProcessClient[] = [];
let server: RawClient | undefined;
beforeEach(() => {
  directory = temporaryDirectory();
  layOut(directory.path, { 'slow.txt': `${'a'.repeat(40)}!` });
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.end();
  server?.child.kill('SIGKILL');
  await server?.exited;
  server = undefined;
  directory.remove();
});

interface Told {
  method: string;
  params: { progressToken: string; progress: number; message: string };
}

async function start(dialect: string): Promise<InProcessClient> {
  const client = new InProcessClient([
    '--dialect',
    dialect,
    '--no-journal',
    '--sandbox',
    'off',
    directory.path,
  ]);
  clients.push(client);
  await client.initialize();
  return client;
}

function call(client: WireClient, name: string, args: object, progressToken?: string) {
  const _meta = progressToken === undefined ? {} : { _meta: { progressToken } };
  return client.request('tools/call', { name, arguments: args, ..._meta });
}

/** Each command continues when the test creates a file. */
const shellLine = [
  'printf "one\\n\\033[31mtwo\\033[0m\\n"; while [ ! -e heard-two ]; do sleep 0.02; done',
  'printf "three\\rfour" >&2; while [ ! -e heard-four ]; do sleep 0.02; done; echo done',
].join('; ');
const nodeScript = `
  const { existsSync } = require('node:fs');
  const when = (name, next) => existsSync(name) ? next() : setTimeout(when, 20, name, next);
  console.log("one\\n\\u001b[31mtwo\\u001b[0m");
  when('heard-two', () => {
    process.stderr.write("three\\rfour");
    when('heard-four', () => console.log("done"));
  });`;

describe('a command that takes long', () => {
  const runs: [dialect: string, tool: string, args: object][] = [
    ['replay', 'execute_command', { command: shellLine }],
    [
      'workspace',
      'run_command',
      {
        command: 'node',
        args: ['-e', nodeScript],
      },
    ],
  ];
  for (const [dialect, tool, args] of runs) {
    it(`reports its last line, with growing progress, until the answer: ${tool}`, async () => {
      const client = await start(dialect);
      const answer = call(client, tool, args, 'mine');
      for (const line of ['two', 'four']) {
        const heard = () => (client.notifications as Told[]).some(({ params }) => params.message === line);
        await until(heard);
        writeFileSync(join(directory.path, `heard-${line}`), '');
      }
      const { result } = await answer;
      const before = client.notifications.length;
      expect(result!.isError).toBeUndefined();
      const told = (client.notifications as Told[]).map(({ params }) => params);
      expect(told.length).toBeGreaterThanOrEqual(2);
      const messages = told.map(({ message }) => message);
      expect(messages).toContain('two');
      expect(messages).toContain('four');
      for (const { progressToken } of told) expect(progressToken).toBe('mine');
      const grown = told.map(({ progress }) => progress);
      expect(grown).toEqual([...new Set(grown)].sort((a, b) => a - b));
      // The answer to a later call would come before any late notification.
      await call(
        client,
        tool,
        dialect === 'replay' ? { command: 'sleep 1' } : { command: 'node', args: ['-v'] },
      );
      expect(client.notifications).toHaveLength(before);
    });
  }

  it('sends nothing to clients that did not ask', async () => {
    const client = await start('replay');
    await call(client, 'execute_command', { command: 'echo x; sleep 1.5' });
    expect(client.notifications).toEqual([]);
  });
});

it('a call without messages of its own says that it is at work', async () => {
  const client = await start('replay');
  const edits = [{ oldText: '^(a+)+$', newText: 'x', isRegex: true }];
  const told = client.notifications as Told[];
  const params = {
    name: 'edit_file',
    arguments: { path: 'slow.txt', edits },
    _meta: { progressToken: 'mine' },
  };
  client.send({ jsonrpc: '2.0', id: 'slow', method: 'tools/call', params });
  // The pattern keeps running; the tests above show that the notifications repeat.
  await until(() => told.length >= soak(1, 2));
  expect(told[0]!.params.message).toBe('edit_file is at work');
  client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'slow' } });
});

describe("the protocol's own client, with a call that takes long", () => {
  const token = 'a-token-for-progress';
  const eras = ['legacy', { pin: '2026-07-28' }] as const;

  async function waitsFor(client: Client): Promise<string[]> {
    const told: string[] = [];
    const timeouts = { timeout: 120_000, resetTimeoutOnProgress: true };
    const onprogress = ({ message }: { message?: string | undefined }) => void told.push(message ?? '');
    const command = 'echo working; sleep 3; echo done';
    const call = { name: 'execute_command', arguments: { command } };
    const { content } = await client.callTool(call, { ...timeouts, onprogress });
    expect(content).toEqual([{ type: 'text', text: 'working\ndone\n[exit code: 0]' }]);
    await client.close();
    return told;
  }

  it('gets the last line, on stdio and over HTTP, in both eras', async () => {
    const args = ['--dialect', 'replay', '--no-journal', '--sandbox', 'off', directory.path];
    server = new RawClient(['--http', '127.0.0.1:0', ...args], {
      ...process.env,
      COFFERDAM_TOKEN: token,
    });
    await server.says('/mcp');
    const [, url] = /(http:\/\/\S+\/mcp)/.exec(server.stderr)!;
    const requestInit = { headers: { Authorization: `Bearer ${token}` } };
    const calls = eras.flatMap((mode) =>
      [
        new StdioClientTransport({ command: process.execPath, args: [program, ...args], stderr: 'ignore' }),
        new StreamableHTTPClientTransport(new URL(url!), { requestInit }),
      ].map(async (transport) => {
        const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
        await client.connect(transport);
        return waitsFor(client);
      }),
    );
    for (const told of await Promise.all(calls)) expect(told).toContain('working');
  });
});

describe('the last line', () => {
  it('is short and printable, and not empty if anything was printed', () => {
    expect(lastLineOf('')).toBe('');
    expect(lastLineOf('\n \r\n')).toBe('');
    expect(lastLineOf('a\nb\n\n  \n')).toBe('b');
    expect(lastLineOf('10%\r20%\r')).toBe('20%');
    expect(lastLineOf('\u001b]0;title\u0007ok\u001b[2K')).toBe('ok');
    expect(lastLineOf('a\u202eb\u0007')).toBe('a\\u202eb\\x07');
    expect(lastLineOf('x'.repeat(5000))).toHaveLength(200);
  });
});
