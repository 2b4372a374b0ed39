/**
 * Repeats on stdio what the protocol's suites check over HTTP, as far as it does not depend on HTTP.
 *
 * The suites can only speak HTTP. This file makes their checks by hand for the three ways in which a client on stdio can
 * be served: by our own conversation (it begins with `initialize`), by the protocol library (it asks something else
 * first), and without a handshake (2026-07-28).
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Reply } from '../client.ts';
import { InProcessClient } from '../in-process.ts';
import { layOut, temporaryDirectory } from '../tree.ts';

const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const NEWEST = '2026-07-28';
const lanes = ['our own conversation', 'the library', 'no handshake'] as const;
type Lane = (typeof lanes)[number];

let directory: { path: string; remove(): void };
const clients: InProcessClient[] = [];
beforeEach(() => {
  directory = temporaryDirectory();
  layOut(directory.path, { 'a.txt': 'hello\n', 'ü/b.txt': 'inner\n' });
});
afterEach(async () => {
  for (const client of clients.splice(0)) {
    await client.end();
  }
  directory.remove();
});

const envelope = (version = NEWEST) => ({
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
});

/** A client that this lane serves, after the handshake if there is one. */
class LaneClient {
  readonly raw: InProcessClient;
  readonly lane: Lane;

  private constructor(lane: Lane) {
    this.lane = lane;
    this.raw = new InProcessClient(['--no-journal', directory.path]);
    clients.push(this.raw);
  }

  static async open(lane: Lane, version = '2025-11-25'): Promise<LaneClient> {
    const client = new LaneClient(lane);
    if (lane === 'no handshake') return client;
    if (lane === 'the library') await client.raw.request('ping');
    const { result } = await client.initialize(version);
    expect(result).toBeDefined();
    client.raw.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return client;
  }

  initialize(protocolVersion: string): Promise<Reply> {
    const clientInfo = { name: 'test', version: '1' };
    return this.raw.request('initialize', { protocolVersion, capabilities: {}, clientInfo });
  }

  params(params: object): object {
    if (this.lane !== 'no handshake') return params;
    const { _meta } = params as { _meta?: object };
    return { ...params, _meta: { ...envelope(), ..._meta } };
  }

  ask(method: string, params: object = {}): Promise<Reply> {
    return this.raw.request(method, this.params(params));
  }

  call(name: string, args: object = {}, more: object = {}): Promise<Reply> {
    return this.ask('tools/call', { name, arguments: args, ...more });
  }
}

