import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { TreeNode } from '../../../src/engine/index.ts';
import { expectNoMoreHeld, heldBelow } from '../../descriptors.ts';
import { engineFixture } from '../../engine-fixture.ts';
import { layOut } from '../../tree.ts';

const here = engineFixture();

/** Paths with a `/` after directories, and another one after those whose content is left out. */
function pathsOf({ children = [] }: TreeNode, above = ''): string[] {
  return children.flatMap((node) => {
    const path = above + node.name;
    if (node.type === 'file') return [path];
    return node.children ? [`${path}/`, ...pathsOf(node, `${path}/`)] : [`${path}//`];
  });
}

const paths = async (depth?: number) =>
  pathsOf(await here.engine.files.tree('.', depth === undefined ? {} : { depth }));

describe('a tree', () => {
  it('lists each directory in byte order, and links as what they lead to inside', async () => {
    layOut(here.path, {
      'b/z.txt': '',
      'b/Z.txt': '',
      'b/é': '',
      'b/\ue000': '',
      'b/😀': '',
      'b/-/x': '',
      'a.txt': '',
      'empty/': '',
      'to-b': { link: 'b' },
      'to-a': { link: 'a.txt' },
      out: { link: '/etc' },
      pipe: { fifo: true },
    });
    const b = ['b/', 'b/-/', 'b/-/x', 'b/Z.txt', 'b/z.txt', 'b/é', 'b/\ue000', 'b/😀'];
    expect(await paths()).toEqual(['a.txt', ...b, 'empty/', 'out', 'pipe', 'to-a', 'to-b//']);
    expect(await paths(1)).toEqual(['a.txt', 'b//', 'empty//', 'out', 'pipe', 'to-a', 'to-b//']);
    expect((await here.engine.files.tree('b', { depth: 0 })).children).toBeUndefined();
  });

  it('enters directories whose names are not UTF-8', async () => {
    execFileSync('sh', ['-c', 'mkdir "$(printf "caf\\351")" && touch "$(printf "caf\\351")/x"'], {
      cwd: here.path,
    });
    expect(await paths()).toEqual(['caf\ufffd/', 'caf\ufffd/x']);
  });

  it('sees every change since the last one', async () => {
    layOut(here.path, { 'a/one': '', 'b/c/two': '', 'b/old/three': '' });
    await sleep(2100);
    for (let i = 0; i < 2; i++) {
      expect(await paths()).toEqual(['a/', 'a/one', 'b/', 'b/c/', 'b/c/two', 'b/old/', 'b/old/three']);
    }
    writeFileSync(join(here.path, 'a/new'), '');
    rmSync(join(here.path, 'b/c/two'));
    renameSync(join(here.path, 'b/old'), join(here.path, 'b/moved'));
    mkdirSync(join(here.path, 'b/c/deep'));
    const now = ['a/', 'a/new', 'a/one', 'b/', 'b/c/', 'b/c/deep/', 'b/moved/', 'b/moved/three'];
    for (let i = 0; i < 2; i++) expect(await paths()).toEqual(now);
  });

  it('shows a link as what it leads to now, in a directory that has not changed', async () => {
    layOut(here.path, { 'a/one': '', 'a/link': { link: '../b/target' }, 'b/target': '' });
    await sleep(2100);
    expect(await paths()).toEqual(['a/', 'a/link', 'a/one', 'b/', 'b/target']);
    rmSync(join(here.path, 'b/target'));
    mkdirSync(join(here.path, 'b/target'));
    expect(await paths()).toEqual(['a/', 'a/link//', 'a/one', 'b/', 'b/target/']);
  });

  it('leaves no descriptor open, whether it succeeds or is cancelled', async () => {
    layOut(here.path, Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`${i}/a/b/c/d`, ''])));
    await here.engine.files.tree('.');
    const before = heldBelow(here.path);
    await here.engine.files.tree('.');
    await here.engine.files.tree('.', { signal: AbortSignal.abort() }).catch(() => {});
    await expect(here.engine.files.tree('0/a/b/c/d')).rejects.toMatchObject({
      facts: { kind: 'not-a-directory' },
    });
    await expectNoMoreHeld(before, here.path);
  });
});
