/** The protocol's own clients, of both major versions and both eras, on a server whose dialect serves resources. */
import { PassThrough } from 'node:stream';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  ListRootsRequestSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { type Dialect, defineTool, hints } from '../../src/dialects/dialect.ts';
import { Engine, type EngineOptions } from '../../src/engine/index.ts';
import { openHttpServer } from '../../src/server/http-server.ts';
import type { App } from '../../src/server/mcp/app.ts';
import { serveOnStdio } from '../../src/server/stdio/serve.ts';
import { fullGrant } from '../../src/server/web/tokens/tokens.ts';

const TOKEN = 'the-token-of-the-resource-tests';
const PATH = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } as const;

/** A dialect with two tools, whose error messages are the kinds of failures. */
const shelf: Dialect = {
  name: 'shelf',
  summary: 'for tests',
  servesResources: true,
  followsClientRoots: true,
  instructions: ({ directories, canUndo, offers }) =>
    `${directories.length} directories; ${canUndo ? 'undo' : 'no undo'}; ${offers('read_text_file')}`,
  tools: [
    defineTool({
      ...{ name: 'read_text_file', title: 'Read', description: 'Reads', hints: hints.readOnly, input: PATH },
      run: ({ path }, { engine }) => engine.files.readText(path),
      render: ({ text }) => text,
    }),
    defineTool({
      ...{ name: 'write_file', title: 'Write', description: 'Writes', hints: hints.destructive },
      input: {
        ...PATH,
        properties: { path: { type: 'string' }, content: { type: 'string' } },
        required: ['path', 'content'],
      },
      run: ({ path, content }, { engine }) => engine.files.write(path, content),
      render: () => 'written',
    }),
  ],
  failed: (facts) => ({ result: { content: [{ type: 'text', text: facts.kind }], isError: true } }),
};

