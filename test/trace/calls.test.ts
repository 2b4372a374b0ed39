/** What the trace says about calls, whichever dialect they use and whatever it answers. */
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { dialects } from '../../src/dialects/index.ts';
import { Engine } from '../../src/engine/index.ts';
import type { App } from '../../src/server/mcp/app.ts';
import { perform } from '../../src/server/mcp/perform.ts';
import { sessionIdOf } from '../../src/server/mcp/session-state.ts';
import { offeredTools } from '../../src/server/mcp/tools/offered-tools.ts';
import { serveOnStdio } from '../../src/server/stdio/serve.ts';
import type { TraceEvent } from '../../src/trace/events/event.ts';
import { Recorder } from '../../src/trace/recorder.ts';
import { HttpFixture, hello, meta } from '../server/http-fixture.ts';
import { layOut, type Tree, temporaryDirectory } from '../tree.ts';
import { until } from './events.ts';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const TREE: Tree = {
  'a.txt': 'one\ntwo\n',
  'src/b.ts': 'export const b = 1;\n',
  'bin.dat': { base64: '/wA=' },
};

function tracing() {
  const events: TraceEvent[] = [];
  const parents: (string | undefined)[] = [];
  const send = (event: TraceEvent, parent?: string) => {
    events.push(event);
    parents.push(parent);
  };
  const spans = { send, close: async () => {} };
  return {
    events,
    parents,
    recorderFor: (roots: string[]) => new Recorder({ server: 's', roots, contents: false, spans }),
  };
}

function opened(dialect: string, { tree = TREE, journal = true, sandbox = 'auto' as 'auto' | 'off' } = {}) {
  const top = temporaryDirectory();
  const state = temporaryDirectory();
  const root = join(top.path, 'root');
  layOut(root, tree);
  const engine = new Engine({
    roots: [{ path: root, writable: true }],
    ...(journal && { journal: state.path }),
    commands: { sandbox, environment: process.env },
  });
  const { events, parents, recorderFor } = tracing();
  const app: App = {
    version: '0',
    engine,
    dialects: dialects.filter(({ name }) => name === dialect),
    home: join(top.path, 'home'),
    settings: {},
    trace: recorderFor([root]),
    log: (line) => {
      throw new Error(line);
    },
  };
  closing.push(
    () => top.remove(),
    () => state.remove(),
    () => engine.close(),
  );
  const session = {};
  const call = async (name: string, args: unknown, signal = new AbortController().signal) => {
    const offered = offeredTools(app).byName.get(name)!;
    await perform({ app, state: session, sessionId: sessionIdOf(session), offered, args, signal });
    return events.at(-1)!;
  };
  return { app, root, top: top.path, call, events, parents, at: (path: string) => join(root, path) };
}

describe('several files in one call', () => {
  it('are named even if they were refused; the call failed if all were', async () => {
    const { call } = opened('replay');
    const event = await call('read_multiple_files', { paths: ['/etc/passwd', '/home/anna/.ssh/id_rsa'] });
    expect(event).toMatchObject({ outcome: 'failed', error: 'outside' });
    expect(event.paths).toEqual([
      { path: '/etc/passwd', how: 'refused' },
      { path: '/home/anna/.ssh/id_rsa', how: 'refused' },
    ]);
  });

  it('are named with the outcome of each, and a partial success is not a failure', async () => {
    const { call, at } = opened('replay');
    const event = await call('read_multiple_files', { paths: ['a.txt', 'nope', '/etc/shadow', 'src'] });
    expect(event.outcome).toBe('ok');
    expect(event.paths).toEqual([
      { path: at('a.txt'), how: 'read', bytes: 8 },
      { path: at('nope'), how: 'looked-at' },
      { path: '/etc/shadow', how: 'refused' },
      { path: at('src'), how: 'looked-at' },
    ]);
  });

  it('are named if the call edits them, even missing ones', async () => {
    const { call, at } = opened('replay');
    const edits = [{ oldText: 'one', newText: 'ONE' }];
    const event = await call('edit_files', { paths: ['a.txt', 'nope.txt', 'src/b.ts'], edits });
    expect(event.outcome).toBe('ok');
    expect(event.paths).toEqual(
      expect.arrayContaining([
        { path: at('a.txt'), how: 'changed' },
        { path: at('nope.txt'), how: 'looked-at' },
        { path: at('src/b.ts'), how: 'looked-at' },
      ]),
    );
    expect(await call('edit_files', { paths: ['nope.txt'], edits })).toMatchObject({ error: 'not-found' });
    const globbed = await call('edit_files', { paths: ['src/*.ts'], edits });
    expect(globbed.paths.map(({ path }) => path)).not.toContain(at('src/*.ts'));
  });

  it('are named as refused if a search leaves them out because they are outside', async () => {
    const { call } = opened('replay');
    const event = await call('grep_files', { regex: 'root', globs: ['/etc/*', '**/*.ts'] });
    expect(event.outcome).toBe('ok');
    expect(event.paths).toContainEqual({ path: '/etc/*', how: 'refused' });
  });

  it('are not named as refused if a listing only passes a link that leads outside', async () => {
    const { call, at } = opened('repo');
    symlinkSync('/etc', at('src/out'));
    const event = await call('list_files', { directory: 'src' });
    expect(event.paths.map(({ how }) => how)).not.toContain('refused');
  });
});