describe.each(lanes)('a client that is served by %s', (lane) => {
  it('lists tools with names, descriptions and schemas that are objects', async () => {
    const { result } = await (await LaneClient.open(lane)).ask('tools/list');
    const tools = result!.tools as { name: string; description: string; inputSchema: { type: string } }[];
    expect(tools.length).toBeGreaterThan(5);
    for (const { name, description, inputSchema } of tools) {
      expect(name).toMatch(/^[\w.-]{1,128}$/);
      expect([description.length > 0, inputSchema.type]).toEqual([true, 'object']);
    }
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
  });

  it('calls a tool and gets its content, whatever characters it has', async () => {
    const client = await LaneClient.open(lane);
    expect((await client.call('read_file', { path: 'a.txt' })).result!.content).toEqual([
      { type: 'text', text: 'hello\n' },
    ]);
    const content = '\u{1f980} \u2028 "quoted" \\ \n';
    await client.call('write_file', { path: 'ü/new.txt', content });
    expect(readFileSync(join(directory.path, 'ü/new.txt'), 'utf8')).toBe(content);
    const read = await client.call('read_file', { path: 'ü/new.txt' });
    expect(read.result!.content[0]!.text).toBe(content);
  });

  it('gets the right error codes', async () => {
    const client = await LaneClient.open(lane);
    const codeOf = async (reply: Promise<Reply>) => (await reply).error?.code;
    expect(await codeOf(client.call('no_such_tool'))).toBe(-32602);
    expect(await codeOf(client.call('read_file', { path: 5 }))).toBe(-32602);
    expect(await codeOf(client.call('read_file', { path: 'nothing' }))).toBe(-32002);
    expect(await codeOf(client.ask('tools/call', { name: 5 }))).toBe(-32602);
    expect(await codeOf(client.ask('tools/call', { name: 'read_file', arguments: [] }))).toBe(-32602);
    for (const method of ['no/such/method', 'resources/list', 'prompts/list', 'completion/complete'])
      expect([method, await codeOf(client.ask(method))]).toEqual([method, -32601]);
    expect((await client.call('read_file', { path: 'a.txt' })).result).toBeDefined();
  });

  it('gets an error for what is not a message, and can continue', async () => {
    const client = await LaneClient.open(lane);
    for (const [line, code] of [
      ['{"jsonrpc":', -32700],
      ['{}', -32600],
      ['null', -32600],
      ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600],
      ['{"jsonrpc":"1.0","method":"ping"}', -32600],
    ] as const) {
      const reply = client.raw.replyTo(null);
      client.raw.send(line);
      expect([line, (await reply).error!.code]).toEqual([line, code]);
    }
    expect((await client.call('read_file', { path: 'a.txt' })).result).toBeDefined();
  });

  it('gets its ids back exactly, and one answer for each request', async () => {
    const client = await LaneClient.open(lane);
    const ids = ['a', '', '7', 7_000_001, 0, -5, Number.MAX_SAFE_INTEGER, 'ü "x"'];
    const params = client.params({ name: 'read_file', arguments: { path: 'a.txt' } });
    const replies = ids.map((id) => client.raw.replyTo(id));
    for (const id of ids) client.raw.send({ jsonrpc: '2.0', id, method: 'tools/call', params });
    for (const [at, reply] of (await Promise.all(replies)).entries()) {
      expect(reply.id).toBe(ids[at]);
      expect(reply.result!.content[0]!.text).toBe('hello\n');
    }
  });

  it('may send notifications and additional data, which change nothing', async () => {
    const client = await LaneClient.open(lane);
    for (const method of ['notifications/unknown', 'notifications/roots/list_changed', 'no/such'])
      client.raw.send({ jsonrpc: '2.0', method, params: client.params({}) });
    client.raw.send({ jsonrpc: '2.0', id: 'nobody-asked', result: {} });
    const _meta = {
      'example.com/own': { deep: [1, null, 'x'] },
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      progressToken: 'token',
    };
    const { result } = await client.call('read_file', { path: 'a.txt' }, { _meta });
    expect(result!.content[0]!.text).toBe('hello\n');
    expect(JSON.stringify(result)).not.toContain('example.com/own');
    const own = client.raw.notifications as { method: string; params: { progressToken?: unknown } }[];
    expect(own.filter(({ params }) => params.progressToken !== 'token')).toEqual([]);
  });

  it('cancels a call, which stops without an answer, while others are answered', async () => {
    const client = await LaneClient.open(lane);
    const command = 'touch began; sleep 60; touch ended';
    const params = client.params({ name: 'execute_command', arguments: { command } });
    let answered = false;
    client.raw.replyTo('long').then(
      () => {
        answered = true;
      },
      () => {},
    );
    client.raw.send({ jsonrpc: '2.0', id: 'long', method: 'tools/call', params });
    while (!existsSync(join(directory.path, 'began'))) await pause(10);
    expect((await client.call('read_file', { path: 'a.txt' })).result).toBeDefined();
    client.raw.send({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: client.params({ requestId: 'long', reason: 'enough' }),
    });
    expect((await client.call('read_file', { path: 'a.txt' })).result).toBeDefined();
    // With nothing left to answer, the end of the input stops the server, a minute before the call would have ended.
    expect(await client.raw.end()).toBe(0);
    expect([answered, existsSync(join(directory.path, 'ended'))]).toEqual([false, false]);
  });
});

describe.each(['our own conversation', 'the library'] as const)('the handshake, by %s', (lane) => {
  it.each([...VERSIONS, '1999-01-01', NEWEST])(
    'agrees on a version when the client asks for %s',
    async (asked) => {
      const client = await LaneClient.open(lane, asked);
      const { result } = await client.initialize(asked);
      const agreed = VERSIONS.includes(asked) ? asked : VERSIONS[0];
      expect(result).toMatchObject({
        protocolVersion: agreed,
        serverInfo: { name: 'cofferdam', version: expect.stringMatching(/^\d+\.\d+/) },
      });
      // The server announces only what it offers.
      expect(Object.keys(result!.capabilities as object)).toEqual(['tools']);
    },
  );

  it('is refused if something is missing, and can be made afterwards', async () => {
    const raw = new InProcessClient(['--no-journal', directory.path]);
    clients.push(raw);
    if (lane === 'the library') await raw.request('ping');
    expect((await raw.request('initialize', { protocolVersion: 5 })).error!.code).toBe(-32602);
    expect((await raw.initialize()).result).toBeDefined();
  });

  it('is followed by pings', async () => {
    const client = await LaneClient.open(lane);
    for (let turn = 0; turn < 3; turn++) expect((await client.ask('ping')).result).toEqual({});
    expect((await client.ask('logging/setLevel', { level: 'info' })).error!.code).toBe(-32601);
  });
});

describe('without a handshake', () => {
  it('the server names the versions that it supports, and refuses others with the list', async () => {
    const client = await LaneClient.open('no handshake');
    const { result } = await client.ask('server/discover');
    expect(result).toMatchObject({ supportedVersions: [NEWEST] });
    expect(Object.keys(result!.capabilities as object)).toEqual(['tools']);
    const other = await client.raw.request('tools/list', { _meta: envelope('2099-01-01') });
    expect(other.error).toMatchObject({ code: -32022, data: { requested: '2099-01-01' } });
  });

  it('every result says that it is complete', async () => {
    const client = await LaneClient.open('no handshake');
    for (const reply of [client.ask('tools/list'), client.call('read_file', { path: 'a.txt' })])
      expect((await reply).result).toMatchObject({ resultType: 'complete' });
  });
});
