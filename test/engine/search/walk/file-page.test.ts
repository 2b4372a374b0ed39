/** Files page by page: every file once, in one order, whatever is created or removed meanwhile. */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { engineFixture } from '../../../engine-fixture.ts';
import { layOut, type Tree } from '../../../tree.ts';

const here = engineFixture();

async function pagesOf(max: number, without?: string[]): Promise<string[][]> {
  const pages: string[][] = [];
  let after: string | undefined;
  for (;;) {
    const { files, more } = await here.engine.search.filePage('.', { max, after, without });
    pages.push(files);
    if (!more) return pages;
    after = files.at(-1);
  }
}

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

it('lists every file exactly once, by path, whatever the size of a page', async () => {
  const tree: Tree = {};
  for (const name of ['a', 'a.txt', 'a-b/x', 'a/y', 'a0', 'ab/c/d/e', 'ab/c.d', 'ü/é', 'z/z/z', '.hidden/f'])
    tree[`t/${name}${name === 'a' ? '/own' : ''}`] = name;
  for (let i = 0; i < 40; i++) tree[`many/${i % 7}/${i}`] = 'x';
  layOut(here.path, { ...tree, 'empty/inner/': '' });
  const expected = Object.keys(tree).sort(byBytes);
  for (const max of [1, 2, 3, 7, 100]) {
    const pages = await pagesOf(max);
    expect(pages.flat()).toEqual(expected);
    expect(pages.slice(0, -1).every((page) => page.length === max)).toBe(true);
  }
});

it('leaves out links, FIFOs, what ignore files name and what the query excludes', async () => {
  layOut(here.path, {
    '.gitignore': '*.log\nbuild/\n',
    '.ignore': 'secret.txt\n',
    'secret.txt': 'x',
    'a.txt': 'a',
    'a.log': 'a',
    'build/out.js': 'x',
    '.git/config': 'x',
    'src/.gitignore': '!keep.log\n',
    'src/keep.log': 'x',
    'src/b.ts': 'b',
    'src/inner/c.log': 'c',
    'vendor/d.ts': 'd',
    link: { link: 'a.txt' },
    outside: { link: '/etc' },
    pipe: { fifo: true },
  });
  const files = ['.gitignore', '.ignore', 'a.txt', 'src/.gitignore', 'src/b.ts', 'src/keep.log'];
  expect((await pagesOf(2)).flat()).toEqual([...files, 'vendor/d.ts']);
  expect((await pagesOf(2, ['vendor'])).flat()).toEqual(files);
});

it('continues after a file that is gone', async () => {
  layOut(here.path, { 'a/1': '', 'a/2': '', 'b/1': '', c: '' });
  expect(await here.engine.search.filePage('.', { max: 2 })).toEqual({ files: ['a/1', 'a/2'], more: true });
  rmSync(join(here.path, 'a'), { recursive: true });
  expect(await here.engine.search.filePage('.', { max: 2, after: 'a/2' })).toEqual({
    files: ['b/1', 'c'],
    more: false,
  });
});

it('leaves out names that are not UTF-8', async () => {
  layOut(here.path, { good: '' });
  execFileSync('sh', ['-c', 'printf x > "$(printf \'bad\\377\')"'], { cwd: here.path });
  expect((await pagesOf(10)).flat()).toEqual(['good']);
});
