/** replay through the built program: what a client sees on the wire. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawClient } from '../../client.ts';
import { proves } from '../../proves.ts';
import { layOut, readBack, type Tree, temporaryDirectory } from '../../tree.ts';

/** The tools in the order of the reference. */
const DOCUMENTED = [
  'read_file',
  'read_multiple_files',
  'write_file',
  'create_directory',
  'list_directory',
  'directory_tree',
  'move_file',
  'delete_file',
  'get_file_info',
  'list_allowed_directories',
  'edit_file',
  'edit_files',
  'search_files',
  'grep_files',
  'glob_search',
  'execute_command',
];

interface ListedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: string; properties: Record<string, unknown>; required?: string[] };
  annotations: Record<string, unknown>;
}

let client: RawClient;
let root: string;
let remove: () => void;

beforeAll(async () => {
  const temporary = temporaryDirectory();
  remove = temporary.remove;
  root = join(temporary.path, 'root');
  const tree: Tree = { './': '', 'a.txt': 'one\n', 'bin.png': { base64: 'iVBORwA=' }, 'ro/r.txt': 'r\n' };
  layOut(root, tree);
  layOut(temporary.path, { 'home/in/h.txt': 'at home\n', 'home/out.txt': 'private\n' });
  const args = ['--dialect', 'replay', root, `${root}/ro:ro`, `${temporary.path}/home/in`];
  client = await RawClient.start(args, { ...process.env, HOME: `${temporary.path}/home` });
});

afterAll(async () => {
  await client.end();
  remove();
});

async function listTools(): Promise<ListedTool[]> {
  const { result } = await client.request('tools/list');
  return result!.tools as ListedTool[];
}

describe('tools/list', () => {
  it('shows the tools in the order of the reference', async () => {
    proves('replay.tools.order');
    const names = (await listTools()).map(({ name }) => name);
    expect(names).toEqual(DOCUMENTED.filter((name) => names.includes(name)));
    expect(names).toEqual(expect.arrayContaining(DOCUMENTED.slice(0, 12)));
  });

  it('gives every tool a title, a description and all four hints', async () => {
    proves('replay.tools.hints');
    for (const tool of await listTools()) {
      expect(tool.title, tool.name).toMatch(/^[A-Z][a-z ]+$/);
      expect(tool.description.length, tool.name).toBeGreaterThan(20);
      expect(tool.inputSchema.type).toBe('object');
      expect(tool.annotations).toEqual({
        title: tool.title,
        readOnlyHint: expect.any(Boolean),
        destructiveHint: expect.any(Boolean),
        idempotentHint: expect.any(Boolean),
        openWorldHint: expect.any(Boolean),
      });
    }
  });

  it('marks exactly those tools as read-only that cannot change anything', async () => {
    proves('replay.tools.hints');
    const readOnly = (await listTools()).filter(({ annotations }) => annotations.readOnlyHint === true);
    const looking = [
      'read_file',
      'read_multiple_files',
      'list_directory',
      'directory_tree',
      'get_file_info',
      'list_allowed_directories',
      'search_files',
      'grep_files',
      'glob_search',
    ];
    expect(looking).toEqual(expect.arrayContaining(readOnly.map(({ name }) => name)));
    expect(readOnly.map(({ name }) => name)).toEqual(expect.arrayContaining(looking.slice(0, 6)));
  });

  // For an intended change, run this with UPDATE_SNAPSHOTS=1, then format the file.
  it('is what tools.snapshot.json holds, so that a review sees every change', async () => {
    const snapshot = new URL('tools.snapshot.json', import.meta.url);
    const tools = await listTools();
    if (process.env.UPDATE_SNAPSHOTS) writeFileSync(snapshot, `${JSON.stringify(tools, null, 2)}\n`);
    expect(tools).toEqual(JSON.parse(readFileSync(snapshot, 'utf8')));
  });
});

