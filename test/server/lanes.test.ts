/** A client that begins with `initialize` gets the same answers from our own code and from the protocol library. */
import { PassThrough } from 'node:stream';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Dialect, defineTool, hints, type ToolContext, text } from '../../src/dialects/dialect.ts';
import { fileeditor } from '../../src/dialects/fileeditor/index.ts';
import { replay } from '../../src/dialects/replay/index.ts';
import { repo } from '../../src/dialects/repo/index.ts';
import { workspace } from '../../src/dialects/workspace/index.ts';
import { Engine } from '../../src/engine/index.ts';
import type { App } from '../../src/server/mcp/app.ts';
import { HANDSHAKE_VERSIONS } from '../../src/server/mcp/messages/handshake-versions.ts';
import { isPlainInitialize } from '../../src/server/mcp/messages/initialize.ts';
import { serveOnStdio } from '../../src/server/stdio/serve.ts';
import { layOut, temporaryDirectory } from '../tree.ts';

type Lane = 'ours' | 'the library';
type Message = Record<string, unknown>;
/** What the test sends: a message, a raw line, or something to do before the next one. */
type Step = Message | string | (() => Promise<void>);

interface Heard {
  answers: Message[];
  notifications: Message[];
  log: string[];
}

let directory: { path: string; remove(): void };
beforeAll(() => {
  directory = temporaryDirectory();
});
afterAll(() => directory.remove());
beforeEach(() => {
  layOut(directory.path, { 'a.txt': 'some text\n', 'b.bin': { base64: '/wD/' } });
});

/** Calls that hang until they are cancelled. */
let hanging: { started: number; aborted: unknown[] };
beforeEach(() => {
  hanging = { started: 0, aborted: [] };
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

function oddDialect(): Dialect {
  const input = { type: 'object', properties: {} } as const;
  const tool = (name: string, run: (args: object, context: ToolContext) => Promise<unknown>) =>
    defineTool({
      ...{ name, title: name, description: name, hints: hints.readOnly, input, run },
      render: (value) => value as string,
    });
  return {
    name: 'odd',
    summary: 'for tests',
    tools: [
      tool('hang', async (_, { signal }) => {
        hanging.started++;
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        hanging.aborted.push(signal.reason);
        return 'never told';
      }),
      tool('tell', async (_, { progress }) => {
        for (const step of [1, 2, 3]) progress(step, `step ${step}`);
        return 'told';
      }),
      tool('crash', async () => {
        throw new Error('[a fault]');
      }),
      tool('structured', async () => ({
        content: [text('{"a":[1,null,{"b":"ü"}]}')],
        structuredContent: { a: [1, null, { b: 'ü' }] },
      })),
      tool('marked', async () => ({ content: [text('Code: wrong')], isError: true })),
      tool('keep', async (_, { engine, session }) => {
        session.workspace ??= await engine.within('.');
        return Object.keys(session).join();
      }),
      tool('echo', async (args) => JSON.stringify(args)),
    ],
    failed: (facts) => ({ error: { code: -32002, message: facts.kind, data: { facts } } }),
  };
}

async function talk(lane: Lane, steps: readonly Step[]): Promise<Heard> {
  const engine = new Engine({ roots: [{ path: directory.path, writable: true }] });
  const log: string[] = [];
  const app: App = {
    version: '1.2.3',
    engine,
    dialects: [replay, fileeditor, workspace, repo, oddDialect()],
    home: directory.path,
    settings: {},
    log: (line) => void log.push(line.split('\n')[0]!),
  };
  const input = new PassThrough();
  const output = new PassThrough();
  const received: string[] = [];
  output.setEncoding('utf8').on('data', (chunk: string) => received.push(chunk));
  const serving = serveOnStdio(app, input, output, { byLibrary: lane === 'the library' });
  for (const step of steps) {
    if (typeof step === 'function') await step();
    else input.write(`${typeof step === 'string' ? step : JSON.stringify(step)}\n`);
  }
  input.end();
  await serving.done;
  await engine.close();
  const messages = received
    .join('')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Message);
  // The order in which two calls end is not specified.
  const answers = messages.filter(({ method }) => method === undefined).sort(byId);
  const notifications = messages.filter((message) => message.method !== undefined && !isSignOfLife(message));
  return { answers, notifications, log };
}

/** A slow call reports progress by the clock, and on a busy machine any call may be slow. */
function isSignOfLife({ params }: Message): boolean {
  return /^\w+ is at work$/.test(String((params as { message?: string } | undefined)?.message));
}

function byId(a: Message, b: Message): number {
  const [one, other] = [JSON.stringify([a.id, a]), JSON.stringify([b.id, b])];
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The library words its messages about wrong params differently, so only the fact that they are wrong is compared. */
function withoutItsWords(answer: Message): Message {
  const error = answer.error as { code: number; message: string } | undefined;
  if (error?.code !== -32602 || !error.message.startsWith('Invalid params: ')) return answer;
  return { ...answer, error: { ...error, message: 'Invalid params' } };
}

const initialize = (id: unknown, params: object = {}): Message => ({
  jsonrpc: '2.0',
  id,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
    ...params,
  },
});
const request = (id: unknown, method: string, params?: unknown): Message => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params === undefined ? {} : { params }),
});
const call = (id: unknown, name: unknown, args?: unknown, more: object = {}): Message =>
  request(id, 'tools/call', { name, ...(args === undefined ? {} : { arguments: args }), ...more });