/** What the tests need from any client. */
export interface TestClient {
  request(method: string, params?: object): Promise<Record<string, unknown>>;
  /** Subscribes as its era requires. */
  subscribe(uri: string): Promise<() => Promise<void>>;
  listenToList(): Promise<void>;
  instructions(): string | undefined;
  capabilities(): object | undefined;
  /** The URIs of changed resources, and `list` for the list. */
  heard: string[];
  rootsAsked: number;
  setRoots(paths: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export interface Way {
  name: string;
  era: '2025' | '2026';
  connect(scene: Scene, roots?: readonly string[]): Promise<TestClient>;
}

export class Scene {
  readonly engine: Engine;
  readonly readOnly: Engine;
  readonly app: App;
  readonly log: string[] = [];
  /** What clients announce besides their roots. */
  announced: object = {};
  readonly #closing: (() => Promise<unknown>)[] = [];

  constructor(options: EngineOptions, about: Partial<App> = {}) {
    this.engine = new Engine(options);
    this.readOnly = new Engine({ ...options, readOnly: true });
    this.app = {
      ...{ version: '1', engine: this.engine, dialects: [shelf], home: '/', settings: {} },
      log: (line) => void this.log.push(line),
      ...about,
    };
  }

  later(close: () => Promise<unknown>): void {
    this.#closing.push(close);
  }

  async close(): Promise<void> {
    for (const close of this.#closing.reverse()) await close();
    await this.engine.close();
    await this.readOnly.close();
  }
}

const VERSIONS = { '2025': 'legacy', '2026': { pin: '2026-07-28' } } as const;

export const ways: Way[] = [
  { name: 'stdio', era: '2025', connect: (scene, roots) => onStdio(scene, '2025', false, roots) },
  {
    name: 'stdio by the library',
    era: '2025',
    connect: (scene, roots) => onStdio(scene, '2025', true, roots),
  },
  { name: 'stdio', era: '2026', connect: (scene) => onStdio(scene, '2026', false) },
  { name: 'HTTP with the client of the first major', era: '2025', connect: overFirstHttp },
  { name: 'HTTP', era: '2025', connect: (scene, roots) => overHttp(scene, '2025', roots) },
  { name: 'HTTP', era: '2026', connect: (scene) => overHttp(scene, '2026') },
];

async function onStdio(scene: Scene, era: Way['era'], byLibrary: boolean, roots?: readonly string[]) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const serving = serveOnStdio(scene.app, input, output, { byLibrary });
  const { client, connect } = newClient(scene, era, roots);
  await connect(lineTransport(output, input));
  scene.later(async () => {
    await client.close();
    await serving.done;
  });
  return client;
}

async function urlOf(scene: Scene): Promise<URL> {
  const serving = await openHttpServer(scene.app, {
    ...{ host: '127.0.0.1', port: 0, grants: [fullGrant(TOKEN)] },
    readOnlyEngine: () => scene.readOnly,
  });
  scene.later(() => serving.stop());
  return new URL(`http://127.0.0.1:${serving.port}/mcp`);
}

const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };

async function overHttp(scene: Scene, era: Way['era'], roots?: readonly string[]): Promise<TestClient> {
  const url = await urlOf(scene);
  const { client, connect } = newClient(scene, era, roots);
  await connect(new StreamableHTTPClientTransport(url, { requestInit }));
  scene.later(() => client.close());
  return client;
}

function newClient({ announced }: Scene, era: Way['era'], roots?: readonly string[]) {
  const client = new Client(
    { name: 'test', version: '2' },
    {
      versionNegotiation: { mode: VERSIONS[era] },
      capabilities: { ...announced, ...(roots && { roots: { listChanged: true } }) },
    },
  );
  const heard: string[] = [];
  let told = roots ?? [];
  const test: TestClient = {
    heard,
    rootsAsked: 0,
    request: (method, params) => client.request({ method, params } as never) as never,
    subscribe: async (uri) => {
      if (era === '2025') {
        await client.subscribeResource({ uri });
        return async () => void (await client.unsubscribeResource({ uri }));
      }
      const listening = await client.listen({ resourceSubscriptions: [uri] });
      return async () => void (await listening.close());
    },
    listenToList: async () => {
      if (era === '2026') await client.listen({ resourcesListChanged: true });
    },
    instructions: () => client.getInstructions(),
    capabilities: () => client.getServerCapabilities(),
    setRoots: async (paths) => {
      told = paths;
      await client.sendRootsListChanged();
    },
    close: () => client.close(),
  };
  client.setNotificationHandler(
    'notifications/resources/updated',
    ({ params }) => void heard.push(params.uri),
  );
  client.setNotificationHandler('notifications/resources/list_changed', () => void heard.push('list'));
  if (roots) {
    client.setRequestHandler('roots/list', () => {
      test.rootsAsked++;
      return { roots: told.map((path) => ({ uri: `file://${path}` })) };
    });
  }
  return { client: test, connect: (transport: unknown) => client.connect(transport as never) };
}

async function overFirstHttp(scene: Scene, roots?: readonly string[]): Promise<TestClient> {
  const url = await urlOf(scene);
  const client = new FirstClient(
    { name: 'test', version: '1' },
    { capabilities: { ...scene.announced, ...(roots && { roots: { listChanged: true } }) } },
  );
  const heard: string[] = [];
  let told = roots ?? [];
  const test: TestClient = {
    heard,
    rootsAsked: 0,
    request: (method, params) => client.request({ method, params } as never, anything as never) as never,
    subscribe: async (uri) => {
      await client.subscribeResource({ uri });
      return async () => void (await client.unsubscribeResource({ uri }));
    },
    listenToList: async () => {},
    instructions: () => client.getInstructions(),
    capabilities: () => client.getServerCapabilities(),
    setRoots: async (paths) => {
      told = paths;
      await client.sendRootsListChanged();
    },
    close: () => client.close(),
  };
  client.setNotificationHandler(
    ResourceUpdatedNotificationSchema,
    ({ params }) => void heard.push(params.uri),
  );
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => void heard.push('list'));
  if (roots) {
    client.setRequestHandler(ListRootsRequestSchema, () => {
      test.rootsAsked++;
      return { roots: told.map((path) => ({ uri: `file://${path}` })) };
    });
  }
  await client.connect(new FirstHttp(url, { requestInit }) as never);
  scene.later(() => test.close());
  return test;
}

/** A schema that accepts every result. */
const anything = {
  parse: (value: unknown) => value,
  safeParse: (data: unknown) => ({ success: true, data }),
};

function lineTransport(from: PassThrough, to: PassThrough): unknown {
  let rest = '';
  const transport = {
    onmessage: undefined as ((message: unknown) => void) | undefined,
    onclose: undefined as (() => void) | undefined,
    async start() {
      from.setEncoding('utf8').on('data', (chunk: string) => {
        // A message of megabytes arrives in many pieces: scan it once, when it is complete.
        if (!chunk.includes('\n')) {
          rest += chunk;
          return;
        }
        const lines = (rest + chunk).split('\n');
        rest = lines.pop()!;
        for (const line of lines) if (line !== '') transport.onmessage?.(JSON.parse(line));
      });
    },
    async send(message: unknown) {
      to.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      to.end();
      transport.onclose?.();
    },
  };
  return transport;
}
