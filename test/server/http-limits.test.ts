/** What an HTTP server refuses: too much, too slow, too many, nonsense; and how it shuts down. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { HttpLimits } from '../../src/server/web/limits.ts';
import { parseTokens } from '../../src/server/web/tokens/tokens.ts';
import { until } from '../until.ts';
import { eventsOf, HttpFixture, hello, meta, TOKEN, usual } from './http-fixture.ts';

const MIB = 1024 * 1024;

const open: HttpFixture[] = [];
afterEach(async () => {
  for (const fixture of open.splice(0)) await fixture.close();
});

async function staged(
  limits: Partial<HttpLimits> = {},
  more: Parameters<typeof HttpFixture.open>[0] = {},
): Promise<HttpFixture> {
  const fixture = await HttpFixture.open({ limits, ...more });
  open.push(fixture);
  return fixture;
}

const head = (length: number | string, more = '') =>
  `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer ${TOKEN}\r\n${more}Content-Length: ${length}\r\n\r\n`;
const statusOf = (text: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]);

describe('a body', () => {
  it('may have only a limited number of bytes, with or without a Content-Length', async () => {
    const fixture = await staged({ bodyBytes: 1000 });
    const fitting = JSON.stringify(hello()).padEnd(1000, ' ');
    expect((await fixture.post(fitting)).status).toBe(200);
    const large = await fixture.post(`${fitting} `);
    expect([large.status, large.json.error!.message]).toEqual([
      413,
      expect.stringContaining('at most 1000 bytes'),
    ]);
    const chunked = { ...usual, 'transfer-encoding': 'chunked' };
    const body = `${fitting} `;
    expect((await fixture.send({ method: 'POST', path: '/mcp', headers: chunked, body })).status).toBe(413);
  });

  it('gets its refusal while the client is still sending if it is far too large', async () => {
    const fixture = await staged();
    const answer = await fixture.post('x'.repeat(12 * 1024 * 1024));
    expect(answer.status).toBe(413);
  });

  it('is sent after 100 Continue if the client asks for that, and not at all if it would be refused', async () => {
    const fixture = await staged();
    const raw = await fixture.raw();
    const body = JSON.stringify(hello());
    raw.socket.write(head(body.length, 'Expect: 100-continue\r\n'));
    await raw.until(/100 Continue\r\n\r\n/);
    raw.socket.write(body);
    expect(await raw.until(/HTTP\/1\.1 200/)).toContain('200 OK');
    const refused = await fixture.raw();
    refused.socket.write(head(9_999_999, 'Expect: 100-continue\r\n').replace(TOKEN, 'wrong'));
    expect(statusOf(await refused.until(/\r\n\r\n/))).toBe(401);
    for (const { socket } of [raw, refused]) socket.destroy();
  });

  it.each([
    ['nothing', '', -32700],
    ['half of JSON', '{"jsonrpc":', -32700],
    ['bytes that are not UTF-8', Buffer.from('{"jsonrpc":"2.0","method":"\xff\xfe"}', 'latin1'), -32700],
    ['null', 'null', -32600],
    ['a number', '5', -32600],
    ['a text', '"initialize"', -32600],
    ['an object without anything', '{}', -32600],
    ['another protocol', '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
    ['params that are a list', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32600],
    ['an empty batch', '[]', -32600],
    ['a batch of nonsense', '[1,2,3]', -32600],
    ['too large a batch', JSON.stringify(Array(101).fill(hello())), -32600],
    ['a batch with an opening', JSON.stringify([hello(), hello()]), -32600],
    ['lists in lists in lists', '['.repeat(100_000) + ']'.repeat(100_000), -32600],
  ])('gets the right error code if it is %s', async (_, body, code) => {
    const fixture = await staged();
    const sent = { method: 'POST', path: '/mcp', headers: usual, body: body as string };
    const answer = await fixture.send(sent);
    expect([answer.status, answer.json.error!.code]).toEqual([400, code]);
    expect((await fixture.post(hello())).status).toBe(200);
  });

  it('does no harm if it is nested very deep', async () => {
    const fixture = await staged();
    const talk = await fixture.session('/mcp/replay');
    const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_file","arguments":{"path":${deep}}}}`;
    const answer = await fixture.post(call, talk.headers, '/mcp/replay');
    expect(answer.json.error!.code).toBe(-32602);
    expect((await talk.call('read_file', { path: 'a.txt' })).status).toBe(200);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/jsonx',
    '',
  ])('is refused with the content type %j', async (type) => {
    const fixture = await staged();
    expect((await fixture.post(hello(), { 'content-type': type })).status).toBe(415);
  });

  it('is refused from a client that does not accept the answer', async () => {
    const fixture = await staged();
    expect((await fixture.post(hello(), { accept: 'text/html' })).status).toBe(406);
    expect((await fixture.post(hello(), { accept: '*/*' })).status).toBe(200);
    const talk = await fixture.session();
    const answer = await fixture.post(
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'tell', _meta: { progressToken: 1 } } },
      { ...talk.headers, accept: 'application/json' },
    );
    expect(answer.json.result!.content![0]!.text).toBe('told');
  });
});