const notify = (method: string, params?: unknown): Message => ({
  jsonrpc: '2.0',
  method,
  ...(params === undefined ? {} : { params }),
});
const greeting = [initialize('hello'), notify('notifications/initialized')];

/** Compares the answers of both, and gives them. */
async function sameOf(steps: readonly Step[]): Promise<Heard> {
  const ours = await talk('ours', steps);
  const theirs = await talk('the library', steps);
  expect(ours.answers.map(withoutItsWords)).toEqual(theirs.answers.map(withoutItsWords));
  expect(ours.notifications).toEqual(theirs.notifications);
  expect(ours.log).toEqual(theirs.log);
  return ours;
}

describe('the handshake', () => {
  it('knows the versions that the library knows, in its order', () => {
    expect(HANDSHAKE_VERSIONS).toEqual(SUPPORTED_PROTOCOL_VERSIONS);
  });

  it.each([...HANDSHAKE_VERSIONS, '2026-07-28', '1999-01-01', '', 'ü', '2025-06-18 '])(
    'is the same for a client of version %j',
    async (protocolVersion) => {
      const { answers } = await sameOf([initialize(1, { protocolVersion }), request(2, 'tools/list')]);
      expect(answers).toMatchObject([
        {
          id: 1,
          result: {
            protocolVersion: HANDSHAKE_VERSIONS.includes(protocolVersion) ? protocolVersion : '2025-11-25',
            capabilities: { tools: {} },
            serverInfo: { name: 'cofferdam', title: 'Cofferdam', version: '1.2.3' },
          },
        },
        { id: 2 },
      ]);
    },
  );

  const wellMeant: object[] = [
    {},
    { extra: true },
    { _meta: { progressToken: 'p', other: [1] } },
    { capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: {} } },
    { capabilities: { sampling: { tools: {}, context: {} }, elicitation: { form: {}, url: {} } } },
    { capabilities: { elicitation: { form: { applyDefaults: true } }, unheard: 3 } },
    { capabilities: { experimental: { x: { y: [1] } }, extensions: { ui: { mimeTypes: ['text/html'] } } } },
    {
      capabilities: {
        tasks: {
          list: {},
          cancel: {},
          requests: { sampling: { createMessage: {} }, elicitation: { create: {} } },
        },
      },
    },
    { clientInfo: { name: '', version: '', title: 't', websiteUrl: 'w', description: 'd', more: 1 } },
    { clientInfo: { name: 'n', version: '1', icons: [{ src: 's', sizes: ['any'], theme: 'dark' }] } },
  ];
  it.each(wellMeant.map((params) => [JSON.stringify(params), params]))(
    'needs no library with %s',
    async (_, params) => {
      expect(isPlainInitialize(initialize(1, params as object) as never)).toBe(true);
      const { answers } = await sameOf([initialize(1, params as object), request(2, 'ping')]);
      expect(answers.map(({ result }) => result !== undefined)).toEqual([true, true]);
    },
  );

  const wrong: object[] = [
    { protocolVersion: 3 },
    { protocolVersion: undefined },
    { capabilities: null },
    { capabilities: [] },
    { capabilities: { roots: true } },
    { capabilities: { roots: { listChanged: 'yes' } } },
    { capabilities: { sampling: { tools: true } } },
    { capabilities: { experimental: { x: 1 } } },
    { capabilities: { extensions: [] } },
    { capabilities: { elicitation: { form: { applyDefaults: 1 } } } },
    { capabilities: { tasks: { requests: { sampling: { createMessage: 1 } } } } },
    { clientInfo: undefined },
    { clientInfo: { name: 'n' } },
    { clientInfo: { name: 'n', version: 1 } },
    { clientInfo: { name: 'n', version: '1', title: null } },
    { clientInfo: { name: 'n', version: '1', icons: {} } },
    { clientInfo: { name: 'n', version: '1', icons: [{}] } },
    { clientInfo: { name: 'n', version: '1', icons: [{ src: 's', theme: 'blue' }] } },
  ];
  it.each(wrong.map((params) => [JSON.stringify(params), params]))(
    'with %s is refused, first or later, and can be made again',
    async (_, params) => {
      expect(isPlainInitialize(initialize(1, params as object) as never)).toBe(false);
      for (const before of [[], greeting]) {
        const { answers } = await sameOf([
          ...before,
          initialize(1, params as object),
          initialize(2),
          request(3, 'ping'),
        ]);
        expect(answers.filter(({ id }) => id === 1)).toMatchObject([{ error: { code: -32602 } }]);
        expect(answers.filter(({ id }) => id === 2)).toMatchObject([{ result: { capabilities: {} } }]);
      }
    },
  );

  it('may happen twice', async () => {
    await sameOf([...greeting, initialize(2, { protocolVersion: '2024-11-05' }), request(3, 'tools/list')]);
  });

  it('need not come before the first request', async () => {
    const { answers } = await sameOf([
      call(1, 'read_file', { path: 'a.txt' }),
      request(2, 'tools/list'),
      initialize(3),
      call(4, 'read_file', { path: 'a.txt' }),
    ]);
    expect(answers.every(({ result }) => result !== undefined)).toBe(true);
  });

  it('may follow messages that are not requests', async () => {
    await sameOf([notify('notifications/initialized'), ...greeting, request(2, 'ping')]);
    await sameOf(['hello', '', '[]', ...greeting, request(2, 'ping')]);
    await sameOf([{ jsonrpc: '2.0', id: 9, result: {} }, ...greeting, request(2, 'ping')]);
  });

  it('goes to the library if it names a version without a handshake', async () => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    for (const claim of [_meta, { ..._meta, 'io.modelcontextprotocol/protocolVersion': 3 }]) {
      expect(isPlainInitialize(initialize(1, { _meta: claim }) as never)).toBe(false);
      await sameOf([initialize(1, { _meta: claim }), initialize(2)]);
    }
    const { answers } = await sameOf([
      request(1, 'server/discover', { _meta }),
      request(2, 'tools/list', { _meta }),
    ]);
    expect(answers[0]).toMatchObject({ result: { supportedVersions: ['2026-07-28'] } });
  });

  it('may follow a request of a version without a handshake', async () => {
    const { answers } = await sameOf([
      request(1, 'server/discover', {}),
      ...greeting,
      call(2, 'read_file', { path: 'a.txt' }),
    ]);
    expect(answers.find(({ id }) => id === 1)).toMatchObject({ error: { code: -32601 } });
  });
});

