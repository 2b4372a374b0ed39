/** Symbolic links: the wall follows them itself as long as they stay inside, and none is a way out, wherever it is. */
import { lstatSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readBack } from '../../tree.ts';
import {
  changes,
  entryChanges,
  everyOperation,
  expectAllToFail,
  failureOf,
  looks,
  openWallFixture,
  replacing,
  SECRET,
  wallKinds,
} from './wall-fixture.ts';

/** Where an evil link may point. Each of these has a `secret.txt`, or is the top of the file system. */
const targets: Record<string, string> = {
  'a relative path out': '../outside',
  'a relative path out by a detour': './x/../../outside/sub/..',
  'an absolute path': '{OUT}',
  'the namesake of the root': '../workshop',
  'the parent of the root': '..',
  'the top of the file system': '/',
  "the process's own view of the top": '/proc/self/root',
  "the process's own working directory": '/proc/self/cwd',
};

describe.each(wallKinds)('with the %s wall', (kind) => {
  describe.each(Object.entries(targets))('a link to %s', (_, target) => {
    it('as the first component leads nowhere', async () => {
      const fixture = openWallFixture(kind, { evil: { link: target }, 'x/': '' });
      await expectAllToFail(fixture, 'evil/secret.txt', 'outside');
      await expectAllToFail(fixture, 'evil/etc/passwd', 'outside');
      await expectAllToFail(fixture, 'evil/new/deeper/file.txt', 'outside');
    });

    it('in the middle leads nowhere', async () => {
      const up = target.startsWith('.') ? `../${target}` : target;
      const fixture = openWallFixture(kind, { 'a/evil': { link: up }, 'a/x/': '', 'x/': '' });
      await expectAllToFail(fixture, 'a/evil/secret.txt', 'outside');
    });

    it('as the last component is not followed out', async () => {
      const fixture = openWallFixture(kind, { evil: { link: target }, 'x/': '' });
      await expectAllToFail(fixture, 'evil', 'outside', { ...looks, ...changes });
    });

    it('after another link leads nowhere', async () => {
      const fixture = openWallFixture(kind, {
        good: { link: 'x/../evil' },
        evil: { link: target },
        'x/': '',
      });
      await expectAllToFail(fixture, 'good/secret.txt', 'outside');
    });
  });

  it('a link to a file outside is not read, written or edited', async () => {
    const fixture = openWallFixture(kind, { evil: { link: '{OUT}/secret.txt' } });
    await expectAllToFail(fixture, 'evil', 'outside', { ...looks, ...changes });
    expect(readFileSync(join(fixture.outside, 'secret.txt'), 'utf8')).toBe(SECRET);
  });

  it('a dangling link to the outside fails like a live one, for reading and for writing', async () => {
    const fixture = openWallFixture(kind, {
      live: { link: '{OUT}/secret.txt' },
      dangling: { link: '{OUT}/new.txt' },
      'dangling-deep': { link: '../outside/no/such/directory/new.txt' },
    });
    for (const [name, operation] of Object.entries({ ...looks, ...changes })) {
      const live = await failureOf(operation(fixture.engine, 'live'));
      expect(live, name).toEqual({ kind: 'outside', path: 'live' });
      for (const path of ['dangling', 'dangling-deep']) {
        expect(await failureOf(operation(fixture.engine, path)), name).toEqual({ ...live, path });
      }
    }
    fixture.expectOutsideUntouched();
  });

  it('the answer about a path through a link to the outside does not depend on whether it exists', async () => {
    const fixture = openWallFixture(kind, { evil: { link: '{OUT}' } });
    for (const [name, operation] of Object.entries(everyOperation)) {
      const there = await failureOf(operation(fixture.engine, 'evil/secret.txt'));
      const notThere = await failureOf(operation(fixture.engine, 'evil/nothing.txt'));
      expect(notThere, name).toEqual({ ...there, path: 'evil/nothing.txt' });
    }
  });

  it('reading a dangling link inside finds nothing; writing makes the target, and the link stays', async () => {
    const { engine, root } = openWallFixture(kind, { 'a/': '', later: { link: 'a/later.txt' } });
    expect(await failureOf(engine.files.read('later'))).toMatchObject({ kind: 'not-found', path: 'later' });
    await engine.files.write('later', 'now');
    expect(readBack(root)).toEqual({ 'a/later.txt': 'now', later: { link: 'a/later.txt' } });
  });

  it('writing to a dangling link inside makes the missing parents of its target', async () => {
    const { engine, root } = openWallFixture(kind, { later: { link: 'x/y/later.txt' } });
    await engine.files.write('later', 'now');
    expect(readBack(root)).toEqual({ 'x/y/later.txt': 'now', later: { link: 'x/y/later.txt' } });
  });

  it('a link inside can be read and written through, and stays a link', async () => {
    const fixture = openWallFixture(kind, {
      'a/real.txt': 'secret one',
      relative: { link: 'a/real.txt' },
      absolute: { link: '{ROOT}/a/real.txt' },
      'b/up': { link: '../a/real.txt' },
      directory: { link: 'a' },
    });
    const { engine, root } = fixture;
    for (const path of ['relative', 'absolute', 'b/up', 'directory/real.txt']) {
      expect((await engine.files.read(path)).text, path).toBe('secret one');
    }
    await engine.files.write('relative', 'secret two');
    await engine.files.edit('absolute', [replacing('two', 'three')]);
    await engine.files.append('b/up', '!');
    expect(readFileSync(join(root, 'a/real.txt'), 'utf8')).toBe('secret three!');
    for (const path of ['relative', 'absolute', 'b/up', 'directory']) {
      expect(lstatSync(join(root, path)).isSymbolicLink(), path).toBe(true);
    }
    expect((await engine.files.list('directory')).map(({ name }) => name)).toEqual(['real.txt']);
    expect(await engine.files.info('relative')).toMatchObject({
      type: 'file',
      path: join(root, 'a/real.txt'),
    });
  });

  it('deleting or moving a link acts on the link, wherever it points', async () => {
    const fixture = openWallFixture(kind, {
      'a/real.txt': 'stays',
      inside: { link: 'a' },
      outside: { link: '{OUT}' },
      secret: { link: '{OUT}/secret.txt' },
      dangling: { link: 'nowhere' },
    });
    const { engine, root } = fixture;
    expect(await engine.files.remove('inside', { recursive: true })).toEqual({
      removed: 'symlink',
      canUndo: false,
    });
    expect(await engine.files.remove('outside', { recursive: true })).toEqual({
      removed: 'symlink',
      canUndo: false,
    });
    await engine.files.move('secret', 'moved');
    await engine.files.move('dangling', 'a/dangling');
    expect(readBack(root)).toEqual({
      'a/real.txt': 'stays',
      'a/dangling': { link: 'nowhere' },
      moved: { link: join(fixture.outside, 'secret.txt') },
    });
    fixture.expectOutsideUntouched();
  });

  it('a recursive delete removes the links in a directory but nothing that they point at', async () => {
    const fixture = openWallFixture(kind, {
      'keep/real.txt': 'stays',
      'gone/a/out': { link: '{OUT}' },
      'gone/a/in': { link: '../../keep' },
      'gone/b/loop': { link: '..' },
      'gone/b/file': 'x',
    });
    expect(await fixture.engine.files.remove('gone', { recursive: true })).toEqual({
      removed: 'directory',
      canUndo: false,
    });
    expect(readBack(fixture.root)).toEqual({ 'keep/real.txt': 'stays' });
    fixture.expectOutsideUntouched();
  });

  it('a tree does not enter linked directories, and shows a link to the outside as a file', async () => {
    const fixture = openWallFixture(kind, {
      'a/file.txt': 'x',
      'b/in': { link: '../a' },
      'b/out': { link: '{OUT}' },
      'b/up': { link: '..' },
    });
    const tree = await fixture.engine.files.tree('b');
    expect(tree.children).toEqual([
      { name: 'in', type: 'directory' },
      { name: 'out', type: 'file' },
      { name: 'up', type: 'directory' },
    ]);
    expect((await fixture.engine.files.list('b')).map(({ name, target }) => [name, target])).toEqual([
      ['in', 'directory'],
      ['out', 'outside'],
      ['up', 'directory'],
    ]);
  });

  it('a loop of links fails with a kind of its own instead of an endless walk', async () => {
    const fixture = openWallFixture(kind, {
      self: { link: 'self' },
      ping: { link: 'pong' },
      pong: { link: './ping' },
      'a/loop': { link: '../a/loop/x' },
    });
    const operations = { ...looks, ...changes };
    for (const path of ['self', 'ping', 'self/x', 'ping/x/y', 'a/loop', 'a/loop/y']) {
      for (const [name, operation] of Object.entries(operations)) {
        const facts = await failureOf(operation(fixture.engine, path));
        expect(facts, `${name} ${path}`).toEqual({ kind: 'bad-path', path, why: 'link-loop' });
      }
    }
    for (const path of ['self', 'ping']) await entryChanges.delete!(fixture.engine, path);
    expect(Object.keys(readBack(fixture.root))).toEqual(['a/loop', 'pong']);
  });

  it.each([
    [39, true],
    [40, true],
    [41, false],
  ])('a chain of %i links works: %s', async (length, works) => {
    const { engine, root } = openWallFixture(kind, { 'end.txt': 'the end' });
    for (let i = 1; i <= length; i++) symlinkSync(i === 1 ? 'end.txt' : `l${i - 1}`, join(root, `l${i}`));
    const read = engine.files.read(`l${length}`);
    if (works) expect((await read).text).toBe('the end');
    else expect(await failureOf(read)).toMatchObject({ kind: 'bad-path', why: 'link-loop' });
  });

  it('links inside other links count toward the same limit', async () => {
    const { engine, root } = openWallFixture(kind, { 'd0/end.txt': 'the end' });
    for (let i = 1; i <= 41; i++) symlinkSync(`../d${i - 1}`, join(root, `in${i}`));
    mkdirSync(join(root, 'x'));
    symlinkSync('../x', join(root, 'x/x'));
    expect(await failureOf(engine.files.read(`${'x/'.repeat(42)}end.txt`))).toMatchObject({
      kind: 'bad-path',
      why: 'link-loop',
    });
    expect(await failureOf(engine.files.read(`${'x/'.repeat(39)}end.txt`))).toMatchObject({
      kind: 'not-found',
    });
  });

  it('a link with an empty-looking or odd target is followed as the system would follow it', async () => {
    const { engine, root } = openWallFixture(kind, { 'a/file.txt': 'x' });
    symlinkSync('.', join(root, 'dot'));
    symlinkSync('a//./', join(root, 'slashes'));
    symlinkSync(`${root}/./a/../a`, join(root, 'roundabout'));
    for (const path of [
      'dot/a/file.txt',
      'slashes/file.txt',
      'roundabout/file.txt',
      'dot/dot/dot/a/file.txt',
    ]) {
      expect((await engine.files.read(path)).text, path).toBe('x');
    }
  });

  it('a link that is changed between two calls is followed anew', async () => {
    const { engine, root, base } = openWallFixture(kind, {
      'a.txt': 'a',
      'b.txt': 'b',
      l: { link: 'a.txt' },
    });
    expect((await engine.files.read('l')).text).toBe('a');
    await engine.files.remove('l');
    symlinkSync('b.txt', join(root, 'l'));
    expect((await engine.files.read('l')).text).toBe('b');
    await engine.files.remove('l');
    symlinkSync(join(base, 'outside/secret.txt'), join(root, 'l'));
    expect(await failureOf(engine.files.read('l'))).toMatchObject({ kind: 'outside' });
  });

  it('a new directory in place of a link, and a link in place of a directory, are noticed at once', async () => {
    const fixture = openWallFixture(kind, { 'd/secret.txt': 'ours' });
    await fixture.engine.files.remove('d', { recursive: true });
    symlinkSync(fixture.outside, join(fixture.root, 'd'));
    await expectAllToFail(fixture, 'd/secret.txt', 'outside');
    expect(readlinkSync(join(fixture.root, 'd'))).toBe(fixture.outside);
    await fixture.engine.files.remove('d');
    mkdirSync(join(fixture.root, 'd'));
    writeFileSync(join(fixture.root, 'd/secret.txt'), 'again');
    expect((await fixture.engine.files.read('d/secret.txt')).text).toBe('again');
  });
});
