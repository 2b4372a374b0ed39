import { linkSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Dir } from '../../../src/engine/confine/directory/dir.ts';
import { Place } from '../../../src/engine/confine/place.ts';
import { Wall } from '../../../src/engine/confine/wall.ts';
import { EngineFailure, type Failure } from '../../../src/engine/failures.ts';
import { replaceTogether } from '../../../src/engine/files/atomic-replace-many.ts';
import { readSnapshot } from '../../../src/engine/files/read/read.ts';
import { Engine } from '../../../src/engine/index.ts';
import { expectNoMoreHeld, heldBelow } from '../../descriptors.ts';
import { layOut, readBack, temporaryDirectory } from '../../tree.ts';

let temporary: ReturnType<typeof temporaryDirectory>;
let root: string;
let wall: Wall;
let engine: Engine;

beforeEach(() => {
  temporary = temporaryDirectory();
  root = temporary.path;
  wall = new Wall([{ path: root, writable: true }]);
  engine = new Engine({ roots: [{ path: root, writable: true }] });
});

afterEach(async () => {
  wall.close();
  await engine.close();
  temporary.remove();
});

async function failureOf(work: Promise<unknown>): Promise<Failure> {
  try {
    await work;
  } catch (error) {
    if (error instanceof EngineFailure) return error.facts;
    throw error;
  }
  throw new Error('nothing failed');
}

/** The real directory, except for the given operations, which simulate the faults of a disk. */
function faulty(path: string, faults: Partial<Dir>): Place {
  const { dir, name } = wall.resolve(path);
  const real = dir as unknown as Record<string | symbol, unknown>;
  const broken = new Proxy(dir, {
    get(_, key) {
      if (key in faults) return faults[key as keyof Dir];
      const value = real[key];
      return typeof value === 'function' ? value.bind(dir) : value;
    },
  });
  const at = {
    root: wall.roots[0]!,
    dir: broken,
    owned: false,
    shown: path,
    path: join(root, path),
    parentNames: [],
    made: [],
    protectedPlaces: wall.protectedPlaces,
    withheld: undefined,
    asDirectory: undefined,
  };
  return new Place({ ...at, name });
}

function refusesToPublish(path: string): Place {
  const { dir } = wall.roots[0]!;
  return faulty(path, {
    draft: () => {
      const draft = dir.draft();
      draft.publish = () => {
        throw Object.assign(new Error('disk'), { code: 'EIO' });
      };
      return draft;
    },
  });
}

function refuseLinks(): never {
  throw Object.assign(new Error('no links here'), { code: 'EPERM' });
}

const bytes = Buffer.from('new');