describe('a call that fails', () => {
  it.each([
    ['replay', 'read_file', { path: 'no.txt' }, 'no.txt', 'looked-at'],
    ['replay', 'read_file', { path: '../x.txt' }, '../x.txt', 'refused'],
    ['workspace', 'read_file', { file: '../x.txt' }, '../x.txt', 'refused'],
    ['repo', 'read_file', { path: './../x' }, '../x', 'refused'],
    ['patch', 'write_file', { path: '../x', content: '' }, '../x', 'refused'],
    ['workspace', 'edit_file', { file: 'a.txt', find: 'no', replace: '' }, 'a.txt', 'looked-at'],
  ] as const)('in the dialect %s, %s %o, names the whole path', async (dialect, tool, args, path, how) => {
    const { call, at } = opened(dialect);
    const event = await call(tool, args);
    expect(event.outcome).toBe('failed');
    expect(event.paths).toContainEqual({ path: at(path), how });
    expect(event.paths.every((touched) => touched.path.startsWith('/'))).toBe(true);
  });

  it('does not guess where .. after a name leads, as the name may be a link', async () => {
    const { call, at, root } = opened('replay');
    symlinkSync('/etc', at('out'));
    for (const path of ['out/../a.txt', `${root}/out/../a.txt`, './src/../../x']) {
      const event = await call('read_file', { path });
      const read = path.startsWith('/') ? path : `${root}/${path.replace('./src', 'src')}`;
      expect(event.paths).toEqual([{ path: read, how: 'refused' }]);
    }
  });

  it('resolves a path against the directory that the session works in', async () => {
    const { call, at } = opened('fileeditor');
    await call('set_workspace', { path: at('src') });
    const event = await call('read_files', { path: 'no.txt' });
    expect(event.paths).toEqual([{ path: at('src/no.txt'), how: 'looked-at' }]);
  });

  it('names a directory by its real path, even if it was given as a link', async () => {
    const { top, root } = opened('replay');
    symlinkSync(root, join(top, 'link'));
    const engine = new Engine({ roots: [{ path: join(top, 'link'), writable: true }] });
    const touched: string[] = [];
    const caller = { origin: {}, entered() {}, confined() {}, noted() {} };
    const own = engine.as({ ...caller, touched: ({ path }) => touched.push(path) });
    await own.files.read(join(top, 'link/no.txt')).catch(() => {});
    await own.files.read('no.txt').catch(() => {});
    await engine.close();
    expect([...new Set(touched)]).toEqual([join(root, 'no.txt')]);
  });

  it('names both ends of a move', async () => {
    const { call, at } = opened('replay');
    const event = await call('move_file', { source: 'a.txt', destination: '/etc/a.txt' });
    expect(event.paths).toEqual([
      { path: '/etc/a.txt', how: 'refused' },
      { path: at('a.txt'), how: 'looked-at' },
    ]);
  });

  it('with a message of the dialect’s own still has its kind and its path', async () => {
    const { call, at } = opened('fileeditor');
    expect(await call('set_workspace', { path: '/etc' })).toMatchObject({
      error: 'outside',
      paths: [{ path: '/etc', how: 'refused' }],
    });
    await call('set_workspace', { path: at('.') });
    const diff = { path: 'a.txt', search_content: 'three', replace_content: 'x', start_line: 1 };
    const looked = [{ path: at('a.txt'), how: 'looked-at' }];
    expect(await call('apply_diffs', diff)).toMatchObject({ error: 'hunk-mismatch', paths: looked });
    const several = { ...diff, search_content: ['3', '4'], replace_content: ['', ''], start_line: [1, 2] };
    expect(await call('apply_diffs', { ...several, atomic: false })).toMatchObject({
      error: 'hunk-mismatch',
      paths: looked,
    });
    expect(await call('insert_contents', { path: 'a.txt', line: 99, content: 'x' })).toMatchObject({
      error: 'line-out-of-range',
      paths: looked,
    });
    const regex = { path: 'a.txt', search: '(', replace: '', use_regex: true };
    expect(await call('search_and_replace', regex)).toMatchObject({ error: 'bad-regex', paths: looked });
  });
});

