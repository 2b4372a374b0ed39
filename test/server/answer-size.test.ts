/** No line that the program writes has more than 8 MiB, whatever the request: clients end the session at 10 MiB. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Reply } from '../client.ts';
import { InProcessClient } from '../in-process.ts';
import { soak } from '../soak.ts';
import { temporaryDirectory } from '../tree.ts';

const MIB = 1024 * 1024;
const MOST = 8 * MIB;
/** A control character takes one byte on disk and six in JSON. */
const CONTROL = '\u0001';
/** This many names of this length are more than a line may hold. */
const MANY = 6000;
const NAME = CONTROL.repeat(240);

let directory: { path: string; remove(): void };
const clients: InProcessClient[] = [];

beforeAll(() => {
  directory = temporaryDirectory();
  const put = (name: string, content: string | Buffer) => writeFileSync(join(directory.path, name), content);
  put('nine.txt', Buffer.alloc(9 * MIB, 'x'));
  put('seven.txt', `${'x'.repeat(99)}\n`.repeat((7 * MIB) / 100));
  put('three.txt', `${'y'.repeat(99)}\n`.repeat((3 * MIB) / 100));
  put('controls.txt', `${CONTROL.repeat(199)}\n`.repeat((1.5 * MIB) / 200));
  put('wide.txt', `${'字'.repeat(99)}\n`.repeat(MIB / 100));
  put('seven.bin', Buffer.alloc(7 * MIB));
  mkdirSync(join(directory.path, 'many'));
  for (let i = 0; i < MANY; i++) put(`many/${NAME}${i}`, '');
});
afterEach(async () => {
  for (const client of clients.splice(0)) {
    await client.end();
  }
});
afterAll(() => directory.remove());

interface Measured {
  client: InProcessClient;
  call(tool: string, args: object): Promise<Reply & { told: string }>;
  longest(): number;
}

/** A client that measures every line that it gets. */
async function start(dialect: string, env: NodeJS.ProcessEnv = {}): Promise<Measured> {
  const args = ['--dialect', dialect, '--no-journal', '--sandbox', 'off', directory.path];
  const client = new InProcessClient(args, { ...process.env, ...env });
  clients.push(client);
  let longest = 0;
  let open = 0;
  client.stdout.on('data', (chunk: string) => {
    const [first, ...others] = chunk.split('\n');
    open += Buffer.byteLength(first!);
    for (const line of others) {
      longest = Math.max(longest, open + 1);
      open = Buffer.byteLength(line);
    }
  });
  await client.initialize();
  return {
    client,
    longest: () => longest,
    async call(tool, args) {
      const reply = await client.call(tool, args);
      expect(longest).toBeLessThanOrEqual(MOST);
      const told = reply.error?.message ?? reply.result!.content.map((item) => item.text ?? '').join('\n');
      return { ...reply, told };
    },
  };
}

