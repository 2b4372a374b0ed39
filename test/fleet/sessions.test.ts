/** Clients whose requests each go to a different replica: sessions, workspaces, roots, cancellation, the page. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cluster, NO_POSTGRES, postgresPrograms, startCluster } from '../state/postgres/cluster.ts';
import { temporaryDirectory } from '../tree.ts';
import { until } from '../until.ts';
import { Replica } from './replica.ts';
import { RoundRobin } from './round-robin.ts';

const TOKENS =
  'anna the-token-of-anna-in-the-fleet read-write\nbert the-token-of-bert-in-the-fleet read-write\n';
const ANNA = 'the-token-of-anna-in-the-fleet';
const BERT = 'the-token-of-bert-in-the-fleet';

const headersFor = (token: string) => ({
  Authorization: `Bearer ${token}`,
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
});

describe.skipIf(postgresPrograms() === undefined)('a session in a fleet', () => {
  let cluster: Cluster;
  let scratch: { path: string; remove(): void };
  let directory: string;
  let replicas: Replica[];
  let balancer: RoundRobin;

  beforeAll(async () => {
    cluster = await startCluster();
    scratch = temporaryDirectory();
    directory = join(scratch.path, 'shared');
    mkdirSync(join(directory, 'inner'), { recursive: true });
    writeFileSync(join(directory, 'outer.txt'), 'outer\n');
    writeFileSync(join(directory, 'inner', 'file.txt'), 'in the inner directory\n');
    const tokens = join(scratch.path, 'tokens');
    writeFileSync(tokens, TOKENS, { mode: 0o600 });
    const dialects = 'standard,fileeditor';
    const args = ['--dialect', dialects, '--allow-run', '--sandbox', 'off', '--token-file', tokens];
    replicas = Array.from(
      { length: 3 },
      () => new Replica(cluster.address('sessions'), [...args, `${directory}=shared`]),
    );
    await Promise.all(replicas.map((replica) => replica.start()));
    balancer = await RoundRobin.before(replicas.map(({ port }) => port));
  });
  afterAll(async () => {
    await balancer?.end();
    await Promise.all((replicas ?? []).map((replica) => replica.kill()));
    await cluster.remove();
    scratch.remove();
  });

  const url = (path = '/mcp') => new URL(path, balancer.url);
  const post = (at: string | URL, message: object, headers: Record<string, string>) =>
    fetch(at, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
  const begin = async () => {
    const clientInfo = { name: 'test', version: '1' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    const answer = await post(url('/mcp'), { id: 0, method: 'initialize', params }, headersFor(ANNA));
    expect(answer.status).toBe(200);
    await answer.text();
    return { ...headersFor(ANNA), 'Mcp-Session-Id': answer.headers.get('mcp-session-id')! };
  };
  const call = (name: string, args: object, id: number | string = 1) => ({
    ...{ id, method: 'tools/call', params: { name, arguments: args } },
  });
  const at = (replica: number, path = '/mcp') => `http://127.0.0.1:${replicas[replica]!.port}${path}`;

  test("keeps fileeditor's workspace whichever replica gets a request, and ends on all of them", async () => {
    const client = new FirstClient({ name: 'first', version: '1' });
    const headers = { Authorization: `Bearer ${ANNA}` };
    const transport = new FirstHttp(url('/mcp/fileeditor'), { requestInit: { headers } });
    await client.connect(transport as never);
    const before = balancer.used.length;
    await client.callTool({ name: 'set_workspace', arguments: { path: join(directory, 'inner') } });
    for (let n = 0; n < 3; n++) {
      const answer = await client.callTool({ name: 'read_files', arguments: { path: 'file.txt' } });
      expect(JSON.stringify(answer.content)).toContain('in the inner directory');
    }
    expect(new Set(balancer.used.slice(before)).size).toBe(3);
    const session = { ...headersFor(ANNA), 'Mcp-Session-Id': transport.sessionId! };
    await transport.terminateSession();
    for (const replica of [0, 1, 2]) {
      const gone = await post(at(replica, '/mcp/fileeditor'), { id: 9, method: 'tools/list' }, session);
      expect(gone.status).toBe(404);
    }
    await client.close();
  });

  test('is bound to its token, its dialect and the exact id', async () => {
    const session = await begin();
    for (const replica of [0, 1, 2]) {
      const list = { id: 1, method: 'tools/list' };
      expect((await post(at(replica), list, session)).status).toBe(200);
      expect((await post(at(replica), list, { ...session, ...headersFor(BERT) })).status).toBe(404);
      expect((await post(at(replica, '/mcp/fileeditor'), list, session)).status).toBe(404);
      const id = session['Mcp-Session-Id'];
      const forged = `${id[0] === 'A' ? 'B' : 'A'}${id.slice(1)}`;
      expect((await post(at(replica), list, { ...session, 'Mcp-Session-Id': forged })).status).toBe(404);
    }
  });

  test('lets another replica cancel a call, and end the session while a call runs', async () => {
    const session = await begin();
    const sleep = (name: string) =>
      call('run_command', { command: `touch ${name}; sleep 60`, path: directory }, name);
    const hasBegun = (name: string) => until(() => existsSync(join(directory, name)));
    const running = post(at(0), sleep('long'), session);
    await hasBegun('long');
    const cancelled = { method: 'notifications/cancelled', params: { requestId: 'long' } };
    expect((await post(at(1), cancelled, session)).status).toBe(202);
    expect(await (await running).text()).not.toContain('"result"');
    const second = post(at(2), sleep('other'), session);
    await hasBegun('other');
    expect((await fetch(at(0), { method: 'DELETE', headers: session })).status).toBe(204);
    expect(await (await second).text()).toContain('The session has ended');
  });

  test("respects the client's roots on every replica", async () => {
    const client = new FirstClient({ name: 'rooted', version: '1' }, { capabilities: { roots: {} } });
    let asked = 0;
    client.setRequestHandler(ListRootsRequestSchema, () => {
      asked++;
      return { roots: [{ uri: pathToFileURL(join(directory, 'inner')).href }] };
    });
    const headers = { Authorization: `Bearer ${ANNA}` };
    await client.connect(new FirstHttp(url(), { requestInit: { headers } }) as never);
    for (let n = 0; n < 4; n++) {
      const path = join(directory, 'outer.txt');
      const answer = await client.callTool({ name: 'read_text_file', arguments: { path } });
      expect(answer.isError, JSON.stringify(answer.content)).toBe(true);
    }
    expect(asked).toBeGreaterThan(0);
    await client.close();
  });

  test('is not needed by clients of 2026-07-28, whose calls can go to any replica', async () => {
    const client = new Client(
      { name: 'modern', version: '1' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    const headers = { Authorization: `Bearer ${ANNA}` };
    await client.connect(new StreamableHTTPClientTransport(url(), { requestInit: { headers } }));
    const before = balancer.used.length;
    for (let n = 0; n < 3; n++) {
      const answer = await client.callTool({ name: 'read_text_file', arguments: { path: 'outer.txt' } });
      expect(JSON.stringify(answer.content)).toContain('outer');
    }
    expect(new Set(balancer.used.slice(before)).size).toBe(3);
    await client.close();
  });

  test("lets the page's cookie open the page at every replica, until the user signs out", async () => {
    const login = await fetch(at(0, '/page/session'), { method: 'POST', headers: headersFor(ANNA) });
    expect(login.status).toBe(204);
    const cookie = login.headers.getSetCookie()[0]!.split(';')[0]!;
    for (const replica of [0, 1, 2])
      expect((await fetch(at(replica, '/page/about'), { headers: { cookie } })).status).toBe(200);
    const origin = at(1, '');
    const leaving = await fetch(at(1, '/page/session'), { method: 'DELETE', headers: { cookie, origin } });
    expect(leaving.status).toBe(204);
    for (const replica of [0, 1, 2])
      expect((await fetch(at(replica, '/page/about'), { headers: { cookie } })).status).toBe(401);
  });

  test('keeps reading while the database is down, and reports that changes must wait', async () => {
    const session = await begin();
    const read = call('read_text_file', { path: 'outer.txt' });
    expect((await post(at(0), read, session)).status).toBe(200);
    expect((await fetch(at(0, '/readyz?for=changes'))).status).toBe(200);
    await cluster.stop('immediate');
    try {
      // The first replica knows the session; the others do not.
      for (const replica of [0, 1, 2]) {
        const answer = await post(at(replica), read, session);
        expect(await answer.text()).toContain('outer');
        expect((await fetch(at(replica, '/readyz'))).status).toBe(200);
      }
      await until(async () => (await fetch(at(0, '/readyz?for=changes'))).status === 503);
      expect((await begin())['Mcp-Session-Id']).toMatch(/./);
    } finally {
      await cluster.start();
    }
    await until(async () => (await fetch(at(0, '/readyz?for=changes'))).status === 200);
    await until(async () => (await post(at(1), read, session)).status === 200);
  });
});

test.skipIf(postgresPrograms() !== undefined)(NO_POSTGRES, (context) => context.skip());
