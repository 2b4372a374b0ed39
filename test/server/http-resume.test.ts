/** Answers that outlive their connection: a client with a session disconnects, comes back, and gets what it missed. */
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from 'vitest';
import type { HttpLimits } from '../../src/server/web/limits.ts';
import { fullGrant } from '../../src/server/web/tokens/tokens.ts';
import {
  type Answer,
  eventsOf,
  HttpFixture,
  type RawConnection,
  type Talk,
  TOKEN,
  usual,
} from './http-fixture.ts';

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function staged(limits: Partial<HttpLimits> = {}, more: object = {}): Promise<HttpFixture> {
  const fixture = await HttpFixture.open({ limits: { resumableAfterMs: 20, ...limits }, ...more });
  closing.push(() => fixture.close());
  return fixture;
}

/** Calls `wait` on a separate connection, which the test can cut. */
async function beginWaiting(fixture: HttpFixture, talk: Talk): Promise<RawConnection> {
  const raw = await fixture.raw();
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'wait' } });
  const headers = { ...usual, ...talk.headers, host: 'localhost', 'content-length': String(body.length) };
  const lines = Object.entries(headers).map(([header, value]) => `${header}: ${value}\r\n`);
  raw.socket.write(`POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  return raw;
}

const idsIn = (text: string) => [...text.matchAll(/^id: (.*?)\r?$/gm)].map(([, id]) => id!);

function comeBack(fixture: HttpFixture, talk: Talk, eventId: string, more: object = {}): Promise<Answer> {
  const headers = { ...usual, ...talk.headers, 'last-event-id': eventId, ...more };
  return fixture.send({ path: '/mcp', headers });
}

describe('a call whose connection is lost', () => {
  it('begins with an id and a retry time, continues, and can be resumed with the id', async () => {
    const fixture = await staged();
    const talk = await fixture.session();
    const raw = await beginWaiting(fixture, talk);
    const begun = await raw.until(/data: \r?\n/);
    expect(begun).toMatch(/id: \d+-0\nretry: \d+\ndata: \n\n/);
    await fixture.held.started();
    raw.socket.destroy();
    const back = comeBack(fixture, talk, idsIn(begun)[0]!);
    await pause(50);
    expect([fixture.held.running, fixture.held.aborted]).toEqual([1, 0]);
    fixture.held.release();
    const { status, text } = await back;
    expect(status).toBe(200);
    expect(eventsOf(text)).toMatchObject([{ id: 7, result: { content: [{ text: 'waited' }] } }]);
    // Again, after the end.
    const again = await comeBack(fixture, talk, idsIn(begun)[0]!);
    expect(eventsOf(again.text)).toEqual(eventsOf(text));
    expect(eventsOf((await comeBack(fixture, talk, idsIn(text)[0]!)).text)).toEqual([]);
  });

  it('is replayed after the event that the client saw last, and only its own stream', async () => {
    const fixture = await staged();
    const talk = await fixture.session();
    const told = { name: 'tell', _meta: { progressToken: 1 } };
    const [one, other] = [await talk.ask('tools/call', told), await talk.ask('tools/call', told)];
    const ids = idsIn(one.text);
    expect(ids).toHaveLength(5);
    expect(new Set([...ids, ...idsIn(other.text)]).size).toBe(10);
    for (const [at, id] of ids.entries()) {
      const rest = await comeBack(fixture, talk, id);
      expect(idsIn(rest.text)).toEqual(ids.slice(at + 1));
      expect(eventsOf(rest.text)).toEqual(eventsOf(one.text).slice(at));
    }
  });

  it('continues on the newest connection if the old one still exists', async () => {
    const fixture = await staged();
    const talk = await fixture.session();
    const raw = await beginWaiting(fixture, talk);
    const begun = await raw.until(/data: \r?\n/);
    const back = comeBack(fixture, talk, idsIn(begun)[0]!);
    // The stream on the old connection ends.
    await raw.until(/\r\n0\r\n\r\n/);
    await fixture.held.started();
    fixture.held.release();
    expect((await back).json.result!.content![0]!.text).toBe('waited');
    raw.socket.destroy();
  });

  it('is cancelled by a message, and by the end of the session', async () => {
    const fixture = await staged();
    for (const how of ['message', 'end'] as const) {
      const talk = await fixture.session();
      const raw = await beginWaiting(fixture, talk);
      await fixture.held.started();
      raw.socket.destroy();
      const before = fixture.held.aborted;
      if (how === 'message') await talk.tell('notifications/cancelled', { requestId: 7 });
      else await fixture.send({ method: 'DELETE', path: '/mcp', headers: { ...usual, ...talk.headers } });
      while (fixture.held.aborted === before) await pause(5);
    }
  });

  it('gets ids with its messages in an older version, but no event without a message', async () => {
    for (const version of ['2025-06-18', '2025-03-26']) {
      const fixture = await staged({ streamAfterMs: 50 });
      const talk = await fixture.session('/mcp', {}, version);
      const told = await talk.ask('tools/call', { name: 'tell', _meta: { progressToken: 1 } });
      expect(told.text).not.toMatch(/^data: ?$/m);
      const rest = await comeBack(fixture, talk, idsIn(told.text)[1]!);
      expect(eventsOf(rest.text)).toEqual(eventsOf(told.text).slice(2));
    }
  });
});

describe('the stored events', () => {
  it('belong only to their session', async () => {
    const other = 'another-token-of-this-test';
    const fixture = await staged({}, { grants: [fullGrant(TOKEN), fullGrant(other, 'other')] });
    const [mine, theirs] = [
      await fixture.session(),
      await fixture.session('/mcp', { authorization: `Bearer ${other}` }),
    ];
    const told = await mine.ask('tools/call', { name: 'tell', _meta: { progressToken: 1 } });
    expect((await comeBack(fixture, theirs, idsIn(told.text)[0]!)).status).toBe(400);
    const stolen = { 'mcp-session-id': mine.headers['mcp-session-id']!, authorization: `Bearer ${other}` };
    expect((await comeBack(fixture, theirs, idsIn(told.text)[0]!, stolen)).status).toBe(404);
  });

  it.each(['', 'x', '1', '-1', '99-0', '0-99', '0-0-0', '1e3-0', 'NaN-NaN', '9'.repeat(400)])(
    'are not found by %j',
    async (id) => {
      const fixture = await staged();
      const talk = await fixture.session();
      expect((await comeBack(fixture, talk, id)).status).toBe(400);
    },
  );

  it.each([
    ['in number', { replayEvents: 4 }],
    ['in size', { replayBytes: 500 }],
    ['in size with all sessions', { allReplayBytes: 500 }],
  ])('are limited %s, and a client learns that some are gone', async (_, limits) => {
    const fixture = await staged(limits);
    const talk = await fixture.session();
    const told = [];
    for (let turn = 0; turn < 5; turn++)
      told.push(await talk.ask('tools/call', { name: 'tell', _meta: { progressToken: 1 } }));
    const states = [];
    for (const { text } of told) states.push((await comeBack(fixture, talk, idsIn(text)[0]!)).status);
    expect(states).toContain(400);
    // Every client still gets its whole answer.
    for (const { text } of told) expect(eventsOf(text)).toHaveLength(4);
  });

  it('are dropped after a while', async () => {
    const fixture = await staged({ replayMs: 50, sessionIdleMs: 60_000, heartbeatMs: 50 });
    const talk = await fixture.session();
    const told = await talk.ask('tools/call', { name: 'tell', _meta: { progressToken: 1 } });
    while ((await comeBack(fixture, talk, idsIn(told.text)[0]!)).status === 200) await pause(20);
    expect((await talk.call('echo')).status).toBe(200);
  });
});

describe('the stream for messages that belong to no request', () => {
  it('also begins with an id, by which it can be resumed', async () => {
    const fixture = await staged();
    const talk = await fixture.session();
    const headers = { ...usual, ...talk.headers, accept: 'text/event-stream' };
    const first = fixture.send({ path: '/mcp', headers });
    await pause(50);
    const second = fixture.send({ path: '/mcp', headers });
    const [id] = idsIn((await first).text);
    expect(id).toMatch(/^\d+-0$/);
    const third = comeBack(fixture, talk, id!);
    await second;
    await fixture.send({ method: 'DELETE', path: '/mcp', headers });
    expect((await third).status).toBe(200);
  });
});

describe('the protocol’s own client', () => {
  it('gets its answer although every connection is cut while the call runs', async () => {
    const fixture = await staged({ retryMs: 50 });
    const through = await cuttingProxy(fixture.serving.port);
    const client = new Client({ name: 'sdk', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
    const requestInit = { headers: { Authorization: `Bearer ${TOKEN}` } };
    const url = new URL(`http://127.0.0.1:${through.port}/mcp`);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    closing.push(() => client.close());
    let primed: () => void;
    const hasId = new Promise<void>((resolve) => {
      primed = resolve;
    });
    const call = client.callTool({ name: 'wait', arguments: {} }, {
      onresumptiontoken: () => primed(),
    } as Parameters<Client['callTool']>[1]);
    await Promise.all([hasId, fixture.held.started()]);
    through.cut();
    await through.reached(1);
    fixture.held.release();
    expect((await call).content).toEqual([{ type: 'text', text: 'waited' }]);
    expect(fixture.held.aborted).toBe(0);
  });
});

/** Forwards bytes until the test cuts all connections. */
async function cuttingProxy(port: number) {
  const sockets = new Set<Socket>();
  let since = 0;
  const server = createServer((near) => {
    since++;
    const far = connect({ port, host: '127.0.0.1' });
    near.pipe(far).pipe(near);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.once('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    port: (server.address() as { port: number }).port,
    cut: () => {
      since = 0;
      for (const socket of sockets) socket.destroy();
    },
    /** Settles when this many have connected since the cut. */
    reached: async (count: number) => {
      while (since < count) await pause(5);
    },
  };
}
