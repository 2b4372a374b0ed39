/** An HTTP server on loopback with a dialect whose calls tests can hold, and a client that sends arbitrary messages. */
import { request as httpRequest, type IncomingHttpHeaders, type RequestOptions } from 'node:http';
import { connect, type Socket } from 'node:net';
import { type Dialect, defineTool, hints, type ToolContext } from '../../src/dialects/dialect.ts';
import { fileeditor } from '../../src/dialects/fileeditor/index.ts';
import { replay } from '../../src/dialects/replay/index.ts';
import { Engine } from '../../src/engine/index.ts';
import { type HttpOptions, openHttpServer } from '../../src/server/http-server.ts';
import type { App } from '../../src/server/mcp/app.ts';
import { fullGrant } from '../../src/server/web/tokens/tokens.ts';
import type { WebServer } from '../../src/server/web/web-server.ts';
import { layOut, type Tree, temporaryDirectory } from '../tree.ts';

export const TOKEN = 'the-token-of-this-test-suite';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  json: {
    id?: unknown;
    error?: { code: number; message: string };
    result?: { content?: { text: string }[] } & Record<string, unknown>;
  };
}

/** Calls that wait until the test lets them continue, and how they ended. */
export class Held {
  readonly #started: (() => void)[] = [];
  readonly #goOn = new Set<() => void>();
  aborted = 0;
  running = 0;

