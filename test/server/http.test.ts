/** MCP over HTTP: sessions, requests without one, and several dialects on one port. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, ProtocolError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventsOf, HttpFixture, hello, meta, TOKEN, usual } from './http-fixture.ts';

let fixture: HttpFixture;
beforeAll(async () => {
  fixture = await HttpFixture.open({}, { 'a.txt': 'hello\n', 'inner/b.txt': 'inner\n' });
});
afterAll(() => fixture.close());

describe('a client that initializes', () => {
  it('gets a session, calls in it and ends it', async () => {
    const opened = await fixture.post(hello());
    expect(opened.status).toBe(200);
    expect(opened.json.result).toMatchObject({ protocolVersion: '2025-11-25' });
    const headers = { 'mcp-session-id': opened.headers['mcp-session-id'] as string };
    expect(headers['mcp-session-id']).toMatch(/^[\x21-\x7e]{32,}$/);

    const told = await fixture.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
    expect([told.status, told.text]).toEqual([202, '']);
    const listed = await fixture.post({ jsonrpc: '2.0', id: 'x', method: 'tools/list' }, headers);
    expect(listed.json.id).toBe('x');
    expect(listed.json.result!.tools).toHaveLength(4);

    expect(
      (await fixture.send({ method: 'DELETE', path: '/mcp', headers: { ...usual, ...headers } })).status,
    ).toBe(204);
    const after = await fixture.post({ jsonrpc: '2.0', id: 2, method: 'tools/list' }, headers);
    expect([after.status, after.json.error!.code]).toEqual([404, -32001]);
  });

  it('gets error codes exactly as the dialect gave them', async () => {
    const talk = await fixture.session('/mcp/replay');
    const missing = await talk.call('read_file', { path: 'nothing.txt' });
    expect([missing.status, missing.json.error!.code]).toEqual([200, -32002]);
    expect((await talk.call('no_such_tool')).json.error!.code).toBe(-32602);
    expect((await talk.ask('tools/call', { name: 5 })).json.error).toMatchObject({
      code: -32602,
      message: 'Invalid params: tools/call needs the name of a tool',
    });
    expect((await talk.ask('no/such/method')).json.error!.code).toBe(-32601);
  });

  it('is told the progress of a call as events before the answer', async () => {
    const talk = await fixture.session();
    const answer = await talk.call('tell', {}, { _meta: { progressToken: 'p' } });
    expect(answer.headers['content-type']).toBe('text/event-stream');
    const events = eventsOf(answer.text) as { method?: string; params?: { progress: number } }[];
    expect(events.map((event) => event.params?.progress)).toEqual([1, 2, 3, undefined]);
    expect(events.at(-1)).toMatchObject({ result: { content: [{ text: 'told' }] } });
    expect((await talk.call('tell')).json.result!.content![0]!.text).toBe('told');
  });

  it('may cancel a call, and its request then ends without an answer', async () => {
    const talk = await fixture.session();
    const aborted = fixture.held.aborted;
    const call = talk.ask('tools/call', { name: 'wait', arguments: {} }, 77);
    await fixture.held.started();
    expect((await talk.tell('notifications/cancelled', { requestId: 77 })).status).toBe(202);
    expect(eventsOf((await call).text)).toEqual([]);
    expect(fixture.held.aborted).toBe(aborted + 1);
  });

  it('listens on one stream, and a new stream replaces the old one', async () => {
    const talk = await fixture.session();
    const headers = { ...usual, ...talk.headers, accept: 'text/event-stream' };
    const first = await fixture.raw();
    const lines = Object.entries({ ...headers, host: 'localhost' }).map((header) => header.join(': '));
    first.socket.write(`GET /mcp HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    expect(await first.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 200.*content-type: text\/event-stream/is);
    const second = fixture.send({ path: '/mcp', headers });
    // The last chunk: the stream has ended.
    expect(await first.until(/\r\n0\r\n\r\n$/)).toMatch(/\r\n0\r\n\r\n$/);
    first.socket.destroy();
    await fixture.send({ method: 'DELETE', path: '/mcp', headers });
    expect((await second).status).toBe(200);
  });

  it('gets an error for requests that do not fit the session', async () => {
    const talk = await fixture.session();
    const id = talk.headers;
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect((await fixture.post(list)).status).toBe(400);
    expect((await fixture.post(list, { 'mcp-session-id': 'made-up' })).status).toBe(404);
    expect((await fixture.post(list, id, '/mcp/replay')).status).toBe(404);
    expect((await fixture.post(list, id, '/mcp/stage')).status).toBe(200);
    expect((await fixture.post(list, { ...id, 'mcp-protocol-version': '1999-01-01' })).status).toBe(400);
    expect((await fixture.post(hello(), id)).json.error!.message).toContain('initialized already');
    expect(
      (await fixture.send({ path: '/mcp', headers: { ...usual, ...id, accept: 'text/html' } })).status,
    ).toBe(406);
    expect((await fixture.send({ method: 'PUT', path: '/mcp', headers: usual })).headers.allow).toBe(
      'POST, GET, DELETE',
    );
  });

  it('does not get a session when initialize fails', async () => {
    const failed = await fixture.post({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} });
    expect(failed.json.error).toBeDefined();
    expect(failed.headers['mcp-session-id']).toBeUndefined();
  });

  it('may send batches only in the one version that has them', async () => {
    const batch = [1, 2].map((id) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'echo' },
    }));
    const old = await fixture.session('/mcp', {}, '2025-03-26');
    const answers = (await fixture.post(batch, old.headers)).json as unknown as { id: number }[];
    expect(answers.map(({ id }) => id).sort()).toEqual([1, 2]);
    const mixed = [
      { ...batch[0], params: {} },
      batch[1],
      { ...batch[0], id: 3, params: { name: 'nothing' } },
    ];
    const each = (await fixture.post(mixed, old.headers)).json as unknown as { id: number; error?: object }[];
    expect(each.map(({ id, error }) => [id, error !== undefined]).sort()).toEqual([
      [1, true],
      [2, false],
      [3, true],
    ]);
    const wrong = (await fixture.post([mixed[0]], old.headers)).json as unknown as { id: number }[];
    expect(wrong.map(({ id }) => id)).toEqual([1]);
    const talk = await fixture.session();
    const refused = await fixture.post(batch, talk.headers);
    expect([refused.status, refused.json.error!.code]).toEqual([400, -32600]);
    expect((await fixture.post([], old.headers)).status).toBe(400);
    expect((await fixture.post([hello()])).json.error!.message).toContain('must be sent alone');
  });

  it('keeps its workspace for itself', async () => {
    const [one, other] = [await fixture.session('/mcp/fileeditor'), await fixture.session('/mcp/fileeditor')];
    await one.call('set_workspace', { path: fixture.root });
    await other.call('set_workspace', { path: join(fixture.root, 'inner') });
    expect((await one.call('read_files', { path: 'a.txt' })).text).toContain('1 | hello');
    expect((await other.call('read_files', { path: 'b.txt' })).text).toContain('1 | inner');
    expect((await other.call('read_files', { path: 'a.txt' })).text).toContain('"isError":true');
  });
});

describe('a client of 2026-07-28', () => {
  it('calls without a session', async () => {
    const found = await fixture.stateless('server/discover');
    expect(found.json.result).toMatchObject({ supportedVersions: ['2026-07-28'] });
    const answer = await fixture.stateless('tools/call', { name: 'echo', arguments: {} });
    expect(answer.json.result).toMatchObject({ resultType: 'complete', content: [{ text: 'echo' }] });
    expect(answer.headers['mcp-session-id']).toBeUndefined();
  });

  it('gets error codes exactly as the dialect gave them', async () => {
    const asked = { name: 'read_file', arguments: { path: 'nothing.txt' } };
    const missing = await fixture.stateless('tools/call', asked, {}, '/mcp/replay');
    expect([missing.status, missing.json.error!.code]).toEqual([200, -32002]);
    expect((await fixture.stateless('no/such/method')).status).toBe(404);
  });

  it('is told the progress of a call as events before the answer', async () => {
    const _meta = { ...meta, progressToken: 1 };
    const answer = await fixture.stateless('tools/call', { name: 'tell', arguments: {}, _meta });
    expect(answer.headers['content-type']).toBe('text/event-stream');
    expect(eventsOf(answer.text)).toHaveLength(4);
  });

  it('gets the same answers once its envelope is known and calls bypass the protocol library', async () => {
    const asClient = (name: string) => ({
      ...meta,
      'io.modelcontextprotocol/clientInfo': { name, version: '1' },
    });
    const known = asClient('known');
    await fixture.stateless('tools/call', { name: 'echo', arguments: {}, _meta: known });
    const calls: [string, object, Record<string, string>?][] = [
      ['/mcp', { name: 'echo', arguments: {} }],
      ['/mcp', { name: 'echo' }],
      ['/mcp', { name: 'echo', arguments: {}, task: 'wrong' }],
      ['/mcp', { name: 'echo', arguments: 'wrong' }],
      ['/mcp', { name: 'no-such-tool', arguments: {} }],
      ['/mcp/replay', { name: 'read_file', arguments: { path: 'a.txt' } }],
      ['/mcp/replay', { name: 'read_file', arguments: { path: 'nothing.txt' } }],
      ['/mcp/replay', { name: 'read_file', arguments: { wrong: 1 } }],
      ['/mcp', { name: 'echo', arguments: {} }, { 'mcp-name': 'other' }],
      ['/mcp', { name: 'echo', arguments: {} }, { 'mcp-method': 'tools/list' }],
      ['/mcp', { name: 'echo', arguments: {} }, { 'mcp-protocol-version': '2025-11-25' }],
      ['/mcp', { name: 'echo', arguments: {} }, { 'mcp-protocol-version': '2099-01-01' }],
    ];
    for (const [index, [path, params, headers = {}]] of calls.entries()) {
      const answer = async (_meta: object) => {
        const { status, json } = await fixture.stateless('tools/call', { ...params, _meta }, headers, path);
        return { path, params, headers, status, json };
      };
      expect(await answer(known)).toEqual(await answer(asClient(`new-${index}`)));
    }
  });

  it('is told when headers and body disagree', async () => {
    const answer = await fixture.stateless('tools/call', { name: 'echo' }, { 'mcp-name': 'other' });
    expect([answer.status, answer.json.error!.code]).toEqual([400, -32020]);
  });

  it.each([
    ['params.name', 'tools/call', { name: 'x'.repeat(20_000) }],
    ['params.uri', 'resources/read', { uri: `file:///${'x'.repeat(20_000)}` }],
    ['method', 'x'.repeat(20_000), {}],
  ])('is told that %s is longer than any header, without a copy of it', async (field, method, params) => {
    const headers = { 'mcp-method': method.slice(0, 20), 'mcp-name': 'x' };
    const { status, json } = await fixture.stateless(method, params, headers);
    expect([status, json.error!.code]).toEqual([400, -32020]);
    expect(json.error!.message).toContain(`${field} is longer than any header`);
    expect(JSON.stringify(json).length).toBeLessThan(300);
  });
});

describe('several dialects on one port', () => {
  it('are reached by their names, and the first one also without a name', async () => {
    const names = async (path: string) => {
      const { json } = await fixture.stateless('tools/list', {}, {}, path);
      return (json.result!.tools as { name: string }[]).map(({ name }) => name);
    };
    expect(await names('/mcp')).toEqual(await names('/mcp/stage'));
    expect(await names('/mcp/fileeditor?workspace=.')).toContain('set_workspace');
    expect(await names('/mcp/replay')).not.toContain('set_workspace');
  });

  it('are the only endpoints', async () => {
    for (const path of ['/mcp/patch', '/mcp/', '/mcp/stage/', '/', '/mcp/../mcp', '/MCP', '/mcp%2Fstage'])
      expect([path, (await fixture.post(hello(), {}, path)).status]).toEqual([path, 404]);
  });

  it('have no authorization server: a search for one finds nothing, with or without a token', async () => {
    const paths = [
      '/.well-known/oauth-protected-resource',
      '/.well-known/oauth-protected-resource/mcp/replay',
      '/.well-known/oauth-authorization-server',
      '/.well-known/openid-configuration?x=1',
      '/mcp/.well-known/openid-configuration',
      '/mcp/replay/.well-known/oauth-authorization-server',
      '/.well-known/',
      '/.well-known',
      '/%2Ewell-known/oauth-protected-resource',
    ];
    const told = new Set<string>();
    for (const path of paths)
      for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'PUT'])
        for (const headers of [{}, usual, { ...usual, authorization: 'Bearer wrong' }]) {
          const { status, text, headers: answered } = await fixture.send({ path, method, headers });
          expect([path, method, status]).toEqual([path, method, 404]);
          expect(answered['www-authenticate']).toBeUndefined();
          if (method !== 'HEAD') told.add(text);
        }
    expect(told.size).toBe(1);
    expect((await fixture.send({ path: '/mcp' })).status).toBe(401);
  });

  it('share the port with a health check that needs no token and reveals nothing', async () => {
    const alive = await fixture.send({ path: '/healthz' });
    expect([alive.status, alive.text]).toEqual([200, 'ok\n']);
    expect((await fixture.send({ path: '/healthz', method: 'POST' })).status).toBe(405);
    expect(alive.headers.server).toBeUndefined();
  });
});

describe.each([
  ['the handshake of 2025', 'legacy', 'legacy'],
  ['the revision 2026-07-28', { pin: '2026-07-28' }, 'modern'],
  ['whichever the client finds', 'auto', 'modern'],
] as const)("the protocol's own client, by %s", (_, mode, era) => {
  it('lists, reads, writes, is refused, and cancels', async () => {
    const url = new URL(`${fixture.serving.url}/replay`);
    const headers = { Authorization: `Bearer ${TOKEN}` };
    const client = new Client({ name: 'sdk', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    try {
      expect(client.getProtocolEra()).toBe(era);
      expect((await client.listTools()).tools[0]!.name).toBe('read_file');
      const read = await client.callTool({ name: 'read_file', arguments: { path: 'a.txt' } });
      expect(read.content).toEqual([{ type: 'text', text: 'hello\n' }]);
      const content = `by ${era}\n`;
      await client.callTool({ name: 'write_file', arguments: { path: `${era}.txt`, content } });
      expect(readFileSync(join(fixture.root, `${era}.txt`), 'utf8')).toBe(content);
      const missing = client.callTool({ name: 'read_file', arguments: { path: 'nothing' } });
      await expect(missing).rejects.toSatisfy(
        (error) => error instanceof ProtocolError && error.code === -32002,
      );
    } finally {
      await client.close();
    }
  });

  it('cancels a call that runs', async () => {
    const headers = { Authorization: `Bearer ${TOKEN}` };
    const client = new Client({ name: 'sdk', version: '1' }, { versionNegotiation: { mode } });
    const url = new URL(fixture.serving.url);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    try {
      const aborted = fixture.held.aborted;
      const cancelling = new AbortController();
      const call = client.callTool({ name: 'wait', arguments: {} }, { signal: cancelling.signal });
      await fixture.held.started();
      cancelling.abort('enough');
      await expect(call).rejects.toThrow();
      while (fixture.held.aborted === aborted) await new Promise((resolve) => setTimeout(resolve, 5));
      const { tools } = await client.listTools();
      expect(tools).toHaveLength(4);
    } finally {
      await client.close();
    }
  });
});
