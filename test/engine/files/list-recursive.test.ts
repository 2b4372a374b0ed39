import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Engine } from '../../../src/engine/index.ts';
import { limits } from '../../../src/engine/limits.ts';
import { expectNoMoreHeld, heldBelow } from '../../descriptors.ts';
import { engineFixture } from '../../engine-fixture.ts';
import { layOut } from '../../tree.ts';

const here = engineFixture();

async function paths(options: Parameters<Engine['files']['listAll']>[1] = {}): Promise<string[]> {
  return (await here.engine.files.listAll('.', options)).entries.map(({ path }) => path);
}

/** Names whose order depends on single bytes around `/`. */
const NAMES = [
  'a',
  'a-',
  'a-b',
  'a.',
  'a.txt',
  'a ',
  'a0',
  'b',
  'é',
  '\uE000',
  '😀',
  'A',
  'a-/x',
  'a/-',
  'a/a/a',
];

function byUtf8(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

describe('everything below a directory', () => {
  it('comes in the byte order of the whole paths, whichever of the names are directories', async () => {
    let seed = 7;
    const random = () => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return seed / 2147483648;
    };
    for (let tree = 0; tree < 15; tree++) {
      mkdirSync(join(here.path, `${tree}`));
      for (let i = 0; i < 30; i++) {
        const parts = Array.from(
          { length: 1 + Math.floor(random() * 4) },
          () => NAMES[Math.floor(random() * 12)]!,
        );
        try {
          mkdirSync(join(here.path, `${tree}`, ...parts.slice(0, -1)), { recursive: true });
          writeFileSync(join(here.path, `${tree}`, ...parts), '');
        } catch {
          // An entry of the other kind has this name: a tree with fewer entries is as good.
        }
      }
    }
    const found = await paths();
    const real = readdirSync(here.path, { recursive: true }).map(String);
    expect(found.length).toBeGreaterThan(200);
    expect(found).toEqual(real.sort(byUtf8));
  });

  it('is truncated to its beginning at any number of entries, and says so', async () => {
    layOut(here.path, { 'a/x': '1', 'a/y/z': '2', 'a.txt': '3', 'b/': '', c: '4' });
    const whole = await paths();
    expect(whole).toEqual(['a', 'a.txt', 'a/x', 'a/y', 'a/y/z', 'b', 'c']);
    for (let max = 1; max <= whole.length + 1; max++) {
      const { entries, truncated } = await here.engine.files.listAll('.', { max });
      expect(entries.map(({ path }) => path)).toEqual(whole.slice(0, max));
      expect(truncated).toBe(max < whole.length);
    }
  });

  it('goes down as many levels as asked for', async () => {
    layOut(here.path, { 'a/b/c/d': '1' });
    expect(await paths({ depth: 1 })).toEqual(['a']);
    expect(await paths({ depth: 3 })).toEqual(['a', 'a/b', 'a/b/c']);
    expect((await here.engine.files.listAll('.', { depth: 1 })).truncated).toBe(false);
  });

  it('has the types and sizes of the entries themselves, never of what a link points to', async () => {
    layOut(here.path, { 'file.txt': 'hello', dir: { link: 'elsewhere/deep' }, pipe: { fifo: true } });
    const { entries } = await here.engine.files.listAll('.');
    expect(entries).toEqual([
      { path: 'dir', type: 'symlink', size: 14 },
      { path: 'file.txt', type: 'file', size: 5 },
      { path: 'pipe', type: 'special', size: 0 },
    ]);
  });

  it('does not follow links, so that a cycle ends', async () => {
    mkdirSync(join(here.path, 'a'));
    symlinkSync('..', join(here.path, 'a', 'up'));
    symlinkSync('/', join(here.path, 'top'));
    expect(await paths()).toEqual(['a', 'a/up', 'top']);
  });

  it('includes names that are not UTF-8 in their place, with their size and what is inside them', async () => {
    const raw = Buffer.concat([Buffer.from(`${here.path}/caf`), Buffer.from([0xe9])]);
    mkdirSync(raw);
    writeFileSync(Buffer.concat([raw, Buffer.from('/inside')]), '12345');
    writeFileSync(Buffer.concat([Buffer.from(`${here.path}/x`), Buffer.from([0xff])]), '123');
    const { entries } = await here.engine.files.listAll('.');
    expect(entries.map(({ path, type }) => [path, type])).toEqual([
      ['caf\uFFFD', 'directory'],
      ['caf\uFFFD/inside', 'file'],
      ['x\uFFFD', 'file'],
    ]);
    expect(entries[1]!.size).toBe(5);
    expect(entries[2]!.size).toBe(3);
  });

  it('is the same with the fallback of the wall', async () => {
    layOut(here.path, { 'a/x': '1', 'a.txt': '22', 'b/c/d': '333', link: { link: 'a' } });
    mkdirSync(Buffer.concat([Buffer.from(`${here.path}/caf`), Buffer.from([0xe9])]));
    const other = new Engine({
      roots: [{ path: here.path, writable: true }],
      protection: 'verified',
    });
    expect(await other.files.listAll('.')).toEqual(await here.engine.files.listAll('.'));
    await other.close();
  });

  it('stops where directories are nested too deeply, and says so', async () => {
    mkdirSync(join(here.path, 'd/'.repeat(limits.treeDepth + 5)), { recursive: true });
    const { entries, truncated } = await here.engine.files.listAll('.');
    expect(entries).toHaveLength(limits.treeDepth);
    expect(truncated).toBe(true);
  });

  it('leaves no descriptor open, even if it is truncated or cancelled', async () => {
    layOut(here.path, { 'a/b/c/d/e': '1', 'a/b/c/f': '2' });
    const before = heldBelow(here.path);
    for (let i = 0; i < 50; i++) {
      await here.engine.files.listAll('.');
      await here.engine.files.listAll('.', { max: 3 });
      await here.engine.files.listAll('a/b/c/f').catch(() => {});
    }
    await expectNoMoreHeld(before, here.path);
  });

  it('can be cancelled', async () => {
    for (let i = 0; i < 600; i++) mkdirSync(join(here.path, `${i}`));
    const aborting = new AbortController();
    const listing = here.engine.files.listAll('.', { signal: aborting.signal });
    aborting.abort();
    await expect(listing).rejects.toMatchObject({ facts: { kind: 'cancelled' } });
  });
});
