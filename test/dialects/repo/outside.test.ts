/** Tries every tool on every way out: the refusal is the same, whether something is there or not. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '../../proves.ts';
import { openRepoFixture, type RepoFixture } from './repo-fixture.ts';

let fixture: RepoFixture;

beforeAll(() => {
  fixture = openRepoFixture({
    'here.txt': 'here',
    'sub/deep/f': 'deep',
    '../outside/secret': 'secret',
    '../outside/dir/x': 'x',
    '../rootless/secret': 'secret',
    'link-file': { link: '../outside/secret' },
    'link-dir': { link: '../outside' },
    'link-abs': { link: '/' },
    'sub/link-up': { link: '../..' },
    'link-chain': { link: 'sub/link-up/outside' },
  });
});

afterAll(() => fixture.close());

/** Pairs of paths outside: there is something at the first, and nothing at the second. */
const waysOut: Record<string, (root: string) => [string, string]> = {
  'an absolute path': (root) => [join(root, '../outside/secret'), join(root, '../outside/nothing')],
  'a system path': () => ['/etc/passwd', '/etc/nothing'],
  'two slashes': () => ['//etc/passwd', '//etc/nothing'],
  '..': () => ['../outside/secret', '../outside/nothing'],
  '.. after the root': (root) => [`${root}/../outside/secret`, `${root}/../outside/nothing`],
  '.. that would stay inside': () => ['sub/../here.txt', 'sub/../nothing'],
  '.. with backslashes': () => ['..\\outside\\secret', '..\\outside\\nothing'],
  'a sibling with the same beginning': (root) => [`${root}less/secret`, `${root}less/nothing`],
  'the home directory': () => ['~/secret', '~/nothing'],
  'a linked directory': () => ['link-dir/secret', 'link-dir/nothing'],
  'a directory with an absolute link': () => ['link-abs/etc/passwd', 'link-abs/etc/nothing'],
  'a link that goes up': () => ['sub/link-up/outside/secret', 'sub/link-up/outside/nothing'],
  'a chain of links': () => ['link-chain/secret', 'link-chain/nothing'],
  'the directory above': () => ['..', '../'],
  'the root of the process': (root) => [
    `/proc/self/root${root}/../outside/secret`,
    `/proc/self/root${root}/../outside/nothing`,
  ],
};

const uses: Record<string, (path: string) => [tool: string, args: unknown]> = {
  read_file: (path) => ['read_file', { path }],
  'read_file as base64': (path) => ['read_file', { path, encoding: 'base64' }],
  list_files: (directory) => ['list_files', { directory }],
};

describe.each(Object.entries(waysOut))('%s', (_, pathsOf) => {
  it.each(Object.entries(uses))('is refused by %s', async (_name, use) => {
    proves(
      'all.outside',
      'all.outside.silent',
      'repo.security.sandbox',
      'repo.security.real-path',
      'repo.error.access_denied',
    );
    const answers = [];
    for (const path of pathsOf(fixture.root)) {
      const { code, message, data } = await fixture.failure(...use(path));
      expect(code).toBe(-32002);
      expect(data).toEqual({ error_code: 'access_denied', path });
      answers.push(message.replace(path, 'PATH'));
    }
    expect(answers[0]).toBe(answers[1]);
  });
});

describe('walks', () => {
  it('see nothing of what links outside lead to', async () => {
    proves('all.outside', 'all.walk');
    const before = fixture.everything();
    const listed = JSON.stringify(await fixture.json('list_files', { include_hidden: true, max_depth: 10 }));
    const tree = JSON.stringify(await fixture.json('get_repo_overview', { max_depth: 5 }));
    for (const text of [listed, tree]) expect(text).not.toMatch(/secret|passwd|"x"|"dir"/);
    const found = await fixture.json<{ total_matches: number }>('search_files', { pattern: 'secret' });
    expect(found.total_matches).toBe(0);
    expect(fixture.everything()).toEqual(before);
  });
});
