/** A search that finds nothing because of a filter says so, in an item after its documented answer. */
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openReplayFixture as openReplay } from './replay/replay-fixture.ts';
import { openRepoFixture as openRepo } from './repo/repo-fixture.ts';

interface Fixture {
  call(tool: string, args: object): Promise<object>;
  close(): Promise<void>;
}
let fixture: Fixture | undefined;
afterEach(async () => {
  await fixture?.close();
  fixture = undefined;
});

async function texts(tool: string, args: object): Promise<string[]> {
  const outcome = (await fixture!.call(tool, args)) as { content: { text: string }[] };
  return outcome.content.map(({ text }) => text);
}

const tree = {
  'top.ts': 'nothing',
  'src/a.ts': 'needle',
  'src/deep/b.ts': 'needle',
  'src/deep/c.md': 'needle',
  '.hidden/d.ts': 'x',
};

describe('replay', () => {
  const grep = { regex: 'needle', directory: '.' };

  it('grep_files counts the files that the globs chose, and names globs that reach deeper', async () => {
    fixture = openReplay(tree);
    expect(await texts('grep_files', { ...grep, globs: ['*.ts'] })).toEqual([
      '[0 matches]',
      '[0 matches; the globs chose 1 of 5 files; **/*.ts would choose 4]',
    ]);
    expect(await texts('grep_files', { ...grep, regex: 'absent', globs: ['src/*.ts'] })).toEqual([
      '[0 matches]',
      '[0 matches; the globs chose 1 of 5 files; src/**/*.ts would choose 2]',
    ]);
    expect(await texts('grep_files', { ...grep, excludeGlobs: ['src'] })).toEqual([
      '[0 matches]',
      '[0 matches; excludeGlobs chose 2 of 5 files]',
    ]);
  });

  it('grep_files does so for globs that begin with a missing directory, and for absolute ones', async () => {
    const replay = openReplay(tree);
    fixture = replay;
    expect(await texts('grep_files', { ...grep, directory: 'src', globs: ['src/*.ts'] })).toEqual([
      '[0 matches]',
      '[0 matches; the globs chose 0 of 3 files]',
    ]);
    expect(await texts('grep_files', { regex: 'needle', globs: [join(replay.root, '*.ts')] })).toEqual([
      '[0 matches]',
      `[0 matches; the globs chose 1 of 5 files; ${join(replay.root, '**/*.ts')} would choose 4]`,
    ]);
  });

  it('grep_files counts a file only once, even if several globs choose it', async () => {
    fixture = openReplay(tree);
    const absent = { ...grep, regex: 'absent' };
    expect(await texts('grep_files', { ...absent, globs: ['src/*.ts', '**/a.ts'] })).toEqual([
      '[0 matches]',
      '[0 matches; the globs chose 1 of 5 files; src/**/*.ts, **/a.ts would choose 2]',
    ]);
    expect(await texts('grep_files', { ...absent, globs: ['src/**', '**/*.ts'] })).toEqual(['[0 matches]']);
    expect(await texts('grep_files', { ...absent, globs: ['src/**/*.ts', '**/b.ts', '*.ts'] })).toEqual([
      '[0 matches]',
      '[0 matches; the globs chose 3 of 5 files; src/**/*.ts, **/b.ts, **/*.ts would choose 4]',
    ]);
  });

  it('grep_files says so when the case of letters is the cause', async () => {
    fixture = openReplay(tree);
    expect(await texts('grep_files', { ...grep, regex: 'NEEDLE' })).toEqual([
      '[0 matches]',
      '[0 matches in this case of letters; caseInsensitive: true finds some]',
    ]);
  });

  it('adds no note when nothing was filtered, or when something was found', async () => {
    fixture = openReplay(tree);
    expect(await texts('grep_files', { ...grep, regex: 'absent' })).toEqual(['[0 matches]']);
    expect(await texts('grep_files', { ...grep, regex: 'absent', globs: ['**'] })).toEqual(['[0 matches]']);
    expect(await texts('grep_files', { ...grep, globs: ['src/*.ts'] })).toHaveLength(1);
    expect(await texts('glob_search', { directory: '.', globs: ['*.zip'] })).toEqual(['(no matches found)']);
    expect(await texts('search_files', { directory: '.', nameContains: 'zip' })).toHaveLength(1);
  });

  it('glob_search and search_files suggest what would find something', async () => {
    fixture = openReplay(tree);
    const none = '(no matches found)';
    expect(await texts('glob_search', { directory: '.', globs: ['*.md'] })).toEqual([
      none,
      '[0 matches; **/*.md would find 1]',
    ]);
    const excluding = { directory: '.', globs: ['**/*.md'], excludeGlobs: ['deep'] };
    expect(await texts('glob_search', excluding)).toEqual([
      none,
      '[0 matches; excludeGlobs left out all 1 files that the globs mean]',
    ]);
    const excluded = { directory: '.', nameContains: 'c.md', excludeGlobs: ['deep'] };
    expect(await texts('search_files', excluded)).toEqual([
      none,
      '[0 matches; without excludeGlobs there are some]',
    ]);
    expect((await texts('search_files', { directory: '.', nameContains: '*.ts' }))[1]).toContain(
      'glob_search takes globs',
    );
  });
});

describe('repo', () => {
  it('search_files counts the files that the glob chose, without changing its JSON', async () => {
    fixture = openRepo(tree);
    const [json, note] = await texts('search_files', { pattern: 'absent', glob: 'src/*.ts' });
    expect(JSON.parse(json!)).toMatchObject({ matches: [], total_matches: 0 });
    expect(note).toBe('[0 matches; the glob chose 1 of 5 files; src/**/*.ts would choose 2]');
    expect((await texts('search_files', { pattern: 'NEEDLE', case_sensitive: true }))[1]).toContain(
      'case_sensitive: false finds some',
    );
  });

  it('list_files names the filter that hides everything', async () => {
    fixture = openRepo(tree);
    expect((await texts('list_files', { pattern: '*.md', max_depth: 2 }))[1]).toBe(
      '[0 files within max_depth 2; 1 lie deeper]',
    );
    expect((await texts('list_files', { pattern: 'd.ts' }))[1]).toBe(
      '[0 files; include_hidden: true finds 1]',
    );
    expect((await texts('list_files', { pattern: '*.zip' }))[1]).toBe(
      '[0 files; the pattern chose none of 5]',
    );
  });
});