describe('requests', () => {
  it('may have ids of every kind', async () => {
    const ids = [0, -1, 7, '7', '', 'ü\n', Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER];
    const { answers } = await sameOf([...greeting, ...ids.map((id) => request(id, 'ping'))]);
    expect(new Set(answers.map(({ id }) => id))).toEqual(new Set(['hello', ...ids]));
    const bad = [null, 1.5, {}, [], true, 1e20, 2 ** 53];
    const refused = await sameOf([...greeting, ...bad.map((id) => request(id, 'ping'))]);
    expect(refused.answers.filter(({ id }) => id === null)).toHaveLength(bad.length);
  });

  it('are all answered even if they have the same id', async () => {
    const { answers } = await sameOf([
      ...greeting,
      ...[1, 1, 1].map((id) => call(id, 'read_file', { path: 'a.txt' })),
      request(1, 'ping'),
      request(2, 'ping'),
    ]);
    expect(answers).toHaveLength(6);
  });

  it('get an error if their method is unknown', async () => {
    const methods = [
      ...['resources/list', 'resources/read', 'resources/templates/list', 'resources/subscribe'],
      ...[
        'prompts/list',
        'prompts/get',
        'logging/setLevel',
        'completion/complete',
        'tasks/get',
        'tasks/list',
      ],
      ...['roots/list', 'sampling/createMessage', 'elicitation/create', 'server/discover'],
      ...['subscriptions/listen', 'notifications/initialized', 'notifications/cancelled', 'Ping', ''],
      ...['tools/list ', '__proto__', 'constructor', 'toString', 'no/such/method'],
    ];
    const { answers } = await sameOf([...greeting, ...methods.map((method, id) => request(id, method, {}))]);
    const refused = answers.filter(({ error }) => error !== undefined);
    expect(refused).toHaveLength(methods.length);
    expect(refused.every(({ error }) => (error as { code: number }).code === -32601)).toBe(true);
  });

  it('may carry additional members', async () => {
    await sameOf([
      ...greeting,
      request(1, 'ping', { more: [1], _meta: { 'x/y': null, progressToken: 0 } }),
      request(2, 'tools/list', { more: 1, cursor: 'x' }),
      request(3, 'tools/list', {}),
      { ...request(4, 'ping'), extra: { a: 1 } },
      call(
        5,
        'read_file',
        { path: 'a.txt' },
        { more: true, task: { ttl: 1000, more: 1 }, inputResponses: {} },
      ),
      call(6, 'read_file', { path: 'a.txt' }, { _meta: { 'io.modelcontextprotocol/clientInfo': 3 } }),
      call(7, 'read_file', { path: 'a.txt' }, { _meta: {}, requestState: 'x' }),
      { ...request(8, 'ping'), result: {} },
      { ...request(9, 'ping'), params: undefined },
    ]);
  });

  it('are refused if their params are wrong', async () => {
    const wrong = [
      request(1, 'tools/list', { cursor: 5 }),
      request(2, 'tools/list', { cursor: null }),
      request(3, 'tools/list', { _meta: 3 }),
      request(4, 'ping', { _meta: { progressToken: 1.5 } }),
      request(5, 'ping', { _meta: { progressToken: null } }),
      request(6, 'ping', { _meta: { progressToken: 1e20 } }),
      request(7, 'ping', { _meta: { 'io.modelcontextprotocol/related-task': 3 } }),
      request(8, 'ping', { _meta: { 'io.modelcontextprotocol/related-task': {} } }),
      request(9, 'tools/call'),
      call(10, 3),
      call(11, 'read_file', []),
      call(12, 'read_file', null),
      call(13, 'read_file', 'x'),
      call(14, 'read_file', {}, { task: 3 }),
      call(15, 'read_file', {}, { task: { ttl: 'long' } }),
      call(16, 'read_file', {}, { _meta: null }),
    ];
    const { answers } = await sameOf([...greeting, ...wrong, request('end', 'ping')]);
    const codes = answers.flatMap(({ error }) => (error ? [(error as { code: number }).code] : []));
    expect(codes).toEqual(wrong.map(() => -32602));
  });
});

