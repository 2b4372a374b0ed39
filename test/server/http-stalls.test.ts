/** While the server sends a long answer over HTTP, in whatever form, it continues to answer other requests. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { program } from '../client.ts';
import { layOut, temporaryDirectory } from '../tree.ts';
import { type Answer, ask, meta as envelope, hello, TOKEN, usual } from './http-fixture.ts';

const probe = fileURLToPath(new URL('../../bench/stall-probe.cjs', import.meta.url));
/** As in stalls.test.ts: the processor time of one turn, in the best of six attempts. */
const LONGEST_MS = 50;
const ATTEMPTS = 6;

let directory: { path: string; remove(): void };
let server: ChildProcess;
let said = '';
let port: number;

beforeAll(async () => {
  directory = temporaryDirectory();
  // Three bytes per character: nearly as long as an answer may be, and no text takes longer to encode.
  layOut(directory.path, { 'long.txt': '漢'.repeat(2_700_000) });
  const args = ['--http', '0', '--dialect', 'replay', '--no-journal', directory.path];
  const env = { ...process.env, COFFERDAM_TOKEN: TOKEN };
  server = spawn(process.execPath, ['--require', probe, program, ...args], { env });
  for (const stream of [server.stdout!, server.stderr!])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
    });
  port = Number((await heard(/serving http:\/\/127\.0\.0\.1:(\d+)\/mcp/))[1]);
});
afterAll(async () => {
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill();
  await ended;
  directory.remove();
});

/** Waits until the server has printed it. */
async function heard(wanted: RegExp, from = 0): Promise<RegExpExecArray> {
  for (;;) {
    const found = wanted.exec(said.slice(from));
    if (found) return found;
    if (server.exitCode !== null) throw new Error(`it ended: ${said}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The longest turn since this was last asked. */
async function longestTurn(): Promise<number> {
  const from = said.length;
  server.kill('SIGUSR2');
  return Number((await heard(/stall: ([\d.]+)\n/, from))[1]);
}

function post(message: object, headers: Record<string, string> = {}): Promise<Answer> {
  const all = { ...usual, ...headers };
  return ask({ port, method: 'POST', path: '/mcp', headers: all, body: JSON.stringify(message) });
}

const params = { name: 'read_file', arguments: { path: 'long.txt' } };
const read = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params });

async function sessionOf(version: string): Promise<Record<string, string>> {
  const { headers } = await post(hello(version));
  return { 'mcp-session-id': headers['mcp-session-id'] as string };
}

it.each<[what: string, asking: () => Promise<() => Promise<Answer>>]>([
  [
    'the answer of a session',
    async () => {
      const session = await sessionOf('2025-11-25');
      return () => post(read(1), session);
    },
  ],
  [
    'a batch as one list',
    async () => {
      const session = { ...(await sessionOf('2025-03-26')), accept: 'application/json' };
      return () => post([read(1), read(2)], session);
    },
  ],
  [
    'a batch as events',
    async () => {
      const session = await sessionOf('2025-03-26');
      return () => post([read(1), read(2)], session);
    },
  ],
  [
    'the answer without a session',
    async () => {
      const headers = {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'read_file',
      };
      return () => post({ ...read(1), params: { ...params, _meta: envelope } }, headers);
    },
  ],
])('%s does not hold up other requests', async (_, asking) => {
  const answered = await asking();
  let best = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS && best > LONGEST_MS; attempt++) {
    await longestTurn();
    const { status, text } = await answered();
    best = Math.min(best, await longestTurn());
    expect([status, text.length > 2_700_000]).toEqual([200, true]);
  }
  expect(best).toBeLessThanOrEqual(LONGEST_MS);
});
