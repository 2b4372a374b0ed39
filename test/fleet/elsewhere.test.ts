/** Requests that reach another replica than the one that they concern: streams to resume, new roots, a new key. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runInProcess } from '../in-process.ts';
import { type Cluster, NO_POSTGRES, postgresPrograms, startCluster } from '../state/postgres/cluster.ts';
import { temporaryDirectory } from '../tree.ts';
import { settled, until } from '../until.ts';
import { Replica, TOKEN } from './replica.ts';
import { RoundRobin } from './round-robin.ts';

const HEADERS = {
  Authorization: `Bearer ${TOKEN}`,
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
};

describe.skipIf(postgresPrograms() === undefined)('at another replica', () => {
  let cluster: Cluster;
  let scratch: { path: string; remove(): void };
  let directory: string;
  let replicas: Replica[];

  beforeAll(async () => {
    cluster = await startCluster();
    scratch = temporaryDirectory();
    directory = join(scratch.path, 'shared');
    for (const each of ['one', 'two']) {
      mkdirSync(join(directory, each), { recursive: true });
      writeFileSync(join(directory, each, 'file.txt'), `in ${each}\n`);
    }
    const args = ['--allow-run', '--sandbox', 'off', `${directory}=shared`];
    replicas = [0, 1].map(() => new Replica(cluster.address('elsewhere'), args));
    await Promise.all(replicas.map((replica) => replica.start()));
  });
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.kill()));
    await cluster.remove();
    scratch.remove();
  });

  const at = (replica: number) => `http://127.0.0.1:${replicas[replica]!.port}/mcp`;
  const post = (replica: number, message: object, headers: Record<string, string>) =>
    fetch(at(replica), { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
  const begin = async (replica: number) => {
    const clientInfo = { name: 'test', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    const answer = await post(replica, { id: 0, method: 'initialize', params }, HEADERS);
    await answer.text();
    return { ...HEADERS, 'Mcp-Session-Id': answer.headers.get('mcp-session-id')! };
  };
  const list = { id: 1, method: 'tools/list' };

  test('a stream cannot be resumed, and the answer says so; at the replica that sent it, it can', async () => {
    const session = await begin(0);
    const command = 'until [ -e go ]; do sleep 0.05; done; echo over';
    const call = {
      name: 'run_command',
      arguments: { command, path: directory },
      _meta: { progressToken: 1 },
    };
    const losing = new AbortController();
    const answer = await fetch(at(0), {
      ...{ method: 'POST', headers: session, signal: losing.signal },
      body: JSON.stringify({ jsonrpc: '2.0', id: 'long', method: 'tools/call', params: call }),
    });
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    let seen = '';
    while (!/^id: \S+$/m.test(seen)) seen += (await reader.read()).value;
    losing.abort();
    const headers = {
      ...session,
      Accept: 'text/event-stream',
      'Last-Event-ID': /^id: (\S+)$/m.exec(seen)![1]!,
    };
    const elsewhere = await fetch(at(1), { headers });
    expect([elsewhere.status, await elsewhere.text()]).toEqual([
      421,
      expect.stringContaining('ask again to reach that one'),
    ]);
    writeFileSync(join(directory, 'go'), '');
    const resumed = await fetch(at(0), { headers });
    expect(await resumed.text()).toContain('over');
  });

  test('new roots apply as soon as the client has announced them', async () => {
    const balancer = await RoundRobin.before(replicas.map(({ port }) => port));
    const client = new FirstClient(
      { name: 'rooted', version: '1' },
      { capabilities: { roots: { listChanged: true } } },
    );
    let root = 'one';
    client.setRequestHandler(ListRootsRequestSchema, () => ({
      roots: [{ uri: pathToFileURL(join(directory, root)).href }],
    }));
    const headers = { Authorization: `Bearer ${TOKEN}` };
    await client.connect(new FirstHttp(new URL('/mcp', balancer.url), { requestInit: { headers } }) as never);
    const canRead = async (each: string) => {
      const path = join(directory, each, 'file.txt');
      return !(await client.callTool({ name: 'read_text_file', arguments: { path } })).isError;
    };
    const readable = async () => [
      ...[await canRead('one'), await canRead('one')],
      ...[await canRead('two'), await canRead('two')],
    ];
    await until(async () => String(await readable()) === 'true,true,false,false');
    root = 'two';
    await client.sendRootsListChanged();
    await until(async () => String(await readable()) === 'false,false,true,true');
    await client.close();
    await balancer.end();
  });

  test('the page shows calls of the first replica live, and can undo them', async () => {
    const page = (path: string, more: RequestInit = {}) =>
      fetch(new URL(path, at(0)), { headers: HEADERS, ...more });
    const leaving = new AbortController();
    const live = await page('/page/live', { signal: leaving.signal });
    const events = live.body!.pipeThrough(new TextDecoderStream()).getReader();
    const file = join(directory, 'paged.txt');
    const write = (content: string) => replicas[1]!.call('write_file', { path: 'paged.txt', content });
    await write('before');
    let seen = '';
    while (!seen.includes('paged.txt')) seen += (await events.read()).value;
    await write('after');
    leaving.abort();
    const written = async () => {
      const lines = (await (await page('/page/events')).text()).trim().split('\n');
      const calls = lines.map((line) => JSON.parse(line) as { tool: string; entries: string[] });
      return calls.filter(({ tool }) => tool === 'write_file').flatMap(({ entries }) => entries);
    };
    const [, entry] = await settled(written, ({ length }) => length === 2);
    const undone = await page(`/page/entries/${entry}/undo`, { method: 'POST', body: '{"force":false}' });
    expect([undone.status, readFileSync(file, 'utf8')]).toEqual([200, 'before']);
  });

  test('sessions from before and after a new key are valid', async () => {
    const before = await begin(0);
    expect((await post(1, list, before)).status).toBe(200);
    const { stdout } = await runInProcess(['state', 'new-key', cluster.address('elsewhere')]);
    expect(stdout).toMatch(/sign with a new key from now on/);
    const keys = await cluster.run('SELECT n FROM elsewhere.secrets ORDER BY n');
    expect(keys).toEqual([{ n: 1 }, { n: 2 }]);
    const after = await begin(0);
    for (const replica of [0, 1])
      for (const session of [before, after]) expect((await post(replica, list, session)).status).toBe(200);
  });
});

test.skipIf(postgresPrograms() !== undefined)(NO_POSTGRES, (context) => context.skip());