it.each([true, false])(
  'a call that changes nothing names what it looked at (with a journal: %s)',
  async (journal) => {
    const { call, at } = opened('fileeditor', { journal });
    await call('set_workspace', { path: at('.') });
    const event = await call('search_and_replace', { path: 'a.txt', search: 'three', replace: 'x' });
    expect(event).toMatchObject({ outcome: 'ok', paths: [{ path: at('a.txt') }] });
  },
);

describe('a command', () => {
  it('that failed is recorded differently from one that timed out', async () => {
    const { call } = opened('replay');
    expect(await call('execute_command', { command: 'exit 3' })).toMatchObject({ error: 'exit-code' });
    expect(await call('execute_command', { command: 'sleep 9', timeout: 1 })).toMatchObject({
      error: 'timeout',
    });
    expect(await call('execute_command', { command: 'true' })).toMatchObject({ outcome: 'ok' });
  });

  it('is recorded as confined by argument rules only if it is one that only reads', async () => {
    const shell = await opened('replay', { sandbox: 'off' }).call('execute_command', { command: 'true' });
    expect(shell.confinement).toContain('limits');
    expect(shell.confinement).not.toContain('argument rules');
    const tool = await opened('workspace').call('run_command', { command: 'node', args: ['-e', ''] });
    expect(tool.confinement).not.toContain('argument rules');
    const reading = await opened('patch').call('shell_exec', { command: 'cat', args: ['a.txt'] });
    expect(reading.confinement).toContain('argument rules');
  });

  it('has its directory and its sandbox recorded even if it is cancelled', async () => {
    const { call, root, at } = opened('replay');
    const breaking = new AbortController();
    const called = call('execute_command', { command: 'touch began; sleep 50' }, breaking.signal);
    await until(() => existsSync(at('began')));
    breaking.abort();
    const event = await called;
    expect(event.error).toBe('cancelled');
    expect(event.paths).toContainEqual({ path: root, how: 'ran-in' });
    expect(event.confinement).toContain('limits');
  });

  it('that only reads names what it was given to read', async () => {
    const { call, root, at } = opened('patch');
    symlinkSync('a.txt', at('link.txt'));
    const ran = { path: root, how: 'ran-in' };
    const paths = async (command: string, ...args: string[]) =>
      (await call('shell_exec', { command, args })).paths;
    expect(await paths('cat', 'a.txt', 'no.txt')).toEqual([
      ran,
      { path: at('a.txt'), how: 'read' },
      { path: at('no.txt'), how: 'looked-at' },
    ]);
    expect(await paths('cat', 'link.txt')).toContainEqual({ path: at('a.txt'), how: 'read' });
    expect(await paths('grep', '-r', 'x', 'src')).toContainEqual({ path: at('src'), how: 'searched' });
    expect(await paths('ls', '-l', 'src', 'a.txt')).toEqual([
      ran,
      { path: at('src'), how: 'listed' },
      { path: at('a.txt'), how: 'looked-at' },
    ]);
    expect(await paths('cat', '/etc/passwd')).toContainEqual({ path: '/etc/passwd', how: 'refused' });
  });
});

