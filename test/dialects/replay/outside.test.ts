/** Tries every tool on every way out: the refusal is the same, whether something is there or not. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '../../proves.ts';
import { openReplayFixture, type ReplayFixture } from './replay-fixture.ts';

let fixture: ReplayFixture;

beforeAll(() => {
  fixture = openReplayFixture({
    'here.txt': 'here',
    'sub/deep/f': 'deep',
    '../outside/secret': 'secret',
    '../outside/d/x': 'x',
    '../rootless/secret': 'secret',
    '../home/secret': 'secret',
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
  '.. after a directory': () => ['sub/../../outside/secret', 'sub/../../outside/nothing'],
  '.. more often than there are directories': () => [
    `${'../'.repeat(50)}etc/passwd`,
    `${'../'.repeat(50)}etc/nothing`,
  ],
  'a sibling with the same beginning': (root) => [`${root}less/secret`, `${root}less/nothing`],
  'the home directory': () => ['~/secret', '~/nothing'],
  'a linked directory': () => ['link-dir/secret', 'link-dir/nothing'],
  'a directory with an absolute link': () => ['link-abs/etc/passwd', 'link-abs/etc/nothing'],
  'a link that goes up': () => ['sub/link-up/outside/secret', 'sub/link-up/outside/nothing'],
  'a chain of links': () => ['link-chain/secret', 'link-chain/nothing'],
  '.. after a link': () => ['link-dir/../outside/secret', 'link-dir/../outside/nothing'],
  'the root of the process': (root) => [
    `/proc/self/root${root}/../outside/secret`,
    `/proc/self/root${root}/../outside/nothing`,
  ],
};

const edits = [{ oldText: 'secret', newText: 'public' }];
const uses: Record<string, (path: string) => [tool: string, args: unknown]> = {
  read_file: (path) => ['read_file', { path }],
  write_file: (path) => ['write_file', { path, content: 'x' }],
  create_directory: (path) => ['create_directory', { path }],
  list_directory: (path) => ['list_directory', { path }],
  directory_tree: (path) => ['directory_tree', { path }],
  'move_file from there': (path) => ['move_file', { source: path, destination: 'stolen' }],
  'move_file to there': (path) => ['move_file', { source: 'here.txt', destination: path }],
  delete_file: (path) => ['delete_file', { path }],
  get_file_info: (path) => ['get_file_info', { path }],
  edit_file: (path) => ['edit_file', { path, edits }],
  'edit_file, previewed': (path) => ['edit_file', { path, edits, dryRun: true }],
  edit_files: (path) => ['edit_files', { paths: [path], edits }],
  'edit_files, previewed': (path) => ['edit_files', { paths: [path], edits, dryRun: true }],
};

describe.each(Object.entries(waysOut))('%s', (_, pathsOf) => {
  it.each(Object.entries(uses))('is refused by %s', async (_name, use) => {
    proves('all.outside', 'all.outside.silent');
    const before = fixture.everything();
    const [there, gone] = pathsOf(fixture.root);
    const answers = [];
    for (const path of [there, gone]) {
      const { code, message } = await fixture.failure(...use(path));
      expect(code).toBe(-32001);
      answers.push(message.replaceAll(/secret|passwd|nothing/g, 'NAME'));
    }
    expect(answers[0]).toBe(answers[1]);
    expect(fixture.everything()).toEqual(before);
  });

  it('is refused by read_multiple_files in the item of the file', async () => {
    proves('all.outside', 'all.outside.silent');
    const paths = pathsOf(fixture.root);
    const outcome = await fixture.text('read_multiple_files', { paths: ['here.txt', ...paths] });
    expect(outcome).toMatch(/^here\.txt:\nhere\n/);
    expect(outcome.match(/\[error: Path not allowed: /g)).toHaveLength(2);
    expect(outcome).not.toMatch(/root:x:0|:\nsecret/);
  });
});
