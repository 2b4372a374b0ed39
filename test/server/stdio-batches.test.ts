/** Batches on stdio: only one version of the protocol has them; later ones removed them. */
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Dialect, defineTool, hints, type ToolContext } from '../../src/dialects/dialect.ts';
import { Engine } from '../../src/engine/index.ts';
import { serveOnStdio } from '../../src/server/stdio/serve.ts';
import { temporaryDirectory } from '../tree.ts';

let directory: { path: string; remove(): void };
beforeAll(() => {
  directory = temporaryDirectory();
});
afterAll(() => directory.remove());

interface Message {
  id?: unknown;
  method?: string;
  result?: { content?: { text: string }[] };
  error?: { code: number; message: string };
}

function dialect(): Dialect {
  const input = { type: 'object', properties: {} } as const;
  const tool = (name: string, run: (args: object, context: ToolContext) => Promise<string>) =>
    defineTool({ name, title: name, description: name, hints: hints.readOnly, input, run, render: String });
  return {
    name: 'odd',
    summary: 'for tests',
    tools: [
      tool('echo', async () => 'echo'),
      tool('slow', async () => {
        await new Promise((resolve) => setTimeout(resolve, 30));
        return 'slow';
      }),
      tool('large', async () => 'x'.repeat(3 * 1024 * 1024)),
      tool('hang', async (_, { signal }) => {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        return 'never told';
      }),
      tool('tell', async (_, { progress }) => {
        progress(1, 'one');
        return 'told';
      }),
    ],
    failed: (facts) => ({ error: { code: -32002, message: facts.kind } }),
  };
}

const hello = (protocolVersion: string) =>
  request('hello', 'initialize', {
    protocolVersion,
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  });
const request = (id: unknown, method: string, params?: object) => ({ jsonrpc: '2.0', id, method, params });
const call = (id: unknown, name: string, more: object = {}) => request(id, 'tools/call', { name, ...more });
const notify = (method: string, params?: object) => ({ jsonrpc: '2.0', method, params });

/** Sends the lines, ends the input, and gives the lines that came back after the handshake. */
async function talk(
  byLibrary: boolean,
  lines: unknown[],
  version = '2025-03-26',
): Promise<(Message | Message[])[]> {
  const engine = new Engine({ roots: [{ path: directory.path, writable: true }] });
  const app = {
    version: '1',
    engine,
    dialects: [dialect()],
    home: directory.path,
    settings: {},
    log: () => {},
  };
  const [input, output] = [new PassThrough(), new PassThrough()];
  let received = '';
  output.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk;
  });
  const serving = serveOnStdio(app, input, output, { byLibrary });
  for (const line of [hello(version), notify('notifications/initialized'), ...lines])
    input.write(`${JSON.stringify(line)}\n`);
  input.end();
  await serving.done;
  await engine.close();
  const messages = received.trimEnd().split('\n');
  return messages.map((line) => JSON.parse(line)).filter((message) => message.id !== 'hello');
}

const idsOf = (list: Message | Message[]) => (list as Message[]).map(({ id }) => id);

describe.each([
  ['ours', false],
  ['the library', true],
])('a batch, by %s', (_, byLibrary) => {
  it('is answered in one line, whatever is in it', async () => {
    const batch = [
      call(1, 'slow'),
      call('two', 'echo'),
      notify('notifications/initialized'),
      request(3, 'ping'),
      request(4, 'no/such/method'),
      call(5, 'nothing'),
      request(6, 'tools/call', {}),
      17,
      { jsonrpc: '1.0', id: 8, method: 'ping' },
      call(1, 'echo'),
      request(9, 'initialize', {}),
    ];
    const answers = await talk(byLibrary, [batch]);
    expect(answers).toHaveLength(1);
    const byId = new Map<unknown, Message[]>();
    for (const answer of answers[0] as Message[])
      byId.set(answer.id, [...(byId.get(answer.id) ?? []), answer]);
    const codes = (id: unknown) => byId.get(id)?.map(({ error }) => error?.code ?? 'good');
    expect(codes(1)!.sort()).toEqual([-32600, 'good']);
    expect([codes('two'), codes(3)]).toEqual([['good'], ['good']]);
    expect([codes(4), codes(5), codes(6)]).toEqual([[-32601], [-32602], [-32602]]);
    expect([codes(null), codes(8), codes(9)]).toEqual([[-32600], [-32600], [-32600]]);
    expect((answers[0] as Message[]).length).toBe(10);
  });

  it('gets no answer if no message needs one, and an error if it is empty', async () => {
    const quiet = [notify('notifications/initialized'), { jsonrpc: '2.0', id: 'x', result: {} }];
    expect(await talk(byLibrary, [quiet, request(1, 'ping')])).toEqual([
      { jsonrpc: '2.0', id: 1, result: {} },
    ]);
    const codes = (await talk(byLibrary, [[], Array(101).fill(request(1, 'ping'))])) as Message[];
    expect(codes.map(({ error }) => error!.code)).toEqual([-32600, -32600]);
  });

  it('does not wait for cancelled requests, and reports progress at once', async () => {
    const batch = [call(1, 'hang'), call(2, 'echo'), call(3, 'tell', { _meta: { progressToken: 'p' } })];
    const told = await talk(byLibrary, [batch, notify('notifications/cancelled', { requestId: 1 })]);
    expect((told[0] as Message).method).toBe('notifications/progress');
    expect(idsOf(told[1]!).sort()).toEqual([2, 3]);
    expect(told).toHaveLength(2);
  });

  it('may be mixed with another one and with single messages', async () => {
    const lines = [
      [call(1, 'slow'), call(2, 'slow')],
      call(3, 'slow'),
      [call(4, 'slow')],
      request(5, 'ping'),
    ];
    const lists = (await talk(byLibrary, lines)).filter((line) => Array.isArray(line));
    // In any order: the one that ends first comes first.
    expect(lists.map((list) => idsOf(list).sort()).sort()).toEqual([[1, 2], [4]]);
  });

  it('gets two lines if its answers are too long for one', async () => {
    const lists = await talk(byLibrary, [[call(1, 'large'), call(2, 'large'), call(3, 'large')]]);
    expect(lists.length).toBeGreaterThan(1);
    expect(lists.flatMap(idsOf).sort()).toEqual([1, 2, 3]);
  });

  it.each(['2024-11-05', '2025-06-18', '2025-11-25'])('is refused in %s', async (version) => {
    const answers = (await talk(byLibrary, [[request(1, 'ping')], request(2, 'ping')], version)) as Message[];
    expect(answers[0]).toMatchObject({ id: null, error: { code: -32600 } });
    expect(answers[1]).toMatchObject({ id: 2, result: {} });
  });
});
