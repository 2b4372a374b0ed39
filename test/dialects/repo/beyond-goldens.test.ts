/** What golden files cannot show: many entries, large files, times, cancelled and simultaneous calls. */
import { execFileSync } from 'node:child_process';
import { chmodSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ToolResult } from '../../../src/dialects/dialect.ts';
import { searchCall } from '../../../src/dialects/repo/search-call.ts';
import { timestamp } from '../../../src/dialects/results/timestamp.ts';
import { proves } from '../../proves.ts';
import type { Tree } from '../../tree.ts';
import { openRepoFixture, type RepoFixture, SharedRepository } from './repo-fixture.ts';

const opened: RepoFixture[] = [];
let shared: SharedRepository;

beforeAll(() => {
  shared = new SharedRepository();
});
afterAll(() => shared.close());

afterEach(async () => {
  await Promise.all(opened.splice(0).map((fixture) => fixture.close()));
});

function open(tree?: Tree, given?: string): RepoFixture {
  const fixture = given === undefined ? shared.open(tree) : openRepoFixture(tree, given);
  opened.push(fixture);
  return fixture;
}

interface Listing {
  files: { path: string; type: string; size?: number; modified_at?: string }[];
  total_count: number;
  truncated: boolean;
}

interface Found {
  matches: { path: string; line_number: number }[];
  total_matches: number;
  files_searched: number;
  truncated: boolean;
  duration_ms: number;
}

interface Overview {
  root: string;
  structure: { name: string; children: { name: string; children?: unknown[] }[] };
  stats: { total_files: number };
  truncated?: boolean;
}