describe('why a call failed', () => {
  const edit = { path: 'a.txt', edits: [{ oldText: 'private-text', newText: 'x' }] };
  it.each([
    ['standard', 'edit_file', edit, 'Could not find exact match for edit'],
    ['standard', 'read_text_file', { path: 'gone.txt' }, 'gone.txt does not exist'],
    ['replay', 'edit_file', edit, 'edit 1: its text does not occur in a.txt'],
    [
      'workspace',
      'edit_file',
      { file: 'a.txt', find: 'private-text', replace: 'x' },
      'its text does not occur',
    ],
    ['patch', 'write_file', { path: '../x', content: 'private-text' }, '../x is outside the directories'],
    ['repo', 'read_file', {}, 'missing required field: path'],
  ])('is a sentence without contents: %s %s', async (dialect, tool, args, sentence) => {
    const { call } = opened(dialect);
    const event = await call(tool, args);
    expect(event).toMatchObject({ outcome: 'failed', reason: expect.stringContaining(sentence) });
    // A colon would announce a content that the trace does not show.
    expect(event.reason).not.toMatch(/:$/);
    expect(JSON.stringify(event)).not.toContain('private-text');
  });
});

describe('a call that reaches no tool', () => {
  const wrong = [
    ['unknown-tool', 'nosuch', { name: 'nosuch', arguments: {} }],
    ['bad-arguments', 'read_file', { name: 'read_file', arguments: 'str' }],
    ['bad-arguments', 'read_file', { name: 'read_file', arguments: [1] }],
    ['bad-arguments', '-', { arguments: {} }],
    ['bad-arguments', 'nosuch', { name: 'nosuch', arguments: 1 }],
  ] as const;

  it.each([false, true])('is an event on stdio (by the library: %s)', async (byLibrary) => {
    const { app, events } = opened('replay');
    const [input, output] = [new PassThrough(), new PassThrough()];
    const serving = serveOnStdio(app, input, output, { byLibrary });
    output.resume();
    const send = (message: object) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    send({ ...hello(), id: 0 });
    for (const [index, [, , params]] of wrong.entries())
      send({ id: index + 1, method: 'tools/call', params });
    await until(() => events.length === wrong.length);
    expect(new Set(events.map(({ error, tool }) => `${error} ${tool}`))).toEqual(
      new Set(wrong.map(([error, tool]) => `${error} ${tool}`)),
    );
    for (const event of events)
      expect(event).toMatchObject({ outcome: 'failed', dialect: 'replay', paths: [] });
    await serving.stop();
  });

  it('is an event over HTTP, with and without a session', async () => {
    const { events, recorderFor } = tracing();
    const fixture = await HttpFixture.open({}, TREE, { trace: recorderFor(['/']) });
    closing.push(() => fixture.close());
    const talk = await fixture.session('/mcp/replay');
    for (const [error, tool, params] of wrong) {
      await talk.ask('tools/call', params);
      expect(events.at(-1)).toMatchObject({ error, tool, dialect: 'replay' });
    }
    expect(events).toHaveLength(wrong.length);
    for (const [error, tool, params] of wrong.slice(0, 2)) {
      await fixture.stateless('tools/call', { ...params, _meta: meta }, {}, '/mcp/replay');
      expect(events.pop()).toMatchObject({ error, tool, dialect: 'replay' });
    }
    await talk.ask('tools/call', { name: 'read_file', arguments: { path: 'a.txt' } });
    expect(new Set(events.map(({ session }) => session)).size).toBe(1);
    expect(events[0]!.session).toBeTypeOf('string');
  });
});

it("a call becomes part of the client's own trace on both lanes", async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  for (const byLibrary of [false, true]) {
    const { app, parents } = opened('replay');
    const [input, output] = [new PassThrough(), new PassThrough()];
    const serving = serveOnStdio(app, input, output, { byLibrary });
    output.resume();
    const send = (message: object) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    send({ ...hello(), id: 0 });
    const _meta = { traceparent };
    send({ id: 1, method: 'tools/call', params: { name: 'read_file', arguments: { path: 'a.txt' }, _meta } });
    send({ id: 2, method: 'tools/call', params: { name: 'nosuch', arguments: {}, _meta } });
    await until(() => parents.length === 2);
    expect(parents).toEqual([traceparent, traceparent]);
    await serving.stop();
  }
});