describe('replay', () => {
  it('reads what fits, and says how to read a part of what does not', async () => {
    const { call } = await start('replay');
    expect((await call('read_file', { path: 'seven.txt' })).told).toHaveLength(
      Math.floor((7 * MIB) / 100) * 100,
    );
    for (const path of ['nine.txt', 'controls.txt']) {
      const { error } = await call('read_file', { path });
      expect(error).toMatchObject({ code: -32603 });
      expect(error!.message).toContain('grep_files gives matching lines with context');
      expect(error!.message).toContain('8 MiB');
    }
    expect((await call('read_file', { path: 'seven.bin' })).error!.message).toContain('head -c');
  });

  it('gives as many of several files as fit, and names the others', async () => {
    const { call } = await start('replay');
    const paths = ['three.txt', 'controls.txt', 'three.txt', 'three.txt', 'many', 'wide.txt'];
    const { result } = await call('read_multiple_files', { paths });
    const texts = result!.content.map((item) => item.text!);
    expect(texts).toHaveLength(paths.length);
    expect(texts[0]).toMatch(/^three\.txt:\ny/);
    expect(texts[1]).toMatch(/^controls\.txt:\n\[error: .*grep_files/);
    expect(texts[2]).toMatch(/^three\.txt:\ny/);
    expect(texts[3]).toMatch(/^three\.txt:\n\[error: .*Read it in a call of its own\]$/);
    expect(texts[5]).toMatch(/^wide\.txt:\n\[error: /);
  });

  it('cuts listings at a whole line and says so in a second item', async () => {
    const { call } = await start('replay');
    const calls: [tool: string, args: object][] = [
      ['list_directory', { path: 'many' }],
      ['search_files', { directory: 'many', nameContains: '' }],
      ['glob_search', { directory: 'many', globs: ['**'], max: 0 }],
    ];
    for (const [tool, args] of soak(calls.slice(0, 2), calls)) {
      const { result } = await call(tool, args);
      const [lines, note] = result!.content.map((item) => item.text!);
      const shown = lines!.split('\n');
      expect(shown.at(-1)).toMatch(/\d"$/);
      expect(note).toContain(`[cut: the first ${shown.length} of ${MANY} `);
    }
  });

  it('refuses a tree that is too large, and names the depth that fits', async () => {
    const { call } = await start('replay');
    const { error } = await call('directory_tree', { path: '.' });
    expect(error).toMatchObject({ code: -32603 });
    expect(error!.message).toContain('Ask with depth: 1');
    expect((await call('directory_tree', { path: '.', depth: 1 })).error).toBeUndefined();
  });

  it('cuts a search after a whole match', async () => {
    const { call } = await start('replay');
    for (const contextLines of soak([1], [0, 1])) {
      const args = { regex: '^', globs: ['controls.txt', 'wide.txt'], maxResults: 10000, contextLines };
      const { told } = await call('grep_files', args);
      const lines = told.split('\n').filter((line) => line.includes(CONTROL));
      const [head] = told.split('\n');
      expect(head).toBe(
        `[truncated: the first ${lines.length} matches; there are more, too long for one answer]`,
      );
      expect(told).toContain(`\n[${lines.length} matches]`);
    }
  });

  it('cuts previews, and does not hide that an edit was made', async () => {
    const { call } = await start('replay');
    const edits = [{ oldText: '\n', newText: '<\n', limit: 0 }];
    const { result } = await call('edit_file', { path: 'controls.txt', edits, dryRun: true });
    expect(result!.content[0]!.text).toMatch(/^--- controls\.txt\n/);
    expect(result!.content[1]!.text).toContain('lines of the preview');
    const paths = soak(['controls.txt', 'three.txt'], ['seven.txt', 'three.txt', 'controls.txt']);
    const previews = (await call('edit_files', { paths, edits, dryRun: true })).result!.content;
    expect(previews).toHaveLength(paths.length);
    expect(previews[0]!.text).toContain(`${paths[0]}: [too long for this answer`);
  });
});

describe('the other dialects', () => {
  it('repo cuts contents, listings and matches, and says truncated', async () => {
    const env = { MAX_FILE_SIZE_BYTES: `${64 * MIB}`, MAX_SEARCH_RESULTS: '1000' };
    const { call } = await start('repo', env);
    for (const path of [...soak([], ['seven.txt']), 'controls.txt', 'wide.txt']) {
      const { result } = await call('read_file', { path, max_bytes: 64 * MIB });
      const { content, truncated } = result!.structuredContent as { content: string; truncated: boolean };
      const whole = path === 'wide.txt';
      expect(truncated, path).toBe(!whole);
      if (!whole) expect(result!.content[1]!.text).toContain(`[cut: the first ${content.length} of `);
      expect(JSON.parse(result!.content[0]!.text!)).toEqual(result!.structuredContent);
    }
    const binary = { path: 'seven.bin', max_bytes: 64 * MIB, encoding: 'base64' };
    const { content } = (await call('read_file', binary)).result!.structuredContent as { content: string };
    expect(Buffer.from(content, 'base64').toString('base64')).toBe(content);
    const search = { pattern: CONTROL, max_results: 1000, context_lines: 10 };
    expect((await call('search_files', search)).result!.structuredContent).toMatchObject({ truncated: true });
    const listed = (await call('list_files', { directory: 'many' })).result!.structuredContent;
    expect(listed).toMatchObject({ total_count: MANY, truncated: true });
    const overview = (await call('get_repo_overview', {})).result!.structuredContent;
    expect(overview).toMatchObject({ truncated: true, stats: { total_files: MANY + 6 } });
  });

  it('fileeditor names the lines that fit', async () => {
    const { call } = await start('fileeditor');
    await call('set_workspace', { path: directory.path });
    const { told } = await call('read_files', { path: 'controls.txt' });
    const [, range] = /line_range (1-\d+) fits/.exec(told)!;
    expect(
      (await call('read_files', { path: 'controls.txt', line_range: range })).result!.isError,
    ).toBeUndefined();
    expect((await call('read_files', { path: 'nine.txt' })).told).toContain('Line 1 alone is too long');
    expect((await call('read_files', { path: ['seven.txt', 'three.txt'] })).told).toContain('fewer files');
    expect((await call('list_files', { path: '.', recursive: true })).told).toContain(
      `of ${MANY + 7} entries`,
    );
    // The server does not number millions of lines first, so the range that it names is not the longest possible.
    writeFileSync(join(directory.path, 'short.txt'), Buffer.alloc(4_000_000, 'a\n'));
    const { told: short } = await call('read_files', { path: 'short.txt' });
    rmSync(join(directory.path, 'short.txt'));
    expect(short).toContain('line_range 1-200000 fits');
  });

  it('patch and workspace stay below the limit', async () => {
    const patch = await start('patch');
    const args = [join(directory.path, 'controls.txt')];
    const { told } = await patch.call('shell_exec', { command: 'cat', args });
    expect(told).toContain('[truncated at 1 MiB]');
    const workspace = await start('workspace');
    expect((await workspace.call('list_dir', { dir: 'many', maxEntries: 2000 })).told).toContain('"ok":true');
  });
});

describe('a long text in a request', () => {
  const readers = {
    replay: 'read_file',
    patch: 'write_file',
    workspace: 'write_file',
    fileeditor: 'read_files',
    repo: 'read_file',
  };

  it('is not sent back at length', async () => {
    for (const [dialect, tool] of Object.entries(readers)) {
      const { call, client, longest } = await start(dialect);
      // Send one of them more than a client would accept in an answer.
      const long = 'n'.repeat(dialect === 'replay' ? 9 * MIB : 1.25 * MIB);
      await call('set_workspace', { path: directory.path });
      await call(tool, { path: `../${long}`, file: `../${long}`, content: '' });
      if (dialect === 'replay') await call(long, { [long]: 1 });
      client.send({ jsonrpc: '2.0', id: long, method: 'ping' });
      expect((await client.replyTo(null)).error).toMatchObject({ code: -32600 });
      expect((await client.request('ping')).result).toEqual({});
      expect(longest()).toBeLessThan(MIB);
    }
  });
});