describe('calls', () => {
  it('get the same answers, whatever their kind', async () => {
    const { answers, log } = await sameOf([
      ...greeting,
      call(1, 'read_file', { path: 'a.txt' }),
      call(2, 'read_file', { path: 'b.bin' }),
      call(3, 'read_file', { path: 'missing' }),
      call(4, 'read_file', { path: '/etc/passwd' }),
      call(5, 'read_file', {}),
      call(6, 'read_file'),
      call(7, 'no_such_tool', {}),
      call(8, '', {}),
      call(9, '__proto__', {}),
      call(10, 'structured'),
      call(11, 'marked', {}),
      call(12, 'crash', {}),
      call(13, 'echo', { a: { b: [null, 1.5, 'ü\u2028'] } }),
      call(14, 'workspace_read_file', { path: 'missing' }),
      call(15, 'repo_read_file', { path: 'missing' }),
      call(16, 'repo_read_file', { path: 'a.txt' }),
      call(17, 'read_files', { path: 'a.txt' }),
    ]);
    const codeOf = (id: number) =>
      (answers.find((answer) => answer.id === id)?.error as { code: number } | undefined)?.code;
    expect([3, 4, 5, 7, 12].map(codeOf)).toEqual([-32002, -32001, -32602, -32602, -32603]);
    expect(log).toEqual(['crash: unexpected Error: [a fault]']);
  });

  it('report progress to a client that gave a token', async () => {
    for (const progressToken of ['', 'a', 0, 7, -3]) {
      const { notifications } = await sameOf([
        ...greeting,
        call(1, 'tell', {}, { _meta: { progressToken } }),
      ]);
      expect(notifications).toEqual(
        [1, 2, 3].map((progress) => ({
          jsonrpc: '2.0',
          method: 'notifications/progress',
          params: { progressToken, progress, message: `step ${progress}` },
        })),
      );
    }
    const { notifications } = await sameOf([
      ...greeting,
      call(1, 'tell', {}),
      call(2, 'tell', {}, { _meta: {} }),
    ]);
    expect(notifications).toEqual([]);
  });

  it('are cancelled only by their own id, with the given reason', async () => {
    const { answers } = await sameOf([
      ...greeting,
      async () => {
        hanging = { started: 0, aborted: [] };
      },
      ...[1, '1', 2].map((id) => call(id, 'hang', {})),
      () => until(() => hanging.started === 3),
      notify('notifications/cancelled', { requestId: 3 }),
      notify('notifications/cancelled', { reason: 'none' }),
      notify('notifications/cancelled', { requestId: '1', reason: 'enough' }),
      () => until(() => hanging.aborted.length === 1),
      async () => expect(hanging.aborted).toEqual(['enough']),
      notify('notifications/cancelled', { requestId: 1 }),
      notify('notifications/cancelled', { requestId: 2, reason: '' }),
      () => until(() => hanging.aborted.length === 3),
      request('end', 'ping'),
    ]);
    expect(answers.map(({ id }) => id)).toEqual(['end', 'hello']);
  });

  it('are cancelled when the wire breaks', async () => {
    for (const lane of ['ours', 'the library'] as const) {
      hanging = { started: 0, aborted: [] };
      const engine = new Engine({ roots: [{ path: directory.path, writable: true }] });
      const log: string[] = [];
      const app = {
        ...{ version: '0', engine, dialects: [oddDialect()], home: '/', settings: {} },
        log: (line: string) => void log.push(line),
      };
      const [input, output] = [new PassThrough(), new PassThrough()];
      const serving = serveOnStdio(app, input, output, { byLibrary: lane === 'the library' });
      for (const message of [...greeting, call(1, 'keep', {}), call(2, 'hang', {})])
        input.write(`${JSON.stringify(message)}\n`);
      await until(() => hanging.started === 1);
      output.destroy(Object.assign(new Error('gone'), { code: 'EPIPE' }));
      await serving.done;
      await until(() => hanging.aborted.length === 1);
      await engine.close();
      expect(log).toEqual([]);
    }
  });

  it('are cancelled when the server is stopped, before and after the first message', async () => {
    for (const lane of ['ours', 'the library'] as const) {
      for (const messages of [[], greeting.slice(0, 1), [...greeting, call(2, 'hang', {})]]) {
        hanging = { started: 0, aborted: [] };
        const engine = new Engine({ roots: [{ path: directory.path, writable: true }] });
        const app = {
          ...{ version: '0', engine, dialects: [oddDialect()], home: '/', settings: {}, log: () => {} },
        };
        const input = new PassThrough();
        const serving = serveOnStdio(app, input, new PassThrough().resume(), {
          byLibrary: lane === 'the library',
        });
        for (const message of messages) input.write(`${JSON.stringify(message)}\n`);
        if (messages.length === 3) await until(() => hanging.started === 1);
        await serving.stop();
        await serving.done;
        await until(() => hanging.aborted.length === hanging.started);
        await engine.close();
      }
    }
  });
});

