/** The Tool Trace in the state directory of a running server. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../src/trace/events/event.ts';
import { program } from '../client.ts';
import { InProcessClient, runInProcess } from '../in-process.ts';
import { proves } from '../proves.ts';
import { layOut, temporaryDirectory } from '../tree.ts';
import { startCollector } from './collector.ts';

let root: ReturnType<typeof temporaryDirectory>;
let state: ReturnType<typeof temporaryDirectory>;
let client: InProcessClient | undefined;

beforeEach(() => {
  root = temporaryDirectory();
  state = temporaryDirectory();
  layOut(root.path, { 'a.txt': 'alpha secret-content\n', 'src/b.ts': 'export const b = 1;\n' });
});

afterEach(async () => {
  await client?.end();
  client = undefined;
  root.remove();
  state.remove();
});

async function start(...flags: string[]): Promise<InProcessClient> {
  client = await InProcessClient.start(['--state', state.path, ...flags, root.path]);
  return client;
}

async function cofferdam(...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await runInProcess([...args, '--state', state.path]);
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

async function events(): Promise<TraceEvent[]> {
  const lines = (await cofferdam('trace', '--json')).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as TraceEvent);
}

const at = (path: string) => join(root.path, path);

describe('the Tool Trace', () => {
  it('shows every access of the repo dialect', async () => {
    proves('repo.transparency.trace');
    const server = await start('--dialect', 'repo');
    await server.call('read_file', { path: 'a.txt' });
    await server.call('list_files', { directory: 'src' });
    await server.call('search_files', { pattern: 'export' });
    await server.call('get_repo_overview', {});
    await server.call('read_file', { path: '../outside.txt' });
    const seen = await events();
    expect(seen.map(({ tool, outcome }) => `${tool} ${outcome}`)).toEqual([
      'read_file ok',
      'list_files ok',
      'search_files ok',
      'get_repo_overview ok',
      'read_file failed',
    ]);
    expect(seen[0]!.paths).toContainEqual(expect.objectContaining({ path: at('a.txt'), how: 'read' }));
    expect(seen[1]!.paths.map(({ path }) => path)).toContain(at('src'));
    expect(seen[2]!.paths).toContainEqual({ path: root.path, how: 'searched' });
    expect(seen[4]).toMatchObject({
      error: 'outside',
      paths: [{ path: at('../outside.txt'), how: 'refused' }],
    });
    for (const event of seen) {
      expect(event).toMatchObject({ dialect: 'repo', roots: [root.path] });
      expect(event.ms).toBeGreaterThan(0);
      expect(event.bytesOut).toBeGreaterThan(0);
      expect(event.tokensOut).toBeGreaterThan(0);
      expect(event.session).toBe(seen[0]!.session);
    }
  });

  it('says what each call did, and names the journal entries of changes', async () => {
    const server = await start();
    await server.text('write_file', { path: 'new/c.txt', content: 'c\n' });
    await server.text('write_file', { path: 'a.txt', content: 'other\n' });
    await server.text('move_file', { source: 'a.txt', destination: 'd.txt' });
    await server
      .text('delete_path', { path: 'd.txt' })
      .catch(() => server.call('delete_file', { path: 'd.txt' }));
    const seen = await events();
    expect(seen[0]!.paths.map(({ path, how }) => [path, how])).toEqual([
      [at('new'), 'created'],
      [at('new/c.txt'), 'created'],
    ]);
    expect(seen[1]!.paths).toEqual([{ path: at('a.txt'), how: 'changed' }]);
    expect(seen[2]!.paths.map(({ how }) => how)).toEqual(['moved-from', 'moved-to']);
    const history = JSON.parse(await cofferdam('history', '--json')) as { id: string }[];
    const entries = seen.flatMap((event) => event.entries ?? []);
    expect(entries).toHaveLength(4);
    expect(history.map(({ id }) => id).reverse()).toEqual(entries);
  });

  it('says what a command changed and what confined it', async () => {
    const server = await start();
    await server.text('execute_command', { command: 'echo more >> a.txt; echo new > made.txt; rm src/b.ts' });
    const [event] = await events();
    expect(event!.paths).toEqual(
      expect.arrayContaining([
        { path: at('a.txt'), how: 'changed' },
        { path: at('made.txt'), how: 'created' },
        { path: at('src/b.ts'), how: 'removed' },
        { path: root.path, how: 'ran-in' },
      ]),
    );
    expect(event!.confinement).toContain('limits');
    expect(event!.entries).toHaveLength(1);
    await cofferdam('undo', event!.entries![0]!);
    expect(await server.text('read_file', { path: 'a.txt' })).toBe('alpha secret-content\n');
    expect(await server.text('read_file', { path: 'src/b.ts' })).toBe('export const b = 1;\n');
  });
});

describe('an undo', () => {
  it('is in the trace as an undo or a redo, with what was in the way', async () => {
    const server = await start();
    await server.text('write_file', { path: 'a.txt', content: 'other\n' });
    const [{ entries }] = (await events()) as [TraceEvent];
    await cofferdam('undo', entries![0]!);
    await cofferdam('redo');
    await server.call('execute_command', { command: 'echo more >> a.txt' });
    await expect(cofferdam('undo', entries![0]!)).rejects.toThrow();
    const seen = (await events()).filter(({ dialect }) => dialect === 'cofferdam');
    const path = at('a.txt');
    expect(seen).toMatchObject([
      { tool: 'undo', outcome: 'ok', paths: [{ path, how: 'changed' }], roots: [root.path] },
      { tool: 'redo', outcome: 'ok', paths: [{ path, how: 'changed' }] },
      { tool: 'undo', error: 'in-the-way', paths: [{ path, how: 'looked-at' }] },
    ]);
  });

  it('is sent as a span too', async () => {
    const collector = await startCollector();
    const env = { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    const server = await start();
    await server.text('write_file', { path: 'a.txt', content: 'other\n' });
    await promisify(execFile)(process.execPath, [program, 'undo', '--state', state.path], { env });
    collector.close();
    expect(collector.spans).toMatchObject([
      { name: 'cofferdam undo', attributes: { 'cofferdam.paths.changed': [at('a.txt')] } },
    ]);
    expect(collector.spans[0]!.attributes).not.toHaveProperty('mcp.method.name');
  });
});

describe('contents', () => {
  it('are not in the trace by default', async () => {
    const server = await start();
    await server.text('read_file', { path: 'a.txt' });
    await server.text('write_file', { path: 'a.txt', content: 'another-secret\n' });
    const text = JSON.stringify(await events());
    expect(text).not.toContain('secret');
  });

  it('are in the trace on request', async () => {
    const server = await start('--trace-contents');
    await server.text('read_file', { path: 'a.txt' });
    const [event] = await events();
    expect(event!.answer).toContain('secret-content');
    expect(event!.arguments).toContain('a.txt');
  });
});
