/** repo on stdio: what a client sees on the wire, and what the environment sets. */
import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { repo } from '../../../src/dialects/repo/index.ts';
import { program, type Reply } from '../../client.ts';
import { InProcessClient, runInProcess } from '../../in-process.ts';
import { proves } from '../../proves.ts';
import { layOut, readBack, temporaryDirectory } from '../../tree.ts';

const snapshot = JSON.parse(readFileSync(new URL('tools-list.json', import.meta.url), 'utf8')) as {
  name: string;
  inputSchema: unknown;
}[];

const tree = { 'src/index.ts': 'import x;\nx x\nx\n', 'logo.png': { base64: 'iVBORwA=' } };

let temporary: ReturnType<typeof temporaryDirectory>;
let root: string;
let client: InProcessClient | undefined;

beforeEach(() => {
  temporary = temporaryDirectory();
  root = join(temporary.path, 'my-project');
  layOut(root, tree);
  layOut(temporary.path, { 'outside.txt': 'secret' });
});

afterEach(async () => {
  await client?.end();
  client = undefined;
  temporary.remove();
});

async function start(args: string[], settings: Record<string, string> = {}): Promise<InProcessClient> {
  client = await InProcessClient.start(['--dialect', 'repo', ...args], { ...process.env, ...settings });
  return client;
}

/** How a start ended that must not succeed. */
async function refused(args: string[], settings: Record<string, string> = {}) {
  const { status, stderr } = await runInProcess(args, { env: { ...process.env, ...settings } });
  return { code: status, says: stderr };
}

function objectOf({ result }: Reply): Record<string, unknown> {
  expect(JSON.parse(result!.content[0]!.text!)).toEqual(result!.structuredContent);
  return result!.structuredContent as Record<string, unknown>;
}

describe('tools/list', () => {
  it('shows exactly these tools', async () => {
    proves(
      'repo.tools',
      'repo.overview.local',
      'repo.readonly.nothing-else',
      'repo.list_files.input',
      'repo.read_file.input',
      'repo.search_files.input',
      'repo.get_repo_overview.input',
    );
    const { result } = await (await start([root])).request('tools/list');
    const listed = result!.tools as typeof snapshot;
    expect(listed).toEqual(snapshot);
    // Comparing text compares the order of keys, too.
    expect(JSON.stringify(listed.map(({ inputSchema }) => inputSchema))).toBe(
      JSON.stringify(snapshot.map(({ inputSchema }) => inputSchema)),
    );
    for (const tool of repo.tools) {
      expect(tool.hints).toEqual({ readOnly: true, destructive: false, idempotent: true, openWorld: false });
      expect(tool.startsPrograms).toBe(false);
    }
  });
});

describe('a directory without read permission', () => {
  const somebody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const canRun = spawnSync(process.execPath, [program, '--version'], { cwd: '/', ...somebody }).status === 0;

  it.runIf(canRun)('is not reported as empty by get_repo_overview', () => {
    layOut(root, { 'closed/x.txt': 'x\n', 'empty/': '' });
    for (const path of [temporary.path, root]) chmodSync(path, 0o755);
    chmodSync(join(root, 'closed'), 0o000);
    const line = [program, 'call', 'get_repo_overview', '{}', '--dialect', 'repo', root];
    const { stdout } = spawnSync(process.execPath, line, { cwd: '/', ...somebody });
    chmodSync(join(root, 'closed'), 0o755);
    const { structure, skipped_unreadable } = JSON.parse(stdout.toString());
    expect(structure.children.slice(0, 2)).toEqual([
      { name: 'closed', type: 'directory' },
      { name: 'empty', type: 'directory', children: [] },
    ]);
    expect(skipped_unreadable).toBe(1);
  });
});