describe('a slow client', () => {
  it.each([
    ['says nothing at all', ''],
    ['sends its head letter by letter', 'POST /mcp HTTP/1.1\r\nHost: local'],
    ['sends its body letter by letter', `${head(100)}{`],
  ])('is disconnected if it %s', async (_, bytes) => {
    const fixture = await staged({ headersMs: 300, requestMs: 600 });
    const raw = await fixture.raw();
    raw.socket.write(bytes);
    const dripping = setInterval(() => bytes !== '' && raw.socket.write('x'), 50);
    await raw.closed();
    clearInterval(dripping);
    expect((await fixture.post(hello())).status).toBe(200);
  });

  it('is disconnected if it does not read its answer', async () => {
    const fixture = await staged({ stalledMs: 100 });
    const talk = await fixture.session();
    const call = JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'large' } });
    const receivedAfter = async (ms: number) => {
      const raw = await fixture.raw();
      raw.socket.pause();
      raw.socket.write(head(call.length, `Mcp-Session-Id: ${talk.headers['mcp-session-id']}\r\n`) + call);
      await pause(ms);
      raw.socket.resume();
      await until(() => raw.socket.closed || raw.received.length > 7 * MIB);
      raw.socket.destroy();
      return raw.received.length;
    };
    // On a busy machine the answer may not have begun yet: then the client waits longer before it checks.
    let received = Number.POSITIVE_INFINITY;
    for (let ms = 500; received > 7 * MIB && ms < 60_000; ms *= 3) received = await receivedAfter(ms);
    expect(received).toBeLessThan(7 * MIB);
  });

  it('gets an error if its headers are far too long', async () => {
    const fixture = await staged();
    const raw = await fixture.raw();
    raw.socket.write(`GET /mcp HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(statusOf(await raw.until(/\r\n\r\n/))).toBe(431);
    await raw.closed();
  });
});

describe('too many', () => {
  it('connections get an error that says to try later', async () => {
    const fixture = await staged({ connections: 2 });
    const talk = await fixture.session();
    const calls = [talk.call('wait'), talk.call('wait')];
    await fixture.held.started(2);
    const answer = await fixture.post(hello());
    expect([answer.status, answer.headers['retry-after'], answer.headers.connection]).toEqual([
      503,
      '2',
      'close',
    ]);
    fixture.held.release();
    await Promise.all(calls);
    expect((await fixture.post(hello())).status).toBe(200);
  });

  it('sessions of one token, or of all tokens together, are refused', async () => {
    const file = 'one one-token-012345678901 read-write\ntwo two-token-012345678901 read-write';
    const { grants } = parseTokens(file, []);
    const as = (name: string) => ({ authorization: `Bearer ${name}-token-012345678901` });
    const fixture = await staged({ sessions: 5, sessionsPerToken: 3 }, { grants });
    const talks = [];
    for (let at = 0; at < 3; at++) talks.push(await fixture.session('/mcp', as('one')));
    const refused = await fixture.post(hello(), as('one'));
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '30']);
    for (let at = 0; at < 2; at++) await fixture.session('/mcp', as('two'));
    expect((await fixture.post(hello(), as('two'))).status).toBe(503);
    const headers = { ...usual, ...talks[0]!.headers };
    expect((await fixture.send({ method: 'DELETE', path: '/mcp', headers })).status).toBe(204);
    expect((await fixture.post(hello(), as('one'))).status).toBe(200);
    expect((await talks[1]!.call('echo')).status).toBe(200);
  });

  it('calls of one token, or of all tokens together, are refused without an effect', async () => {
    const file = 'one one-token-012345678901 read-write\ntwo two-token-012345678901 read-write';
    const { grants } = parseTokens(file, []);
    const as = (name: string) => ({ authorization: `Bearer ${name}-token-012345678901` });
    const fixture = await staged({ calls: 3, callsPerToken: 2 }, { grants });
    const [one, two] = [await fixture.session('/mcp', as('one')), await fixture.session('/mcp', as('two'))];
    const waiting = [one.call('wait'), one.call('wait')];
    await fixture.held.started(2);
    const refused = await one.call('echo');
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
    const asked = { name: 'echo', arguments: {} };
    expect((await fixture.stateless('tools/call', asked, as('one'))).status).toBe(429);
    expect((await one.ask('tools/list')).status).toBe(200);
    waiting.push(two.call('wait'));
    await fixture.held.started(3);
    expect((await two.call('echo')).status).toBe(503);
    fixture.held.release();
    for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(200);
    expect((await one.call('echo')).status).toBe(200);
  });

  it.each(['sessions', 'no sessions'])(
    'calls wait for their turn, even hundreds at once, with %s',
    async (era) => {
      const fixture = await staged();
      const talk = era === 'sessions' ? await fixture.session() : undefined;
      const params = { name: 'wait', arguments: {} };
      const calls = Array.from({ length: 300 }, () =>
        talk ? talk.ask('tools/call', params) : fixture.stateless('tools/call', params),
      );
      await fixture.held.started(64);
      const releasing = setInterval(() => fixture.held.release(), 10);
      const answers = await Promise.all(calls);
      clearInterval(releasing);
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      expect(answers.every(({ json }) => json.result!.content![0]!.text === 'waited')).toBe(true);
    },
  );

  it('bytes at once are refused and can be sent again', async () => {
    const fixture = await staged({ allBodiesBytes: 2000 });
    const [first, second] = [await fixture.raw(), await fixture.raw()];
    first.socket.write(`${head(1500)}${' '.repeat(1400)}`);
    await pause(50);
    second.socket.write(`${head(1500)}${' '.repeat(1400)}`);
    expect(statusOf(await second.until(/\r\n\r\n/))).toBe(503);
    first.socket.destroy();
    await pause(50);
    expect((await fixture.post(JSON.stringify(hello()).padEnd(1900, ' '))).status).toBe(200);
    second.socket.destroy();
  });

  it('sessions are more than a thousand, and all are gone when they end', async () => {
    const fixture = await staged({ sessions: 2000, sessionsPerToken: 2000 });
    const raw = await fixture.raw();
    const body = JSON.stringify(hello());
    raw.socket.write((head(body.length) + body).repeat(1000));
    while (raw.received.split('HTTP/1.1 200').length <= 1000) await pause(20);
    const ids = [...raw.received.matchAll(/^mcp-session-id: (\S+)/gim)].map(([, id]) => id!);
    expect(new Set(ids).size).toBe(1000);
    raw.received = '';
    const ending = (id: string) =>
      `DELETE /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nMcp-Session-Id: ${id}\r\n\r\n`;
    raw.socket.write(ids.map(ending).join(''));
    while (raw.received.split('HTTP/1.1 204').length <= 1000) await pause(20);
    raw.socket.destroy();
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect((await fixture.post(list, { 'mcp-session-id': ids[500]! })).status).toBe(404);
  });
});

describe('a session', () => {
  it('ends when it is idle, but not while a client listens to it', async () => {
    // Longer than a busy machine takes to begin to listen.
    const fixture = await staged({ sessionIdleMs: 2000 });
    const [left, listened] = [await fixture.session(), await fixture.session()];
    const headers = { ...usual, ...listened.headers, accept: 'text/event-stream' };
    const listening = fixture.send({ path: '/mcp', headers });
    await pause(4500);
    expect((await left.call('echo')).status).toBe(404);
    expect((await listened.call('echo')).status).toBe(200);
    await fixture.send({ method: 'DELETE', path: '/mcp', headers });
    await listening;
  });

  it('refuses a second request with the same id at the same time', async () => {
    const fixture = await staged();
    const talk = await fixture.session();
    const waiting = talk.ask('tools/call', { name: 'wait', arguments: {} }, 'same');
    await fixture.held.started();
    const second = await talk.ask('tools/call', { name: 'echo', arguments: {} }, 'same');
    expect([second.status, second.json.error!.code]).toEqual([400, -32600]);
    fixture.held.release();
    expect((await waiting).status).toBe(200);
  });

  it('answers requests on one connection in order, even if they arrive all at once', async () => {
    const fixture = await staged();
    const talk = await fixture.session();
    const id = `Mcp-Session-Id: ${talk.headers['mcp-session-id']}\r\n`;
    const calls = ['tell', 'echo', 'tell', 'echo'].map((name, at) =>
      JSON.stringify({ jsonrpc: '2.0', id: `call ${at}`, method: 'tools/call', params: { name } }),
    );
    const raw = await fixture.raw();
    raw.socket.write(calls.map((call) => head(call.length, id) + call).join(''));
    const text = await raw.until(/call 3/);
    expect([...text.matchAll(/call (\d)/g)].map(([, at]) => at)).toEqual(['0', '1', '2', '3']);
    raw.socket.destroy();
  });

  it('sends keep-alive events during a long call, and then its answer', async () => {
    const fixture = await staged({ streamAfterMs: 50, resumableAfterMs: 50, heartbeatMs: 50 });
    const talk = await fixture.session();
    const calls = [talk.call('wait'), fixture.stateless('tools/call', { name: 'wait', arguments: {} })];
    await fixture.held.started(2);
    // Wait in several short steps: in a single long one, a blocked process might have had only one tick.
    for (let turn = 0; turn < 10; turn++) await pause(50);
    fixture.held.release();
    for (const answer of await Promise.all(calls)) {
      expect(answer.headers['content-type']).toBe('text/event-stream');
      expect(answer.text).toContain(': still here');
      expect(eventsOf(answer.text)[0]!.result!.content![0]!.text).toBe('waited');
    }
  });
});

describe('a client that disconnects', () => {
  const alone = (id: number) => {
    const params = { name: 'wait', arguments: {}, _meta: meta };
    const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
    const modern = 'Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: wait\r\n';
    return head(body.length, modern) + body;
  };

  it('cancels its calls without a session, but not in a session', async () => {
    const fixture = await staged();
    const talk = await fixture.session();
    const params = { name: 'wait', arguments: {} };
    const inSession = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const [one, other] = [await fixture.raw(), await fixture.raw()];
    one.socket.write(
      head(inSession.length, `Mcp-Session-Id: ${talk.headers['mcp-session-id']}\r\n`) + inSession,
    );
    other.socket.write(alone(1));
    await fixture.held.started(2);
    one.socket.destroy();
    other.socket.resetAndDestroy();
    while (fixture.held.running > 1) await pause(5);
    expect(fixture.held.aborted).toBe(1);
    expect((await talk.ask('tools/call', params, 1)).json.error!.message).toContain('under way');
    fixture.held.release();
    while (fixture.held.running > 0) await pause(5);
    expect(fixture.held.aborted).toBe(1);
    expect((await talk.ask('tools/call', { name: 'echo', arguments: {} }, 1)).status).toBe(200);
    expect(fixture.log).toEqual([]);
  });

  it('also cancels the calls that wait behind another one on its connection', async () => {
    const fixture = await staged();
    const raw = await fixture.raw();
    raw.socket.write([1, 2, 3].map(alone).join(''));
    await fixture.held.started(3);
    raw.socket.destroy();
    while (fixture.held.running > 0) await pause(5);
    expect(fixture.held.aborted).toBe(3);
  });

  it('leaves nothing behind if it was sending a body', async () => {
    const fixture = await staged({ allBodiesBytes: 4000 });
    for (let turn = 0; turn < 20; turn++) {
      const raw = await fixture.raw();
      raw.socket.write(`${head(3500)}${' '.repeat(3000)}`);
      await pause(5);
      raw.socket.destroy();
    }
    await pause(50);
    expect((await fixture.post(JSON.stringify(hello()).padEnd(3900, ' '))).status).toBe(200);
  });
});

describe('a server that shuts down', () => {
  it('accepts no new requests, and answers those under way', async () => {
    const fixture = await staged();
    const talk = await fixture.session();
    const headers = { ...usual, ...talk.headers, accept: 'text/event-stream' };
    const listening = fixture.send({ path: '/mcp', headers });
    const begun = await fixture.raw();
    begun.socket.write(head(2).slice(0, -2));
    const call = talk.call('wait');
    await fixture.held.started();
    const stopped = fixture.serving.stop();
    expect((await listening).status).toBe(200);
    await expect(fixture.post(hello())).rejects.toThrow(/ECONNREFUSED|hang up|reset/);
    // Some versions of Node close connections that have not begun a request.
    begun.socket.write(head(2).slice(-2));
    expect(statusOf(await begun.until(/\r\n\r\n/))).toBe(503);
    fixture.held.release();
    const answer = await call;
    expect([answer.status, answer.headers.connection]).toEqual([200, 'close']);
    expect(answer.json.result!.content![0]!.text).toBe('waited');
    await stopped;
  });

  it('does not wait forever: it cancels running calls and tells their clients', async () => {
    const fixture = await staged({ graceMs: 100 });
    const talk = await fixture.session();
    const call = talk.call('wait');
    const alone = fixture.stateless('tools/call', { name: 'wait', arguments: {} }).catch(() => 'cut off');
    await fixture.held.started(2);
    await fixture.serving.stop();
    expect((await call).json.error).toEqual({ code: -32000, message: 'The server is shutting down' });
    await alone;
    expect(fixture.held.aborted).toBe(2);
  });
});
