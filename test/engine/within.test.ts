import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Engine, EngineFailure } from '../../src/engine/index.ts';
import { expectNoMoreHeld } from '../descriptors.ts';
import { layOut, temporaryDirectory } from '../tree.ts';

let temporary: ReturnType<typeof temporaryDirectory>;
let root: string;
const engines: Engine[] = [];

beforeEach(() => {
  temporary = temporaryDirectory();
  root = join(temporary.path, 'root');
  layOut(root, { 'app/a.txt': 'a', 'app/sub/b.txt': 'b', 'other/c.txt': 'c', '../outside/d.txt': 'd' });
});

afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
  temporary.remove();
});

function open(...roots: { path: string; writable: boolean }[]): Engine {
  const engine = new Engine({ roots: roots.length > 0 ? roots : [{ path: root, writable: true }] });
  engines.push(engine);
  return engine;
}

async function failureOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof EngineFailure) return error.facts.kind;
    throw error;
  }
  return 'none';
}

for (const protection of ['strongest', 'verified'] as const) {
  describe(`an engine narrowed to a directory (${protection})`, () => {
    it('reaches that directory and nothing else', async () => {
      const outer = new Engine({ roots: [{ path: root, writable: true }], protection });
      engines.push(outer);
      const inner = await outer.within('app');
      expect(inner.roots).toMatchObject([{ path: join(root, 'app'), writable: true }]);
      expect((await inner.files.read('a.txt')).text).toBe('a');
      expect((await inner.files.read(join(root, 'app/sub/../a.txt'))).text).toBe('a');
      for (const path of ['../other/c.txt', join(root, 'other/c.txt'), '/etc/passwd', '..', '/', '../app2']) {
        expect(await failureOf(inner.files.read(path))).toBe('outside');
        expect(await failureOf(inner.files.write(path, 'x'))).toBe('outside');
      }
    });

    it('does not follow links to where only the outer engine may go', async () => {
      symlinkSync('../other/c.txt', join(root, 'app/relative'));
      symlinkSync(join(root, 'other'), join(root, 'app/absolute'));
      symlinkSync(join(root, 'app/sub'), join(root, 'app/inside'));
      const outer = new Engine({ roots: [{ path: root, writable: true }], protection });
      engines.push(outer);
      const inner = await outer.within('app');
      expect((await outer.files.read('app/relative')).text).toBe('c');
      expect(await failureOf(inner.files.read('relative'))).toBe('outside');
      expect(await failureOf(inner.files.read('absolute/c.txt'))).toBe('outside');
      expect(await failureOf(inner.files.write('absolute/new.txt', 'x'))).toBe('outside');
      expect((await inner.files.read('inside/b.txt')).text).toBe('b');
    });
  });
}