describe('tools/call', () => {
  it('sends progress only when it is higher than before', async () => {
    layOut(root, { 'bait.txt': `${'a'.repeat(50)}b\n`, 'more/x.txt': 'x\n' });
    const server = await start([root], { SEARCH_TIMEOUT_MS: '1500' });
    const params = {
      name: 'search_files',
      arguments: { pattern: '^(a+)+$', is_regex: true },
      _meta: { progressToken: 7 },
    };
    const { error } = await server.request('tools/call', params);
    expect(error).toMatchObject({ data: { error_code: 'search_timeout' } });
    const outcome = server.notifications as { params: { progressToken: number; progress: number } }[];
    const numbers = outcome.map(({ params: { progress } }) => progress);
    expect(numbers.length).toBeGreaterThan(0);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  });

  it('answers with an object as text and as structured content', async () => {
    proves('repo.decided.answers');
    const server = await start([root]);
    expect(objectOf(await server.call('get_repo_overview', { max_depth: 1 }))).toMatchObject({
      root: 'my-project',
      stats: { total_files: 2, total_directories: 1 },
    });
    expect(objectOf(await server.call('read_file', { path: 'logo.png', encoding: 'base64' }))).toMatchObject({
      path: 'logo.png',
      content: 'iVBORwA=',
      size: 5,
      encoding: 'base64',
      truncated: false,
    });
  });

  it('fails with the codes and the data of the reference', async () => {
    proves('repo.error.codes', 'repo.error.format');
    const server = await start([root], { SEARCH_TIMEOUT_MS: '400', MAX_FILE_SIZE_BYTES: '5' });
    layOut(root, { 'run.txt': `${'a'.repeat(40)}b` });
    const error = async (tool: string, args: unknown) => {
      const reply = await server.call(tool, args);
      expect(reply.result).toBeUndefined();
      return reply.error;
    };
    expect(await error('read_file', { path: 'src/missing.ts' })).toEqual({
      code: -32001,
      message: 'File not found: src/missing.ts',
      data: { error_code: 'file_not_found', path: 'src/missing.ts' },
    });
    expect(await error('list_files', { directory: 'lib' })).toEqual({
      code: -32001,
      message: 'Directory not found: lib',
      data: { error_code: 'directory_not_found', path: 'lib' },
    });
    const codes = [
      ['read_file', { path: '../outside.txt' }, -32002, 'access_denied'],
      ['read_file', { path: 'src/index.ts' }, -32003, 'file_too_large'],
      ['read_file', { path: 'logo.png' }, -32004, 'binary_file'],
      ['search_files', { pattern: '(', is_regex: true }, -32005, 'invalid_pattern'],
      ['search_files', { pattern: '^(a+)+$', is_regex: true }, -32006, 'search_timeout'],
      ['search_files', {}, -32602, 'invalid_arguments'],
    ] as const;
    for (const [tool, args, code, error_code] of codes) {
      expect(await error(tool, args)).toMatchObject({ code, data: { error_code } });
    }
  });

  it('changes nothing, because the wall refuses every change', async () => {
    proves('repo.overview.read-only', 'repo.readonly.nothing-else');
    const server = await start([root]);
    for (const tool of ['write_file', 'delete_file', 'execute_command', 'repo_read_file']) {
      const { error } = await server.call(tool, { path: 'a.txt', content: 'a' });
      expect(error).toMatchObject({
        code: -32602,
        message: expect.stringContaining(`Unknown tool: ${tool}`),
      });
    }
    for (const { name } of repo.tools) await server.call(name, { path: 'src/index.ts', pattern: 'x' });
    expect(readBack(root)).toEqual(tree);
    await server.says(`repo on ${root} (read-only)`);
  });

  it('uses a longer tool name where another dialect has the short one', async () => {
    client = await InProcessClient.start(['--dialect', 'replay,repo', root]);
    const { result } = await client.request('tools/list');
    const names = (result!.tools as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['read_file', 'repo_read_file', 'list_files']));
    expect(objectOf(await client.call('repo_read_file', { path: 'src/index.ts' }))).toMatchObject({
      content: tree['src/index.ts'],
    });
  });
});

