/** The given directories: several, inside each other, read-only, and given as a link. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Engine } from '../../../src/engine/index.ts';
import { readBack } from '../../tree.ts';
import {
  changes,
  entryChanges,
  expectAllToFail,
  failureOf,
  looks,
  openWallFixture,
  replacing,
  wallKinds,
} from './wall-fixture.ts';

describe.each(wallKinds)('with the %s wall', (kind) => {
  describe('two directories', () => {
    it('are both served; relative paths start in the first', async () => {
      const { engine, base } = openWallFixture(kind, { 'a.txt': 'first' }, { roots: ['work', 'workshop'] });
      expect((await engine.files.read('a.txt')).text).toBe('first');
      expect((await engine.files.read(join(base, 'workshop/secret.txt'))).text).toContain('secret');
      expect((await engine.files.read('../workshop/secret.txt')).text).toContain('secret');
      expect(await failureOf(engine.files.read('secret.txt'))).toMatchObject({ kind: 'not-found' });
      expect(await failureOf(engine.files.read(join(base, 'outside/secret.txt')))).toMatchObject({
        kind: 'outside',
      });
      expect(await failureOf(engine.files.list(base))).toMatchObject({ kind: 'outside' });
    });

    it('can have links into each other, and entries can be moved from one to the other', async () => {
      const { engine, base, root } = openWallFixture(
        kind,
        { 'a.txt': 'a', 'to-shop': { link: '../workshop' } },
        { roots: ['work', 'workshop'] },
      );
      await engine.files.move('a.txt', 'to-shop/a.txt');
      expect(readFileSync(join(base, 'workshop/a.txt'), 'utf8')).toBe('a');
      await engine.files.write(join(base, 'workshop/../work/b.txt'), 'b');
      expect(readBack(root)).toEqual({ 'b.txt': 'b', 'to-shop': { link: '../workshop' } });
    });
  });

  describe('a read-only directory', () => {
    it('can be read, and refuses every change', async () => {
      const fixture = openWallFixture(kind, { 'a.txt': 'a secret', 'd/b.txt': 'b' }, { roots: ['work:ro'] });
      const before = readBack(fixture.root);
      expect((await fixture.engine.files.read('a.txt')).text).toBe('a secret');
      expect(await fixture.engine.files.list('d')).toHaveLength(1);
      for (const path of ['a.txt', 'd', 'new.txt', 'new/deeper/file.txt']) {
        const operations = { ...changes, ...entryChanges, 'moving there': changes.write! };
        for (const [name, operation] of Object.entries(operations)) {
          const facts = await failureOf(operation(fixture.engine, path));
          const fits = facts.kind === 'read-only' || (facts.kind === 'not-found' && path.startsWith('new/'));
          expect(fits, `${name} ${path}: ${facts.kind}`).toBe(true);
        }
      }
      expect(readBack(fixture.root)).toEqual(before);
      expect(fixture.engine.roots).toEqual([{ path: fixture.root, real: fixture.root, writable: false }]);
    });

    it('stays read-only when it is reached from a writable one: through links, .. and moves', async () => {
      const { engine, base } = openWallFixture(
        kind,
        { 'a.txt': 'a', shop: { link: '../workshop' }, secret: { link: '../workshop/secret.txt' } },
        { roots: ['work', 'workshop:ro'] },
      );
      const before = readBack(join(base, 'workshop'));
      const refused = await Promise.all(
        [
          engine.files.write('shop/new.txt', 'x'),
          engine.files.write('secret', 'x'),
          engine.files.edit('shop/secret.txt', [replacing('secret', 'x')]),
          engine.files.write('../workshop/new/x.txt', 'x'),
          engine.files.remove('shop/secret.txt'),
          engine.files.move('a.txt', 'shop/a.txt'),
          engine.files.move('shop/secret.txt', 'stolen.txt'),
          engine.files.makeDirectory('shop/d/e'),
        ].map(failureOf),
      );
      for (const facts of refused) expect(facts).toMatchObject({ kind: 'read-only' });
      expect(readBack(join(base, 'workshop'))).toEqual(before);
    });

    it.each([[['work', 'work:ro']], [['work:ro', 'work']]])(
      'stays read-only when it is also given as writable: %j',
      async (roots) => {
        const { engine, root } = openWallFixture(kind, { 'a.txt': 'a' }, { roots });
        expect(await failureOf(engine.files.write('a.txt', 'x'))).toMatchObject({ kind: 'read-only' });
        expect(await failureOf(engine.files.write(join(root, 'b.txt'), 'x'))).toMatchObject({
          kind: 'read-only',
        });
      },
    );

    it('is what every directory becomes when the server is started as read-only', async () => {
      const { engine } = openWallFixture(
        kind,
        { 'a.txt': 'a' },
        { roots: ['work', 'workshop'], readOnly: true },
      );
      expect(await failureOf(engine.files.write('a.txt', 'x'))).toEqual({
        kind: 'read-only',
        path: 'a.txt',
        why: 'server',
      });
      expect(engine.roots.map(({ writable }) => writable)).toEqual([false, false]);
    });
  });

  describe('a directory inside another', () => {
    const tree = { 'a.txt': 'a', 'inner/b.txt': 'b', 'inner/deep/c.txt': 'c' };

    it('can be read-only inside a writable one: each keeps its own rule, whatever path leads there', async () => {
      const { engine, root } = openWallFixture(
        kind,
        { ...tree, 'way-in': { link: 'inner/deep' } },
        { roots: ['work', 'work/inner:ro'] },
      );
      await engine.files.write('a.txt', 'changed');
      const ways = [
        'inner/b.txt',
        './inner//b.txt',
        'inner/deep/../b.txt',
        `${root}/inner/new.txt`,
        'way-in/c.txt',
      ];
      for (const path of [...ways, 'inner/deep/new/file.txt', 'way-in/../b.txt']) {
        expect(await failureOf(engine.files.write(path, 'x')), path).toMatchObject({ kind: 'read-only' });
      }
      expect(await failureOf(engine.files.move('inner/b.txt', 'b.txt'))).toMatchObject({ kind: 'read-only' });
      expect(await failureOf(engine.files.move('a.txt', 'inner/a.txt'))).toMatchObject({ kind: 'read-only' });
      expect(await failureOf(engine.files.remove('inner/deep', { recursive: true }))).toMatchObject({
        kind: 'read-only',
      });
      await engine.files.write('inner/../a.txt', 'again');
      expect(readBack(root)).toEqual({ ...tree, 'a.txt': 'again', 'way-in': { link: 'inner/deep' } });
    });

    it('can be writable inside a read-only one', async () => {
      const { engine, root } = openWallFixture(kind, tree, { roots: ['work:ro', 'work/inner'] });
      expect(await failureOf(engine.files.write('a.txt', 'x'))).toMatchObject({ kind: 'read-only' });
      expect(await failureOf(engine.files.write('inner/../new.txt', 'x'))).toMatchObject({
        kind: 'read-only',
      });
      await engine.files.write('inner/deep/../b.txt', 'changed');
      await engine.files.move('inner/deep/c.txt', 'inner/c.txt');
      expect(readBack(root)).toEqual({
        'a.txt': 'a',
        'inner/b.txt': 'changed',
        'inner/c.txt': 'c',
        'inner/deep/': '',
      });
    });

    it('cannot be deleted or moved, nor can the outer one, nor a directory between them', async () => {
      const { engine, root } = openWallFixture(
        kind,
        { 'x/y/inner/b.txt': 'b', 'a.txt': 'a' },
        { roots: ['work', 'work/x/y/inner'] },
      );
      const before = readBack(root);
      const spellings = [
        '.',
        './',
        root,
        'x/y/inner',
        'x/y/inner/.',
        'x/y/inner/../inner',
        'x/..',
        'x',
        'x/y',
      ];
      for (const path of spellings) {
        const calls = [
          engine.files.remove(path),
          engine.files.remove(path, { recursive: true }),
          engine.files.move(path, 'z'),
        ];
        for (const call of calls) {
          expect(await failureOf(call), path).toMatchObject({ kind: 'is-root', path });
        }
      }
      expect(await failureOf(engine.files.move('a.txt', 'x/y/inner'))).toMatchObject({ kind: 'exists' });
      expect(await failureOf(engine.files.write('.', 'x'))).toMatchObject({ kind: 'not-a-file' });
      expect(readBack(root)).toEqual(before);
    });
  });

  describe('a directory that is given as a link', () => {
    it('is known by the given path and by its real path', async () => {
      const { base, root, engine: unused } = openWallFixture(kind, { 'd/a.txt': 'a' });
      await unused.close();
      symlinkSync('work', join(base, 'alias'));
      const engine = new Engine({
        roots: [{ path: join(base, 'alias/d'), writable: true }],
        protection: kind,
      });
      try {
        expect(engine.roots).toMatchObject([{ path: join(base, 'alias/d'), writable: true }]);
        for (const path of ['a.txt', join(base, 'alias/d/a.txt'), join(root, 'd/a.txt')]) {
          expect((await engine.files.read(path)).text, path).toBe('a');
        }
        expect(await failureOf(engine.files.read(join(base, 'alias')))).toMatchObject({ kind: 'outside' });
        expect(await failureOf(engine.files.read('../../secret.txt'))).toMatchObject({ kind: 'outside' });
      } finally {
        await engine.close();
      }
    });

    it('stays the same directory when the link is pointed elsewhere', async () => {
      const fixture = openWallFixture(kind, { 'secret.txt': 'ours' });
      const alias = join(fixture.base, 'alias');
      symlinkSync('work', alias);
      const engine = new Engine({ roots: [{ path: alias, writable: true }], protection: kind });
      try {
        rmSync(alias);
        symlinkSync('outside', alias);
        expect((await engine.files.read(join(alias, 'secret.txt'))).text).toBe('ours');
        await engine.files.write('new.txt', 'here');
        expect(readFileSync(join(fixture.root, 'new.txt'), 'utf8')).toBe('here');
      } finally {
        await engine.close();
      }
    });
  });

  it('swapping the root itself for a link after the start leads nowhere', async () => {
    const { engine, base, root } = openWallFixture(kind, { 'secret.txt': 'ours' });
    renameSync(root, join(base, 'elsewhere'));
    symlinkSync('outside', root);
    const read = engine.files.read('secret.txt').then(
      ({ text }) => text,
      () => 'refused',
    );
    expect(['ours', 'refused']).toContain(await read);
    await engine.files.write('new.txt', 'x').catch(() => {});
    expect(Object.keys(readBack(join(base, 'outside')))).toEqual(['secret.txt', 'sub/secret.txt']);
  });

  it('with the top of the file system as the root, everything is inside, and can still be read-only', async () => {
    const fixture = openWallFixture(kind, { 'a.txt': 'a' }, { roots: ['/:ro'] });
    expect((await fixture.engine.files.read(join(fixture.root, 'a.txt'))).text).toBe('a');
    expect((await fixture.engine.files.read(`${fixture.root.slice(1)}/a.txt`)).text).toBe('a');
    expect((await fixture.engine.files.read(`/../..${fixture.root}/../work/a.txt`)).text).toBe('a');
    expect((await fixture.engine.files.list('/')).map(({ name }) => name)).toContain('etc');
    expect((await fixture.engine.files.info('/')).type).toBe('directory');
    const { ino } = await fixture.engine.files.info('/proc/self/root');
    expect(ino).toBe((await fixture.engine.files.info('/')).ino);
    expect(await failureOf(fixture.engine.files.write(join(fixture.root, 'a.txt'), 'x'))).toMatchObject({
      kind: 'read-only',
    });
    expect(await failureOf(fixture.engine.files.remove('/'))).toMatchObject({ kind: 'read-only' });
  });

  it('a mount inside the root is inside', async (context) => {
    const fixture = openWallFixture(kind, { 'mnt/': '' });
    const mount = join(fixture.root, 'mnt');
    try {
      execFileSync('mount', ['--bind', fixture.outside, mount], { stdio: 'ignore' });
    } catch {
      context.skip();
    }
    try {
      expect((await fixture.engine.files.read('mnt/secret.txt')).text).toContain('secret');
      expect((await fixture.engine.files.read('mnt/sub/../secret.txt')).text).toContain('secret');
      expect(await failureOf(fixture.engine.files.read('mnt/../../outside/secret.txt'))).toMatchObject({
        kind: 'outside',
      });
    } finally {
      execFileSync('umount', [mount]);
    }
  });

  describe('what cannot be a root', () => {
    it.each([
      ['something missing', 'nothing', 'not-found'],
      ['a file', 'work/a.txt', 'not-a-directory'],
      ['a directory below a file', 'work/a.txt/b', 'not-a-directory'],
      ['a FIFO', 'work/pipe', 'not-a-directory'],
      ['a dangling link', 'work/dangling', 'not-found'],
      ['a loop of links', 'work/loop', 'bad-path'],
    ])('%s', async (_, path, failure) => {
      const { base } = openWallFixture(kind, {
        'a.txt': 'a',
        pipe: { fifo: true },
        dangling: { link: 'nowhere' },
        loop: { link: 'loop' },
      });
      const open = async () =>
        new Engine({ roots: [{ path: join(base, path), writable: true }], protection: kind });
      expect(await failureOf(open())).toMatchObject({ kind: failure });
    });
  });

  it('a closed engine does nothing any more', async () => {
    const fixture = openWallFixture(kind, { 'a.txt': 'a' });
    await fixture.engine.close();
    mkdirSync(join(fixture.root, 'd'));
    writeFileSync(join(fixture.root, 'd/a.txt'), 'a');
    const operations = { ...looks, ...changes };
    for (const operation of Object.values(operations)) {
      expect(await failureOf(operation(fixture.engine, 'a.txt'))).toMatchObject({ kind: 'cancelled' });
    }
    expect(readBack(fixture.root)).toEqual({ 'a.txt': 'a', 'd/a.txt': 'a' });
  });

  it('a path in another letter case leads somewhere only if the file system ignores case', async () => {
    const fixture = openWallFixture(kind, { 'A.txt': 'a' });
    await expectAllToFail(fixture, `${fixture.root.toUpperCase()}/A.txt`, 'outside');
  });
});
