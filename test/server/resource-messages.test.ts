/** Requests about resources on the wire: both lanes of stdio give exactly the same answers, and trace each request. */
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { replay } from '../../src/dialects/replay/index.ts';
import { standard } from '../../src/dialects/standard/index.ts';
import { Engine } from '../../src/engine/index.ts';
import type { App } from '../../src/server/mcp/app.ts';
import { serveOnStdio } from '../../src/server/stdio/serve.ts';
import type { TraceEvent } from '../../src/trace/events/event.ts';
import { Recorder } from '../../src/trace/recorder.ts';
import { layOut, temporaryDirectory } from '../tree.ts';

type Message = Record<string, unknown>;

let temporary: ReturnType<typeof temporaryDirectory>;
let root: string;
beforeEach(() => {
  temporary = temporaryDirectory();
  root = temporary.path;
  layOut(root, { 'a.txt': 'text\n', 'dir/b.txt': 'b\n', '.env': 'SECRET=1\n', 'hidden.key': 'key\n' });
});
afterEach(() => temporary.remove());

const uri = (path: string) => pathToFileURL(join(root, path)).href;

async function talk(requests: readonly Message[], about: Partial<App> = {}, byLibrary = false) {
  const events: TraceEvent[] = [];
  const spans = { send: (event: TraceEvent) => void events.push(event), close: async () => {} };
  const roots = [{ path: root, writable: true }];
  const engine = new Engine({ roots, deny: ['.env'], hide: ['*.key'] });
  const trace = new Recorder({ server: 's', roots: [root], contents: false, spans });
  const app: App = {
    ...{ version: '1', engine, dialects: [standard], home: '/', settings: {}, trace, log: () => {} },
    ...about,
  };
  const [input, output] = [new PassThrough(), new PassThrough()];
  let received = '';
  output.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk;
  });
  const serving = serveOnStdio(app, input, output, { byLibrary });
  const hello = {
    ...{ jsonrpc: '2.0', id: 'hello', method: 'initialize' },
    params: {
      ...{ protocolVersion: '2025-06-18', capabilities: {} },
      clientInfo: { name: 'test', version: '1' },
    },
  };
  for (const message of [hello, ...requests]) input.write(`${JSON.stringify(message)}\n`);
  input.end();
  await serving.done;
  await engine.close();
  const answers = received
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Message);
  return { answers: new Map(answers.map((answer) => [answer.id, answer])), events };
}

const request = (method: string, params?: unknown, id: unknown = method): Message => ({
  ...{ jsonrpc: '2.0', id, method },
  ...(params !== undefined && { params }),
});

const complete = (ref: unknown, argument: unknown) => ({ ref, argument });
const TEMPLATE = { type: 'ref/resource', uri: 'file:///{+path}' };

describe('both lanes of stdio', () => {
  const params: Record<string, () => readonly unknown[]> = {
    'resources/list': () => [undefined, {}, { cursor: 'x' }, { cursor: 3 }, { _meta: { traceparent: 'x' } }],
    'resources/templates/list': () => [undefined, {}],
    'resources/read': () => [
      ...['a.txt', 'dir', 'missing', '.env', 'hidden.key'].map((path) => ({ uri: uri(path) })),
      ...[undefined, {}, { uri: 3 }, { uri: '' }, { uri: 'http://a' }, { uri: 'file:///etc/passwd' }],
    ],
    'resources/subscribe': () => [{ uri: uri('a.txt') }, { uri: uri('missing') }, {}],
    'resources/unsubscribe': () => [{ uri: uri('a.txt') }, { uri: 'never' }, {}],
    'completion/complete': () => [
      complete(TEMPLATE, { name: 'path', value: '' }),
      complete(TEMPLATE, { name: 'other', value: '' }),
      complete(TEMPLATE, { name: 'path' }),
      complete({ type: 'ref/prompt', name: 'x' }, { name: 'path', value: '' }),
      complete({ type: 'unheard' }, { name: 'path', value: '' }),
      {},
    ],
  };

  it.each(Object.entries(params))('give the same answers to %s', async (method, list) => {
    const each = list();
    const requests = each.map((one, index) => request(method, one, index));
    const ours = await talk(requests);
    const theirs = await talk(requests, {}, true);
    for (const [index] of each.entries())
      expect([index, withoutItsWords(ours.answers.get(index))]).toEqual([
        index,
        withoutItsWords(theirs.answers.get(index)),
      ]);
  });

  it.each([false, true])(
    'report a missing resource with the code of their protocol version (by the library: %s)',
    async (byLibrary) => {
      const { answers } = await talk([request('resources/read', { uri: uri('missing') })], {}, byLibrary);
      expect(answers.get('resources/read')).toMatchObject({
        error: { code: -32002, data: { uri: uri('missing') } },
      });
    },
  );
});