describe('an engine narrowed to a directory', () => {
  it('can be narrowed again, and to the whole root', async () => {
    const outer = open();
    const all = await outer.within('.');
    expect((await all.files.read('other/c.txt')).text).toBe('c');
    const sub = await (await outer.within('app')).within('sub');
    expect((await sub.files.read('b.txt')).text).toBe('b');
    expect(await failureOf(sub.files.read('../a.txt'))).toBe('outside');
  });

  it('knows its directory by the names of the root, of a link and of the path that was sent', async () => {
    symlinkSync(root, join(temporary.path, 'alias'));
    symlinkSync('app', join(root, 'link'));
    const outer = open({ path: join(temporary.path, 'alias'), writable: true });
    const inner = await outer.within(join(temporary.path, 'alias/link'));
    expect(inner.roots).toMatchObject([{ path: join(temporary.path, 'alias/app'), writable: true }]);
    for (const name of ['alias/link', 'alias/app', 'root/app']) {
      expect((await inner.files.read(join(temporary.path, name, 'a.txt'))).text).toBe('a');
    }
    expect(await failureOf(inner.files.read(join(temporary.path, 'alias/other/c.txt')))).toBe('outside');
  });

  it('does not know its directory by a path with `..` after a link', async () => {
    symlinkSync('../app/sub', join(root, 'other/link'));
    const inner = await open().within('other/link/..');
    expect(inner.roots).toMatchObject([{ path: join(root, 'app'), writable: true }]);
    expect((await inner.files.read('a.txt')).text).toBe('a');
    expect(await failureOf(inner.files.read(join(root, 'other/c.txt')))).toBe('outside');
  });

  it('keeps the rule of the root that it is in, and of roots inside it', async () => {
    const outer = open(
      { path: root, writable: true },
      { path: join(root, 'other'), writable: false },
      { path: join(root, 'app/sub'), writable: false },
    );
    const readOnly = await outer.within('other');
    expect(await failureOf(readOnly.files.write('c.txt', 'x'))).toBe('read-only');
    const app = await outer.within('app');
    expect(await failureOf(app.files.write('sub/b.txt', 'x'))).toBe('read-only');
    expect(await failureOf(app.files.write(join(root, 'app/sub/new'), 'x'))).toBe('read-only');
    expect(await failureOf(app.files.remove('sub', { recursive: true }))).not.toBe('none');
    await app.files.write('a.txt', 'x');
    expect(readFileSync(join(root, 'app/sub/b.txt'), 'utf8')).toBe('b');
    expect(readFileSync(join(root, 'app/a.txt'), 'utf8')).toBe('x');
  });

  it('holds the directory itself: neither a move nor a swap leads it elsewhere', async () => {
    const inner = await open().within('app');
    renameSync(join(root, 'app'), join(root, 'moved'));
    symlinkSync('../outside', join(root, 'app'));
    expect((await inner.files.read('a.txt')).text).toBe('a');
    await inner.files.write('new.txt', 'n');
    expect(readFileSync(join(root, 'moved/new.txt'), 'utf8')).toBe('n');
    expect(readdirSync(join(temporary.path, 'outside'))).toEqual(['d.txt']);
  });

  it('is not made for a missing directory, a file, or a place outside', async () => {
    const outer = open();
    expect(await failureOf(outer.within('nowhere'))).toBe('not-found');
    expect(await failureOf(outer.within('app/a.txt'))).toBe('not-a-directory');
    expect(await failureOf(outer.within('../outside'))).toBe('outside');
    expect(await failureOf(outer.within('../missing'))).toBe('outside');
    expect(await failureOf(outer.within(''))).toBe('bad-path');
  });

  it('lets its calls end before it closes, and takes none afterwards', async () => {
    const outer = open();
    const inner = await outer.within('app');
    const writes = Array.from({ length: 20 }, (_, i) => inner.files.write(`n${i}.txt`, 'x'.repeat(300_000)));
    const reads = Array.from({ length: 20 }, (_, i) => inner.files.read(`n${i}.txt`));
    await inner.close();
    await Promise.all(writes);
    for (const { bytes } of await Promise.all(reads)) expect(bytes.length).toBe(300_000);
    expect(await failureOf(inner.files.read('a.txt'))).toBe('cancelled');
    expect((await outer.files.read('app/a.txt')).text).toBe('a');
  });

  it('is closed with the engine that it came from, and leaves no descriptor open', async () => {
    const outer = open();
    const inner = await outer.within('app');
    await inner.within('sub');
    await inner.close();
    await outer.within('other');
    await outer.close();
    await expectNoMoreHeld([], root);
    expect(await failureOf(outer.files.read('app/a.txt'))).toBe('cancelled');
  });

  it('sees changes of the outer engine in the order of the calls', async () => {
    mkdirSync(join(root, 'big'));
    writeFileSync(join(root, 'big/x'), '');
    const outer = open();
    const inner = await outer.within('big');
    const write = outer.files.write('big/x', 'y'.repeat(2_000_000));
    const { bytes } = await inner.files.read('x');
    await write;
    expect(bytes.length).toBe(2_000_000);
  });
});
