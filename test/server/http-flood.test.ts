/** Floods of connections without a token: clients with a token still get in. */
import { request as tlsRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { HttpLimits } from '../../src/server/web/limits.ts';
import { soak } from '../soak.ts';
import { certificate, privateKey } from './http-certificate.ts';
import { HttpFixture, hello, TOKEN, usual } from './http-fixture.ts';

/** Several times as many as may stay without a token, and in one flood more than the system queues. */
const SOCKETS = soak(200, 700);
const CROWD = 700;
const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function staged(limits: Partial<HttpLimits> = {}, tls = false): Promise<HttpFixture> {
  const fixture = await HttpFixture.open({
    limits,
    ...(tls && { tls: { cert: Buffer.from(certificate), key: Buffer.from(privateKey) } }),
  });
  closing.push(() => fixture.close());
  return fixture;
}

const post = 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
/** What each socket sends first, and then again and again. */
const kinds: Record<string, [first: string, again: string]> = {
  'that say nothing': ['', ''],
  'that send half of the headers': ['GET /healthz HTTP/1.1\r\nHost: local', ''],
  'that send headers letter by letter': ['POST /mcp HTTP/1.1\r\nX-Slow: ', 'x'],
  'that ask for the health check and stay': ['GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n', ''],
  'that are refused and stay': ['GET /mcp HTTP/1.1\r\nHost: other.example\r\n\r\n', ''],
  'that send a body slowly without a token': [`${post}Content-Length: 1000\r\n\r\n{`, ' '],
  'that send a body slowly with a wrong token': [
    `${post}Authorization: Bearer wrong\r\nContent-Length: 1000\r\n\r\n{`,
    ' ',
  ],
  'that begin a TLS handshake': ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', ''],
};

/** Keeps this many sockets open: opens a new one for each that is closed. */
class Flood {
  readonly #sockets = new Set<Socket>();
  readonly #dripping: NodeJS.Timeout;
  #ended = false;
  opened = 0;

  constructor(port: number, [first, again]: readonly [string, string], count = SOCKETS) {
    const open = () => {
      const socket = connect({ port, host: '127.0.0.1' });
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.once('connect', () => {
        this.opened++;
        socket.write(Buffer.from(first, 'latin1'));
      });
      socket.resume().once('close', () => {
        this.#sockets.delete(socket);
        if (!this.#ended) setTimeout(open, 2000);
      });
    };
    for (let at = 0; at < count; at++) open();
    this.#dripping = setInterval(() => {
      if (again !== '') for (const socket of this.#sockets) if (socket.writable) socket.write(again);
    }, 1000);
    closing.push(() => this.end());
  }

  async reached(count: number): Promise<void> {
    while (this.opened < count) await pause(5);
  }

  end(): void {
    this.#ended = true;
    clearInterval(this.#dripping);
    for (const socket of this.#sockets) socket.destroy();
  }
}

describe.each(Object.entries(kinds))('hundreds of connections %s', (kind, said) => {
  const count = kind === 'that say nothing' ? CROWD : SOCKETS;

  it('do not keep out clients with a token', async () => {
    const fixture = await staged();
    const flood = new Flood(fixture.serving.port, said, count);
    await flood.reached(count);
    for (let turn = 0; turn < 10; turn++) expect((await fixture.post(hello())).status).toBe(200);
  });
});

describe('over TLS', () => {
  it('unfinished handshakes do not keep out other clients', async () => {
    const fixture = await staged({}, true);
    const { port } = fixture.serving;
    const flood = new Flood(port, kinds['that begin a TLS handshake']!);
    await flood.reached(SOCKETS);
    const knock = () =>
      new Promise<number>((resolve, reject) => {
        const options = { host: '127.0.0.1', port, method: 'POST', path: '/mcp', agent: false as const };
        tlsRequest({ ...options, ca: certificate, headers: usual }, (response) => {
          response.resume();
          resolve(response.statusCode!);
        })
          .once('error', reject)
          .end(JSON.stringify(hello()));
      });
    for (let turn = 0; turn < 5; turn++) expect(await knock()).toBe(200);
  });
});

describe('a connection on which a valid token was shown', () => {
  it('survives a flood of connections without a token, even between its requests', async () => {
    const fixture = await staged();
    const raw = await fixture.raw();
    const body = JSON.stringify(hello());
    const ask = `${post}Authorization: Bearer ${TOKEN}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    raw.socket.write(ask);
    await raw.until(/"result"/);
    const flood = new Flood(fixture.serving.port, kinds['that say nothing']!);
    await flood.reached(2 * SOCKETS);
    raw.received = '';
    raw.socket.write(ask);
    expect(await raw.until(/"result"/)).toMatch(/^HTTP\/1\.1 200/);
    raw.socket.destroy();
  });

  it('makes room for another one when it is idle', async () => {
    const fixture = await staged({ connections: 3 });
    const body = JSON.stringify(hello());
    const ask = `${post}Authorization: Bearer ${TOKEN}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const idle = await Promise.all([fixture.raw(), fixture.raw(), fixture.raw()]);
    for (const raw of idle) {
      raw.socket.write(ask);
      await raw.until(/"result"/);
    }
    for (let turn = 0; turn < 5; turn++) expect((await fixture.post(hello())).status).toBe(200);
    expect(idle[0]!.socket.closed).toBe(true);
    for (const { socket } of idle) socket.destroy();
  });
});

describe('connections without a token', () => {
  it('are closed after a short time, and those of the busiest address first', async () => {
    const fixture = await staged({ unauthenticatedMs: 200, keepAliveMs: 60_000 });
    const raw = await fixture.raw();
    raw.socket.write('GET /healthz HTTP/1.1\r\nHost: loc');
    await raw.closed();
    const many = await staged({ unauthenticated: 8, unauthenticatedPerAddress: 4 });
    const port = many.serving.port;
    const other = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' }).on('error', () => {});
    await new Promise((resolve) => other.once('connect', resolve));
    const crowd = await Promise.all(Array.from({ length: 12 }, () => many.raw()));
    while (crowd.filter(({ socket }) => !socket.closed).length > 4) await pause(20);
    expect(other.closed).toBe(false);
    for (const { socket } of crowd) socket.destroy();
    other.destroy();
  });
});

describe('a client that opens a connection for each of its calls', () => {
  it('loses none of its calls, however many it makes at once', async () => {
    const fixture = await staged();
    const session = (await fixture.post(hello())).headers['mcp-session-id'];
    const ask = `${post}Authorization: Bearer ${TOKEN}\r\nMcp-Session-Id: ${session}\r\nAccept: application/json, text/event-stream\r\n`;
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'ping' });
    const crowd = await Promise.all(Array.from({ length: 600 }, () => fixture.raw()));
    for (const { socket } of crowd) socket.write(`${ask}Content-Length: ${body.length}\r\n\r\n${body}`);
    const answers = await Promise.all(crowd.map((raw) => raw.until(/"result"/)));
    expect(answers.filter((answer) => !answer.startsWith('HTTP/1.1 200'))).toEqual([]);
    for (const { socket } of crowd) socket.destroy();
  });
});