describe('the environment', () => {
  it('names the repository when the command line does not', async () => {
    proves('repo.env.ALLOWED_REPO_ROOT', 'repo.decided.root');
    const server = await start([], { ALLOWED_REPO_ROOT: root });
    expect(objectOf(await server.call('list_files', {}))).toMatchObject({ total_count: 3 });
    const { error } = await server.call('read_file', { path: join(root, '../outside.txt') });
    expect(error).toMatchObject({ code: -32002 });
  });

  it('does not name the repository when the command line does', async () => {
    proves('repo.decided.root');
    const server = await start([join(root, 'src')], { ALLOWED_REPO_ROOT: temporary.path });
    expect(objectOf(await server.call('list_files', {}))).toMatchObject({
      files: [{ path: 'index.ts' }],
      total_count: 1,
    });
  });

  it('does not let other dialects write to the repository that it names', async () => {
    proves('repo.decided.root.read-only');
    client = await InProcessClient.start(['--dialect', 'replay,repo'], {
      ...process.env,
      ALLOWED_REPO_ROOT: root,
    });
    const { error } = await client.call('write_file', { path: 'new.txt', content: 'x' });
    expect(error).toMatchObject({ code: -32001, message: expect.stringContaining('read-only') });
    expect(readBack(root)).toEqual(tree);
  });

  it('sets the limits', async () => {
    proves('repo.env.MAX_FILE_SIZE_BYTES', 'repo.env.MAX_SEARCH_RESULTS');
    const server = await start([root], { MAX_FILE_SIZE_BYTES: '17', MAX_SEARCH_RESULTS: '2' });
    layOut(root, { 'large.txt': 'x'.repeat(18) });
    expect(objectOf(await server.call('read_file', { path: 'src/index.ts' }))).toMatchObject({ size: 16 });
    expect((await server.call('read_file', { path: 'large.txt' })).error).toMatchObject({ code: -32003 });
    const found = objectOf(await server.call('search_files', { pattern: 'x', glob: '*.ts' }));
    expect(found).toMatchObject({ total_matches: 3, truncated: true });
    expect(found.matches).toHaveLength(2);
  });

  it('ends the start with one line and code 2 when a limit is no positive integer', async () => {
    proves('repo.env.invalid');
    for (const name of ['MAX_FILE_SIZE_BYTES', 'SEARCH_TIMEOUT_MS', 'MAX_SEARCH_RESULTS']) {
      expect(await refused(['--dialect', 'replay,repo', root], { [name]: '10 MB' })).toEqual({
        code: 2,
        says: `cofferdam: ${name} must be a positive integer, not "10 MB"\n`,
      });
    }
    const call = ['call', 'read_file', '{"path":"src/index.ts"}', '--dialect', 'repo', root];
    expect((await refused(call, { SEARCH_TIMEOUT_MS: '0' })).code).toBe(2);
  });

  it('can set a limit only to a positive integer', () => {
    proves('repo.env.invalid');
    const problem = (value: string) => repo.checkSettings!({ MAX_SEARCH_RESULTS: value });
    for (const value of ['1', '100', '007', '9007199254740991']) expect(problem(value)).toBeUndefined();
    const wrong = ['', '0', '-1', '+1', '1.5', '1e3', '0x10', ' 1', '1\n', 'ten', 'NaN', '9007199254740993'];
    for (const value of wrong) expect(problem(value)).toMatch(/^MAX_SEARCH_RESULTS must be .*$/);
    expect(repo.checkSettings!({})).toBeUndefined();
  });

  it('does not matter to other dialects', async () => {
    proves('repo.env.invalid');
    client = await InProcessClient.start(['--dialect', 'replay', root], {
      ...process.env,
      SEARCH_TIMEOUT_MS: 'soon',
    });
    expect(await client.text('read_file', { path: 'src/index.ts' })).toBe(tree['src/index.ts']);
    expect(await refused(['--dialect', 'replay'], { ALLOWED_REPO_ROOT: root })).toMatchObject({ code: 2 });
  });

  it('has to name a directory that exists, or an error says what is missing', async () => {
    proves('repo.env.ALLOWED_REPO_ROOT');
    const none = await refused(['--dialect', 'repo'], { ALLOWED_REPO_ROOT: '' });
    expect(none.code).toBe(2);
    expect(none.says).toMatch(/^cofferdam: no directory given: .*ALLOWED_REPO_ROOT.*\n$/);
    const gone = join(root, 'gone');
    expect(await refused(['--dialect', 'repo'], { ALLOWED_REPO_ROOT: gone })).toEqual({
      code: 2,
      says: `cofferdam: ${gone}: no such directory\n`,
    });
  });
});