describe('several files', () => {
  it('are written in one call, with the parent directories that they need', async () => {
    layOut(root, { 'a.txt': 'old' });
    await engine.files.writeAll([
      { path: 'a.txt', content: 'A' },
      { path: 'x/y/b.txt', content: 'B' },
      { path: 'x/c.bin', content: Buffer.from([0xff, 0]) },
    ]);
    expect(readBack(root)).toEqual({ 'a.txt': 'A', 'x/c.bin': { base64: '/wA=' }, 'x/y/b.txt': 'B' });
  });

  it('are restored if one was removed and a later one cannot be written', async () => {
    layOut(root, { goes: 'still here', last: 'b' });
    const [goes, last] = [wall.resolve('goes'), refusesToPublish('last')];
    const expectation = await readSnapshot(goes);
    const failure = await failureOf(
      replaceTogether(
        [
          { place: goes, bytes: 'removed', expect: expectation },
          { place: last, bytes },
        ],
        undefined,
      ),
    );
    expect(failure.kind).toBe('io');
    expect(readBack(root)).toEqual({ goes: 'still here', last: 'b' });
  });

  it('keep their modes, and other names of the same file keep the old content', async () => {
    layOut(root, { a: { text: 'a', mode: '640' }, b: { text: 'b', mode: '755' } });
    linkSync(join(root, 'a'), join(root, 'hard'));
    await engine.files.writeAll([
      { path: 'a', content: 'A' },
      { path: 'b', content: 'B' },
    ]);
    expect(statSync(join(root, 'a')).mode & 0o777).toBe(0o640);
    expect(statSync(join(root, 'b')).mode & 0o777).toBe(0o755);
    expect(readFileSync(join(root, 'hard'), 'utf8')).toBe('a');
    expect(statSync(join(root, 'a')).nlink).toBe(1);
  });

  it('are left alone if one of them cannot be written, and so are their directories', async () => {
    layOut(root, { 'a.txt': 'a', 'd/x': '' });
    const files = ['a.txt', 'new/deep/b.txt', 'new/c.txt', 'd'].map((path) => ({ path, content: 'x' }));
    expect(await failureOf(engine.files.writeAll(files))).toMatchObject({ kind: 'not-a-file', path: 'd' });
    expect(readBack(root)).toEqual({ 'a.txt': 'a', 'd/x': '' });
  });

  it('may not be the same file under two names', async () => {
    layOut(root, { a: 'a', link: { link: 'a' } });
    const twice = (...paths: string[]) =>
      engine.files.writeAll(paths.map((path) => ({ path, content: 'x' })));
    expect(await failureOf(twice('a', 'b', './a'))).toEqual({
      kind: 'overlap',
      path: './a',
      first: 1,
      second: 3,
    });
    expect(await failureOf(twice('link', 'a'))).toMatchObject({ kind: 'overlap', first: 1, second: 2 });
    expect(await failureOf(twice('new/x', 'new/./x'))).toMatchObject({ kind: 'overlap' });
    expect(readBack(root)).toEqual({ a: 'a', link: { link: 'a' } });
  });

  it('are all restored if a later one fails in the last step', async () => {
    layOut(root, { a: { text: 'a', mode: '600' }, b: 'b', last: 'l' });
    const inode = statSync(join(root, 'a')).ino;
    const places = [wall.resolve('a'), wall.resolve('b'), wall.resolve('new'), refusesToPublish('last')];
    const replacing = replaceTogether(
      places.map((place) => ({ place, bytes })),
      undefined,
    );
    expect(await failureOf(replacing)).toMatchObject({ kind: 'io', path: 'last', code: 'EIO' });
    expect(readdirSync(root).sort()).toEqual(['a', 'b', 'last']);
    expect(readBack(root)).toEqual({ a: 'a', b: 'b', last: 'l' });
    expect(statSync(join(root, 'a'))).toMatchObject({ ino: inode, nlink: 1 });
  });

  it('are restored from copies where there are no hard links', async () => {
    layOut(root, { a: { text: 'a', mode: '640' }, last: 'l' });
    const places = [faulty('a', { link: refuseLinks }), refusesToPublish('last')];
    const replacing = replaceTogether(
      places.map((place) => ({ place, bytes })),
      undefined,
    );
    expect(await failureOf(replacing)).toMatchObject({ kind: 'io', path: 'last' });
    expect(readdirSync(root).sort()).toEqual(['a', 'last']);
    expect(readBack(root)).toEqual({ a: 'a', last: 'l' });
    expect(statSync(join(root, 'a')).mode & 0o777).toBe(0o640);
  });

  it('are written where there are no hard links, and no copy is left', async () => {
    layOut(root, { a: 'a', b: 'b' });
    const places = [faulty('a', { link: refuseLinks }), wall.resolve('b')];
    await replaceTogether(
      places.map((place) => ({ place, bytes })),
      undefined,
    );
    expect(readdirSync(root).sort()).toEqual(['a', 'b']);
    expect(readBack(root)).toEqual({ a: 'new', b: 'new' });
  });

  it('are named if they could not be restored, and the others are still restored', async () => {
    layOut(root, { a: 'a', b: 'b', last: 'l' });
    const stuck = () => {
      throw Object.assign(new Error('disk'), { code: 'EROFS' });
    };
    const places = [wall.resolve('a'), faulty('b', { rename: stuck }), refusesToPublish('last')];
    const replacing = replaceTogether(
      places.map((place) => ({ place, bytes })),
      undefined,
    );
    expect(await failureOf(replacing)).toEqual({ kind: 'permission', path: 'b', action: 'restore' });
    expect(readBack(root)).toEqual({ a: 'a', b: 'new', last: 'l' });
  });

  it('are all left alone if another program changed one of them meanwhile', async () => {
    layOut(root, { a: 'a', b: 'b' });
    const places = [wall.resolve('a'), wall.resolve('b')];
    const snapshots = await Promise.all(places.map((place) => readSnapshot(place)));
    writeFileSync(join(root, 'b'), 'other');
    const replacing = replaceTogether(
      places.map((place, i) => ({ place, bytes, expect: snapshots[i]! })),
      undefined,
    );
    expect(await failureOf(replacing)).toEqual({ kind: 'changed-meanwhile', path: 'b' });
    expect(readdirSync(root).sort()).toEqual(['a', 'b']);
    expect(readBack(root)).toEqual({ a: 'a', b: 'other' });
  });

  it('are left alone if the call is cancelled', async () => {
    layOut(root, { a: 'a' });
    const files = ['a', 'new/b'].map((path) => ({ path, content: 'x'.repeat(100_000) }));
    const writing = engine.files.writeAll(files, { signal: AbortSignal.abort() });
    expect(await failureOf(writing)).toEqual({ kind: 'cancelled' });
    expect(readBack(root)).toEqual({ a: 'a' });
  });

  it('are locked against other calls on the same files, in whatever order they are named', async () => {
    layOut(root, { a: '', b: '', c: '' });
    const insert = (path: string, i: number) => ({ path, line: 0, content: `${i}\n` });
    await Promise.all(
      Array.from({ length: 30 }, (_, i) => {
        const paths = [
          ['a', 'b', 'c'],
          ['c', 'a', 'b'],
          ['b', 'c', 'a'],
        ][i % 3]!;
        return engine.files.insertLines(paths.map((path) => insert(path, i)));
      }),
    );
    const { a, b, c } = readBack(root);
    expect(String(a).split('\n').filter(Boolean)).toHaveLength(30);
    expect(b).toBe(a);
    expect(c).toBe(a);
  });

  it('leave no open descriptors or temporary files behind, whether or not the call fails', async () => {
    layOut(root, { a: 'a', 'd/x': '' });
    await engine.files.writeAll([{ path: 'a', content: 'x' }]);
    const before = heldBelow(root);
    for (let i = 0; i < 20; i++) {
      await engine.files.writeAll(['a', `n${i}/b`].map((path) => ({ path, content: `${i}` })));
      await failureOf(engine.files.writeAll(['a', `m${i}/b`, 'd'].map((path) => ({ path, content: 'x' }))));
      await failureOf(
        engine.files.insertLines(['a', 'nowhere'].map((path) => ({ path, line: 1, content: 'x' }))),
      );
    }
    await expectNoMoreHeld(before, root);
    expect(readdirSync(root, { recursive: true }).filter((name) => String(name).includes('.tmp'))).toEqual(
      [],
    );
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('19');
  });

  it('free their old contents without blocking the event loop', async () => {
    layOut(root, { a: 'a', b: 'b' });
    const unlink = () => {
      throw new Error('the event loop waits for the disk');
    };
    const places = [faulty('a', { unlink }), faulty('b', { unlink })];
    await replaceTogether(
      places.map((place) => ({ place, bytes })),
      undefined,
    );
    expect(readdirSync(root).sort()).toEqual(['a', 'b']);
  });

  it('may be many', async () => {
    const files = Array.from({ length: 100 }, (_, i) => ({ path: `d${i % 7}/f${i}`, content: `${i}` }));
    await engine.files.writeAll(files);
    expect(Object.keys(readBack(root))).toHaveLength(100);
  });
});