describe('error codes', () => {
  const failureOf = async (tool: string, args: unknown) => {
    const { error, result } = await client.call(tool, args);
    expect(result).toBeUndefined();
    return error!;
  };
  const edits = [{ oldText: 'absent', newText: '' }];

  it('are -32001 for a path that is not allowed', async () => {
    proves('replay.errors.not-allowed');
    const { code, message } = await failureOf('read_file', { path: '/etc/passwd' });
    expect(code).toBe(-32001);
    expect(message).toBe(
      'Path not allowed: /etc/passwd is outside the allowed directories (list_allowed_directories names them)',
    );
    expect((await failureOf('write_file', { path: `${root}/ro/x`, content: '' })).code).toBe(-32001);
  });

  it('are -32002 for what is not found, and no other code', async () => {
    proves('replay.errors.not-found');
    expect(await failureOf('read_file', { path: `${root}/none` })).toMatchObject({
      code: -32002,
      message: `Not found: ${root}/none`,
    });
    for (const tool of ['list_directory', 'directory_tree', 'get_file_info', 'delete_file']) {
      expect((await failureOf(tool, { path: 'none' })).code, tool).toBe(-32002);
    }
    expect((await failureOf('edit_file', { path: 'none', edits })).code).toBe(-32002);
    expect((await failureOf('move_file', { source: 'none', destination: 'x' })).code).toBe(-32002);
  });

  it('are -32602 for an argument that is missing or has the wrong type', async () => {
    proves('replay.errors.invalid-params');
    expect((await failureOf('read_file', {})).code).toBe(-32602);
    expect((await failureOf('read_file', undefined)).code).toBe(-32602);
    expect((await failureOf('read_file', { path: 1 })).code).toBe(-32602);
    for (const args of ['a', ['a'], null, 7]) expect((await failureOf('read_file', args)).code).toBe(-32602);
  });

  it('are -32603 for an edit or an operation that failed', async () => {
    proves('replay.errors.internal');
    expect((await failureOf('edit_file', { path: 'a.txt', edits })).code).toBe(-32603);
    expect((await failureOf('read_file', { path: root })).code).toBe(-32603);
    expect((await failureOf('move_file', { source: 'a.txt', destination: 'bin.png' })).code).toBe(-32603);
  });

  it('are -32602 for an unknown tool, and the message names the tools', async () => {
    proves('replay.unknown-tool');
    const { code, message } = await failureOf('read_fil', { path: 'a.txt' });
    expect(code).toBe(-32602);
    expect(message).toMatch(/^Unknown tool: read_fil\. The tools are: read_file, read_multiple_files, /);
    for (const { name } of await listTools()) expect(message).toContain(name);
  });

  it('are -32602 for a call without the name of a tool', async () => {
    proves('replay.errors.invalid-params');
    expect((await client.request('tools/call', { arguments: {} })).error?.code).toBe(-32602);
    expect((await client.request('tools/call', { name: 5 })).error?.code).toBe(-32602);
  });

  it('are -32700 with id null for what is not JSON, and the server keeps running', async () => {
    proves('replay.errors.parse');
    for (const line of ['not json', '{"jsonrpc":"2.0","id":1', '{]', '"\\x"']) {
      const reply = client.replyTo(null);
      client.send(line);
      expect(await reply).toMatchObject({ id: null, error: { code: -32700 } });
    }
    expect(await client.text('read_file', { path: 'a.txt' })).toBe('one\n');
  });

  it('are -32600 for JSON that is not a request', async () => {
    proves('replay.errors.invalid-request');
    for (const message of ['[]', '7', 'null', '"x"', '{}', '{"jsonrpc":"1.0","method":"ping"}']) {
      const reply = client.replyTo(null);
      client.send(message);
      expect((await reply).error?.code, message).toBe(-32600);
    }
    const reply = client.replyTo('mine');
    client.send({ jsonrpc: '2.0', id: 'mine', method: 7 });
    expect(await reply).toMatchObject({ id: 'mine', error: { code: -32600 } });
    expect(await client.text('read_file', { path: 'a.txt' })).toBe('one\n');
  });

  it('are -32601 for an unknown method', async () => {
    proves('replay.errors.method-not-found');
    expect((await client.request('tools/fly')).error?.code).toBe(-32601);
    expect((await client.request('read_file', { path: 'a.txt' })).error?.code).toBe(-32601);
  });
});

describe('answers', () => {
  it('embed a binary file as a resource', async () => {
    proves('replay.read_file.binary');
    const { result } = await client.call('read_file', { path: 'bin.png' });
    const resource = { uri: `file://${root}/bin.png`, mimeType: 'image/png', blob: 'iVBORwA=' };
    expect(result!.content).toEqual([{ type: 'resource', resource }]);
  });

  it('list the directories of the command line, where :ro means read-only', async () => {
    proves('replay.list_allowed_directories.lines', 'replay.paths.read-only');
    const home = join(root, '../home/in');
    for (const args of [{}, undefined]) {
      expect(await client.text('list_allowed_directories', args)).toBe(
        `${root} (read-write)\n${root}/ro (read-only)\n${home} (read-write)`,
      );
    }
  });

  it('take ~/ for the home directory', async () => {
    proves('replay.paths.home');
    expect(await client.text('read_file', { path: '~/in/h.txt' })).toBe('at home\n');
    expect(await client.text('list_directory', { path: '~/in' })).toBe('[FILE] h.txt');
    expect((await client.call('read_file', { path: '~/out.txt' })).error?.code).toBe(-32001);
    expect((await client.call('list_directory', { path: '~' })).error?.code).toBe(-32001);
    expect(await client.text('write_file', { path: '~/in/new.txt', content: 'n' })).toBe(
      'Successfully wrote ~/in/new.txt',
    );
    expect(readBack(join(root, '../home'))).toEqual({
      'in/h.txt': 'at home\n',
      'in/new.txt': 'n',
      'out.txt': 'private\n',
    });
    expect(await client.text('delete_file', { path: '~/in/new.txt' })).toBe(
      'Successfully deleted ~/in/new.txt',
    );
    expect(await client.text('write_file', { path: '~user', content: 'just a name' })).toBe(
      'Successfully wrote ~user',
    );
    expect(readFileSync(join(root, '~user'), 'utf8')).toBe('just a name');
  });

  it('show that calls sent at once take effect in order', async () => {
    const [, read, , after] = await Promise.all([
      client.text('write_file', { path: 'p', content: '1' }),
      client.text('read_file', { path: 'p' }),
      client.text('edit_file', { path: 'p', edits: [{ oldText: '1', newText: '2' }] }),
      client.text('read_file', { path: 'p' }),
    ]);
    expect([read, after]).toEqual(['1', '2']);
  });
});