  async wait(signal: AbortSignal): Promise<string> {
    this.running++;
    for (const tell of this.#started.splice(0)) tell();
    try {
      await new Promise<void>((resolve) => {
        this.#goOn.add(resolve);
        signal.addEventListener('abort', () => {
          this.aborted++;
          resolve();
        });
      });
      return 'waited';
    } finally {
      this.running--;
    }
  }

  async started(count = 1): Promise<void> {
    while (this.running < count) await new Promise<void>((resolve) => this.#started.push(resolve));
  }

  release(): void {
    for (const goOn of this.#goOn) goOn();
    this.#goOn.clear();
  }
}

function fixtureDialect(held: Held): Dialect {
  const input = { type: 'object', properties: {} } as const;
  const tool = (name: string, run: (args: object, context: ToolContext) => Promise<string>) =>
    defineTool({ name, title: name, description: name, hints: hints.readOnly, input, run, render: String });
  return {
    name: 'stage',
    summary: 'for tests',
    tools: [
      tool('wait', (_, { signal }) => held.wait(signal)),
      tool('echo', async () => 'echo'),
      tool('large', async () => 'x'.repeat(7 * 1024 * 1024)),
      tool('tell', async (_, { progress }) => {
        for (const step of [1, 2, 3]) progress(step, `step ${step}`);
        return 'told';
      }),
    ],
    failed: (facts) => ({ error: { code: -32002, message: facts.kind } }),
  };
}

export class HttpFixture {
  readonly held = new Held();
  readonly log: string[] = [];
  readonly root: string;
  readonly serving!: WebServer;
  readonly #remove: () => void;
  readonly #engine: Engine;
  readonly #readOnly: Engine;

  private constructor(tree: Tree) {
    const directory = temporaryDirectory();
    this.root = directory.path;
    this.#remove = () => directory.remove();
    layOut(this.root, tree);
    this.#engine = new Engine({ roots: [{ path: this.root, writable: true }] });
    this.#readOnly = new Engine({ roots: [{ path: this.root, writable: true }], readOnly: true });
  }

  static async open(
    options: Partial<HttpOptions> = {},
    tree: Tree = { 'a.txt': 'hello\n' },
    about: Partial<App> = {},
  ): Promise<HttpFixture> {
    const fixture = new HttpFixture(tree);
    const app = {
      version: '0',
      engine: fixture.#engine,
      dialects: [fixtureDialect(fixture.held), replay, fileeditor],
      home: fixture.root,
      settings: {},
      log: (line: string) => void fixture.log.push(line),
      ...about,
    };
    const serving = await openHttpServer(app, {
      ...{ host: '127.0.0.1', port: 0, grants: [fullGrant(TOKEN)] },
      readOnlyEngine: () => fixture.#readOnly,
      ...options,
    });
    return Object.assign(fixture, { serving });
  }

  async close(): Promise<void> {
    this.held.release();
    await this.serving.stop();
    await this.#engine.close();
    await this.#readOnly.close();
    this.#remove();
  }

  send(options: RequestOptions & { body?: string } = {}): Promise<Answer> {
    return ask({ port: this.serving.port, ...options });
  }

  /** Sends a message like a client that has no session and knows nothing of the protocol's eras. */
  post(message: unknown, headers: Record<string, string> = {}, path = '/mcp'): Promise<Answer> {
    const body = typeof message === 'string' ? message : JSON.stringify(message);
    return this.send({ method: 'POST', path, headers: { ...usual, ...headers }, body });
  }

  async session(
    path = '/mcp',
    headers: Record<string, string> = {},
    protocolVersion = '2025-11-25',
  ): Promise<Talk> {
    const answer = await this.post(hello(protocolVersion), headers, path);
    if (answer.status !== 200) throw new Error(`initialize: ${answer.status} ${answer.text}`);
    const session = { ...headers, 'mcp-session-id': answer.headers['mcp-session-id'] as string };
    return new Talk(this, path, session);
  }

  /** Makes one call like a client of 2026-07-28. */
  stateless(method: string, params: object = {}, headers: Record<string, string> = {}, path = '/mcp') {
    const name = (params as { name?: string }).name;
    const standard = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(name && { 'mcp-name': name }),
    };
    const body = { jsonrpc: '2.0', id: 1, method, params: { _meta: meta, ...params } };
    return this.post(body, { ...standard, ...headers }, path);
  }

  raw(): Promise<RawConnection> {
    return RawConnection.open(this.serving.port);
  }
}

/** One session. */
export class Talk {
  readonly headers: Record<string, string>;
  readonly #fixture: HttpFixture;
  readonly #path: string;
  #next = 1;

  constructor(fixture: HttpFixture, path: string, headers: Record<string, string>) {
    this.#fixture = fixture;
    this.#path = path;
    this.headers = headers;
  }

  ask(method: string, params?: unknown, id: number | string = this.#next++): Promise<Answer> {
    return this.#fixture.post({ jsonrpc: '2.0', id, method, params }, this.headers, this.#path);
  }

  call(name: string, args: object = {}, more: object = {}): Promise<Answer> {
    return this.ask('tools/call', { name, arguments: args, ...more });
  }

  tell(method: string, params?: unknown): Promise<Answer> {
    return this.#fixture.post({ jsonrpc: '2.0', method, params }, this.headers, this.#path);
  }
}

/** Sends raw bytes and gives the bytes that come back. */
export class RawConnection {
  readonly socket: Socket;
  received = '';

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      this.received += chunk;
    });
    socket.on('error', () => {});
  }

  static async open(port: number): Promise<RawConnection> {
    const socket = connect({ port, host: '127.0.0.1' });
    const connection = new RawConnection(socket);
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return connection;
  }

  async until(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.received) && !this.socket.closed)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 20);
        this.socket.once('data', () => {
          clearTimeout(timer);
          resolve();
        });
      });
    return this.received;
  }

  closed(): Promise<void> {
    if (this.socket.closed) return Promise.resolve();
    return new Promise((resolve) => this.socket.once('close', () => resolve()));
  }
}

export const usual: Record<string, string> = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  authorization: `Bearer ${TOKEN}`,
};

export function hello(protocolVersion = '2025-11-25'): object {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  return { jsonrpc: '2.0', id: 0, method: 'initialize', params };
}

export const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

export function ask({ body, ...options }: RequestOptions & { body?: string }): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', agent: false, ...options }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.once('end', () => {
        const { statusCode, headers } = response;
        const json = answerIn(text, String(headers['content-type']));
        resolve({ status: statusCode!, headers, text, json });
      });
      response.once('error', reject);
    });
    request.once('error', reject);
    request.end(body);
  });
}

/** The messages in a stream of events. An event without data has an id and no message. */
export function eventsOf(text: string): Answer['json'][] {
  return [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data!));
}

/** The answer itself, as JSON or, if it took long, as the last of several events. */
function answerIn(text: string, type: string): Answer['json'] {
  if (text === '') return {};
  if (type.startsWith('application/json')) return JSON.parse(text);
  return (type.startsWith('text/event-stream') && eventsOf(text).at(-1)) || {};
}