describe('messages that need no answer', () => {
  it('change nothing', async () => {
    await sameOf([
      ...greeting,
      notify('notifications/initialized', { more: 1 }),
      notify('notifications/unheard'),
      notify('notifications/progress', { progressToken: 1, progress: 1 }),
      notify('notifications/roots/list_changed'),
      notify('tools/call', { name: 'crash' }),
      notify('tools/list'),
      notify('notifications/cancelled'),
      notify('notifications/cancelled', { requestId: {} }),
      notify('notifications/cancelled', { requestId: null }),
      notify('notifications/cancelled', { _meta: 3 }),
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 'x', error: { code: 1, message: 'm' } },
      request('end', 'ping'),
    ]);
  });
});

describe('random messages', () => {
  const values = [
    ...[0, 1, -1, 1.5, 1e20, '', 'a', 'ü', 'ping', 'tools/list', 'tools/call', 'read_file', 'echo', '2.0'],
    ...[null, true, {}, [], [1], { path: 'a.txt' }, { name: 'echo' }, { progressToken: 1 }, { cursor: 3 }],
    ...[{ _meta: { progressToken: {} } }, { name: 'echo', arguments: { a: 1 } }, { task: { ttl: 1 } }],
  ];
  const names = [
    'jsonrpc',
    'id',
    'method',
    'params',
    'result',
    'error',
    'name',
    'arguments',
    '_meta',
    'task',
  ];

  /** Random numbers that are the same in every run. */
  function* random(seed: number): Generator<number, never> {
    for (let state = seed; ; ) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      yield state;
    }
  }

  function disturbed(message: Message, numbers: Generator<number, never>): Message {
    const next = (below: number) => (numbers.next().value >>> 8) % below;
    const copy = structuredClone(message);
    for (let change = next(3); change >= 0; change--) {
      const inside = copy.params as Message | undefined;
      const at = next(2) === 0 && typeof inside === 'object' && inside !== null ? inside : copy;
      const name = names[next(names.length)]!;
      if (next(4) === 0) delete at[name];
      else at[name] = structuredClone(values[next(values.length)]);
    }
    return copy;
  }

  it.each([1, 2, 3, 4, 5])('get the same answers (%i)', async (seed) => {
    const numbers = random(seed);
    const good = [
      request(5, 'ping', {}),
      request(6, 'tools/list', {}),
      call(7, 'read_file', { path: 'a.txt' }, { _meta: { progressToken: 'p' } }),
      call(8, 'echo', {}),
      notify('notifications/cancelled', { requestId: 99 }),
    ];
    const steps = Array.from({ length: 200 }, (_, i) => disturbed(good[i % good.length]!, numbers));
    const { answers } = await sameOf([...greeting, ...steps, request('end', 'ping')]);
    expect(answers.length).toBeGreaterThan(100);
  });
});