/** The library words its messages about wrong params differently, so only the fact that they are wrong is compared. */
function withoutItsWords(answer: Message | undefined): unknown {
  const error = answer?.error as { code: number; message: string } | undefined;
  return error?.code === -32602 ? { ...answer, error: { code: -32602 } } : answer;
}

it('traces every request, with the paths that it touched', async () => {
  const { events } = await talk([
    request('resources/read', { uri: uri('a.txt') }, 1),
    request('resources/read', { uri: 'file:///etc/passwd' }, 2),
    request('resources/list', {}, 3),
    request('resources/read', { uri: uri('.env') }, 4),
  ]);
  const told = events.map(({ dialect, tool, outcome, error, paths }) => ({
    ...{ dialect, tool, outcome, error },
    paths: paths.map(({ path, how }) => `${how} ${path}`),
  }));
  const line = { dialect: 'standard', tool: 'resources/read' };
  expect(told).toHaveLength(4);
  expect(told).toContainEqual({
    ...{ ...line, outcome: 'ok', error: undefined },
    paths: [`read ${join(root, 'a.txt')}`],
  });
  expect(told).toContainEqual({
    ...line,
    outcome: 'failed',
    error: 'outside',
    paths: ['refused /etc/passwd'],
  });
  expect(told).toContainEqual({
    ...{ ...line, outcome: 'failed', error: 'denied' },
    paths: [`refused ${join(root, '.env')}`],
  });
  expect(told).toContainEqual({
    ...{ ...line, tool: 'resources/list', outcome: 'ok', error: undefined },
    paths: [`listed ${root}`],
  });
});

it('shows neither denied nor hidden files', async () => {
  const { answers } = await talk([
    request('resources/list', {}, 1),
    request('resources/read', { uri: uri('.env') }, 2),
    request('resources/read', { uri: uri('hidden.key') }, 3),
    request('completion/complete', complete(TEMPLATE, { name: 'path', value: 'hid' }), 4),
    request('resources/subscribe', { uri: uri('hidden.key') }, 5),
  ]);
  const { resources } = answers.get(1)!.result as { resources: { name: string }[] };
  expect(resources.map(({ name }) => name)).toEqual(['.env', 'a.txt', 'dir/b.txt']);
  expect(JSON.stringify(answers.get(2))).not.toContain('SECRET');
  expect(answers.get(2)).toMatchObject({ error: { message: expect.stringContaining('--deny') } });
  expect(answers.get(3)).toMatchObject({ error: { code: -32002 } });
  expect(answers.get(4)).toMatchObject({ result: { completion: { values: [] } } });
  expect(answers.get(5)).toMatchObject({ error: { code: -32002 } });
});

it('does not exist in the other dialects', async () => {
  for (const byLibrary of [false, true]) {
    const about = { dialects: [replay] };
    const { answers } = await talk(
      [request('resources/list'), request('completion/complete')],
      about,
      byLibrary,
    );
    expect(answers.get('hello')).toEqual({
      ...{ jsonrpc: '2.0', id: 'hello' },
      result: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'cofferdam', title: 'Cofferdam', version: '1' },
      },
    });
    expect(answers.get('resources/list')).toMatchObject({ error: { code: -32601 } });
    expect(answers.get('completion/complete')).toMatchObject({ error: { code: -32601 } });
  }
});

it('tells a model in three lines where it is', async () => {
  const { answers } = await talk([]);
  const { instructions } = answers.get('hello')!.result as { instructions: string };
  const directories = [{ path: '/a', real: '/a', writable: false }];
  const kept = standard.instructions!({ directories, canUndo: true, offers: (tool) => tool !== 'history' });
  expect(kept.split('\n')).toEqual([
    expect.stringContaining('/a (read-only)'),
    expect.any(String),
    'Every change is kept: undo takes one back.',
  ]);
  expect(instructions.split('\n')).toEqual([
    `Directories: ${root}. Nothing else can be reached; relative paths are looked for in each in turn.`,
    'Search first (grep_files for contents, search_files for names), then read the part that matters (read_text_file with offset and limit); a long answer ends with the call that continues.',
  ]);
});