function filesNamed(count: number): Tree {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${String(i).padStart(5, '0')}`, '']));
}

describe('every answer', () => {
  it('is one compact JSON text and the same object as structured content', async () => {
    proves('repo.decided.answers');
    const fixture = open({ 'a.txt': 'a' });
    for (const [tool, args] of [
      ['list_files', {}],
      ['read_file', { path: 'a.txt' }],
      ['search_files', { pattern: 'a' }],
      ['get_repo_overview', {}],
    ] as const) {
      const outcome = await fixture.call(tool, args);
      if (!('content' in outcome)) throw new Error(`${tool} failed`);
      expect(outcome.content).toEqual([{ type: 'text', text: JSON.stringify(outcome.structuredContent) }]);
      expect(outcome.isError).toBeUndefined();
    }
  });
});

describe('list_files', () => {
  it('returns 500 entries and counts all of them', async () => {
    proves('repo.list_files.response.truncated', 'repo.decided.list.total');
    const fixture = open({ ...filesNamed(501), 'sub/': '' });
    const all = await fixture.json<Listing>('list_files', {});
    expect([all.files.length, all.total_count, all.truncated]).toEqual([500, 502, true]);
    expect(all.files[0]).toEqual({ path: 'sub', type: 'directory' });
    expect(all.files.at(-1)!.path).toBe('f00498');
    const some = await fixture.json<Listing>('list_files', { pattern: 'f00[0-4]*' });
    expect([some.files.length, some.total_count, some.truncated]).toEqual([500, 500, false]);
  });

  it('shows the same modification time as read_file', async () => {
    proves('repo.list_files.response.modified_at', 'repo.read_file.response.modified_at');
    const fixture = open({ 'src/index.ts': '', 'old.txt': '', 'late.txt': '' });
    utimesSync(join(fixture.root, 'src/index.ts'), 0, new Date('2026-01-11T14:30:00.125Z'));
    utimesSync(join(fixture.root, 'old.txt'), 0, new Date('1969-12-31T23:59:58.500Z'));
    // So close to the next millisecond that rounding would give a later time.
    execFileSync('touch', ['-d', '@1700000000.999999999', join(fixture.root, 'late.txt')]);
    const { files } = await fixture.json<Listing>('list_files', {});
    const times = Object.fromEntries(files.map(({ path, modified_at }) => [path, modified_at]));
    expect(times['src/index.ts']).toBe('2026-01-11T14:30:00.125Z');
    expect(times['old.txt']).toBe('1969-12-31T23:59:58.500Z');
    expect(times.src).toBeUndefined();
    for (const path of ['src/index.ts', 'old.txt', 'late.txt']) {
      const { modified_at } = await fixture.json<{ modified_at: string }>('read_file', { path });
      expect(modified_at).toBe(times[path]);
    }
  });

  it('shows a time beyond the range of dates as the last date', () => {
    expect(timestamp(Number.MAX_SAFE_INTEGER)).toBe('+275760-09-13T00:00:00.000Z');
  });

  it('names entries alike under a link to the repository and under its real name', async () => {
    proves('repo.decided.absolute');
    const fixture = open({ 'real/src/a.ts': '', given: { link: 'real' } }, 'given');
    for (const above of ['given', 'real']) {
      const { files } = await fixture.json<Listing>('list_files', {
        directory: join(fixture.root, above, 'src'),
        pattern: join(fixture.root, above, 'src/*.ts'),
      });
      expect(files.map(({ path }) => path)).toEqual(['src/a.ts']);
    }
    expect(await fixture.failure('list_files', { directory: fixture.root })).toMatchObject({ code: -32002 });
  });

  it('resolves very many links, and can be cancelled meanwhile', async () => {
    const fixture = open({ 'd/a.txt': 'abc' });
    for (let i = 0; i < 1000; i++) symlinkSync(i % 2 ? 'd' : 'd/a.txt', join(fixture.root, `l${i}`));
    const { files, total_count } = await fixture.json<Listing>('list_files', { pattern: 'l*' });
    expect([files.length, total_count]).toEqual([500, 500]);
    expect(files.every(({ type, size }) => type === 'file' && size === 3)).toBe(true);
    const aborting = new AbortController();
    const stopped = fixture.failure('list_files', {}, { signal: aborting.signal });
    aborting.abort();
    expect(await stopped).toMatchObject({ code: -32603, message: 'The call was cancelled' });
  });

  it.skipIf(process.getuid?.() === 0)('counts what it has no permission to read', async () => {
    proves('repo.decided.skipped');
    const fixture = open({ 'a/x.txt': 'needle', 'b.txt': 'needle' });
    chmodSync(join(fixture.root, 'a'), 0);
    try {
      expect(await fixture.json('list_files', {})).toMatchObject({ total_count: 2, skipped_unreadable: 1 });
      expect(await fixture.failure('list_files', { directory: 'a' })).toEqual({
        code: -32603,
        message: 'Permission denied: cannot list a',
        data: { error_code: 'internal_error', path: 'a' },
      });
      const found = await fixture.json('search_files', { pattern: 'needle' });
      expect(found).toMatchObject({ total_matches: 1, skipped_unreadable: 1 });
      expect(await fixture.json('get_repo_overview', {})).toMatchObject({ skipped_unreadable: 1 });
    } finally {
      chmodSync(join(fixture.root, 'a'), 0o755);
    }
  });
});

describe('read_file', () => {
  it('returns 100000 bytes by default', async () => {
    proves('repo.read_file.max_bytes.default');
    const fixture = open({ 'fits.txt': 'x'.repeat(100_000), 'more.txt': 'x'.repeat(100_001) });
    const read = (path: string) =>
      fixture.json<{ content: string; truncated: boolean }>('read_file', { path });
    expect(await read('fits.txt')).toMatchObject({ content: 'x'.repeat(100_000), truncated: false });
    expect(await read('more.txt')).toMatchObject({
      content: 'x'.repeat(100_000),
      size: 100_001,
      truncated: true,
    });
  });

  it('reads only the beginning of a file of many gigabytes', async () => {
    proves('repo.decided.read.bounded');
    const fixture = open();
    const file = join(fixture.root, 'huge.log');
    writeFileSync(file, 'é'.repeat(10_000));
    truncateSync(file, 5 * 1024 ** 3);
    const settings = { MAX_FILE_SIZE_BYTES: String(10 * 1024 ** 3) };
    const read = (args: object) => fixture.json('read_file', { path: 'huge.log', ...args }, { settings });
    const size = 5 * 1024 ** 3;
    expect(await read({ max_bytes: 7 })).toMatchObject({ content: 'ééé', size, truncated: true });
    const args = { path: 'huge.log', max_bytes: size, encoding: 'base64' };
    const outcome = await fixture.call('read_file', args, { settings });
    const { structuredContent, content: items } = outcome as ToolResult;
    const { content, truncated } = structuredContent as { content: string; truncated: boolean };
    const shown = Buffer.from(content, 'base64').length;
    expect(shown).toBeGreaterThan(2 * 1024 * 1024);
    expect(truncated).toBe(true);
    expect(items[1]).toMatchObject({ text: expect.stringContaining(`the first ${shown} of ${size} bytes`) });
  });
});

describe('search_files', () => {
  const numbered = (found: Found) => found.matches.map(({ path, line_number }) => `${path}:${line_number}`);
  const lines = (path: string, count: number) => Array.from({ length: count }, (_, i) => `${path}:${i + 1}`);

  it('returns 50 matches by default, and counts all of them', async () => {
    proves('repo.search_files.max_results.default', 'repo.decided.search.total');
    const fixture = open({ 'a.txt': 'x\n'.repeat(60), 'b.txt': 'x\n'.repeat(5), 'c.txt': 'y' });
    const found = await fixture.json<Found>('search_files', { pattern: 'x' });
    expect(numbered(found)).toEqual(lines('a.txt', 50));
    expect(found).toMatchObject({ total_matches: 65, files_searched: 3, truncated: true });
    const more = await fixture.json<Found>('search_files', { pattern: 'x', max_results: 62 });
    expect(numbered(more)).toEqual([...lines('a.txt', 60), ...lines('b.txt', 2)]);
    expect(more).toMatchObject({ total_matches: 65, files_searched: 3, truncated: true });
    const all = await fixture.json<Found>('search_files', { pattern: 'x', max_results: 65 });
    expect(all).toMatchObject({ total_matches: 65, files_searched: 3, truncated: false });
  });

  it('never returns more than MAX_SEARCH_RESULTS, which is 100', async () => {
    proves('repo.env.MAX_SEARCH_RESULTS', 'repo.env.MAX_SEARCH_RESULTS.default', 'repo.decided.search.cap');
    const fixture = open({ 'a.txt': 'x\n'.repeat(1100) });
    const count = async (max_results: number, settings = {}) => {
      const found = await fixture.json<Found>('search_files', { pattern: 'x', max_results }, { settings });
      expect(found).toMatchObject({ total_matches: 1100, truncated: true });
      return found.matches.length;
    };
    expect(await count(1000)).toBe(100);
    expect(await count(99)).toBe(99);
    expect(await count(1000, { MAX_SEARCH_RESULTS: '7' })).toBe(7);
    expect(await count(1000, { MAX_SEARCH_RESULTS: '5000' })).toBe(1000);
  });

  it('reports whole milliseconds, and stops at the time limit', async () => {
    proves(
      'repo.search_files.response.duration_ms',
      'repo.env.SEARCH_TIMEOUT_MS',
      'repo.env.SEARCH_TIMEOUT_MS.default',
    );
    const context = { settings: {}, signal: new AbortController().signal, progress: () => {} };
    expect(searchCall(context).timeoutMs).toBe(30_000);
    const fixture = open({ 'a.txt': 'x' });
    const settings = { SEARCH_TIMEOUT_MS: '9007199254740991' };
    const found = await fixture.json<Found>('search_files', { pattern: 'x' }, { settings });
    expect(Number.isInteger(found.duration_ms) && found.duration_ms >= 0).toBe(true);
    expect(found.total_matches).toBe(1);
  });

  it('lets other calls run while a runaway pattern is matched', async () => {
    proves('all.regex.cut-off');
    const fixture = open({ 'a.txt': `${'a'.repeat(40)}b`, 'b.txt': 'b' });
    const aborting = new AbortController();
    const runaway = { pattern: '^(a+)+$', is_regex: true };
    const stuck = fixture.failure('search_files', runaway, { signal: aborting.signal });
    expect(await fixture.json('read_file', { path: 'b.txt' })).toMatchObject({ content: 'b' });
    expect(await fixture.json('search_files', { pattern: 'ab' })).toMatchObject({ total_matches: 1 });
    expect(await fixture.json('list_files', {})).toMatchObject({ total_count: 2 });
    aborting.abort();
    expect(await stuck).toMatchObject({ code: -32603, message: 'The call was cancelled' });
    const settings = { SEARCH_TIMEOUT_MS: '200' };
    expect(await fixture.failure('search_files', runaway, { settings })).toMatchObject({
      code: -32006,
      data: { error_code: 'search_timeout' },
    });
    expect(await fixture.json('search_files', { pattern: 'ab' })).toMatchObject({ total_matches: 1 });
  });

  it('counts lines that are too long to search', async () => {
    proves('repo.decided.skipped');
    const fixture = open({ 'a.txt': `x${'y'.repeat(17 * 1024 * 1024)}\nx\n` });
    expect(await fixture.json('search_files', { pattern: 'x', context_lines: 0 })).toMatchObject({
      matches: [{ line_number: 2 }],
      skipped_long_lines: 1,
    });
  });
});

describe('get_repo_overview', () => {
  it('has the name of the directory that was given', async () => {
    proves('repo.get_repo_overview.response.root');
    const fixture = open({ 'real/a.txt': '', 'my-project': { link: 'real' } }, 'my-project');
    const { root, structure } = await fixture.json<Overview>('get_repo_overview', {});
    expect([root, structure.name]).toEqual(['my-project', 'my-project']);
    expect(basename(fixture.root)).toBe('root');
  });

  it('shows only the upper levels of a very large tree, and says so', async () => {
    proves('repo.decided.overview.large');
    const fixture = open({ ...filesNamed(4_999), 'sub/a': '', 'sub/b': '' });
    const { structure, stats, truncated } = await fixture.json<Overview>('get_repo_overview', {});
    expect(truncated).toBe(true);
    expect(stats.total_files).toBe(5_001);
    expect(structure.children).toHaveLength(5_000);
    expect(structure.children[0]).toEqual({ name: 'sub', type: 'directory' });
  });
});
