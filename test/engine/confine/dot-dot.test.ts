/** `..`, absolute paths and namesakes: no spelling of a path leads out. */
import { writeFileSync } from 'node:fs';
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
  SECRET,
  wallKinds,
} from './wall-fixture.ts';

const TREE = { 'a/b/file.txt': 'inside', 'a/file.txt': 'one up', deep: { link: 'a/b' } } as const;

describe.each(wallKinds)('with the %s wall', (kind) => {
  describe('every operation refuses a path out of the root', () => {
    const escapes: Record<string, (root: string) => string> = {
      '.. alone': () => '..',
      '.. and a slash': () => '../',
      '.. at the start': () => '../outside/secret.txt',
      '.. behind a dot': () => './../outside/secret.txt',
      '.. after a directory': () => 'a/../../outside/secret.txt',
      '.. several times in the middle': () => 'a/b/../../../outside/secret.txt',
      '.. at the end': () => 'a/../..',
      '.. between doubled slashes': () => 'a//..//..//outside//secret.txt',
      '.. behind a link, which goes up from where the link leads': () => 'deep/../../../outside/secret.txt',
      '.. behind the root as an absolute path': (root) => `${root}/../outside/secret.txt`,
      '.. behind the root and nothing more': (root) => `${root}/..`,
      'more .. than there are directories': () => `${'../'.repeat(64)}etc/passwd`,
      'an absolute path': (root) => join(root, '../outside/secret.txt'),
      'an absolute path of the system': () => '/etc/passwd',
      'an absolute path with doubled slashes': () => '//etc///passwd',
      'the top of the file system': () => '/',
      'a directory whose name starts like the root': (root) => `${root}shop/secret.txt`,
      'that directory itself': (root) => `${root}shop`,
      'that directory by way of ..': () => '../workshop/secret.txt',
      'a name that the root is the start of': (root) => `${root}.txt`,
      'the parent of the root': (root) => join(root, '..'),
      'another root-like path that only differs in case': (root) => join(root, '../WORK/a/file.txt'),
    };
    it.each(Object.entries(escapes))('%s', async (_, path) => {
      const fixture = openWallFixture(kind, TREE);
      await expectAllToFail(fixture, path(fixture.root), 'outside');
    });
  });

  it('.. after a file fails, since a file is not a directory', async () => {
    const fixture = openWallFixture(kind, TREE);
    await expectAllToFail(fixture, 'a/file.txt/../../../outside/secret.txt', 'not-a-directory');
  });

  it('.. after a missing directory still counts as outside, and no directory is made', async () => {
    const fixture = openWallFixture(kind, TREE);
    const before = readBack(fixture.root);
    const path = 'missing/../../outside/new.txt';
    for (const look of Object.values(looks)) {
      expect(await failureOf(look(fixture.engine, path))).toMatchObject({ kind: 'outside' });
    }
    for (const change of [changes.write!, changes['making a directory']!]) {
      expect(await failureOf(change(fixture.engine, path))).toMatchObject({ kind: 'outside' });
    }
    expect(await failureOf(entryChanges['moving there']!(fixture.engine, path))).toMatchObject({
      kind: 'outside',
    });
    await fixture.engine.files.remove('to-be-moved');
    expect(readBack(fixture.root)).toEqual(before);
    fixture.expectOutsideUntouched();
  });

  it('~ is a name like any other', async () => {
    const { engine } = openWallFixture(kind);
    expect(await failureOf(engine.files.read('~/x'))).toMatchObject({ kind: 'not-found' });
    await engine.files.write('~/x', 'here');
    expect((await engine.files.read('~/x')).text).toBe('here');
  });

  describe('.. that stays inside works', () => {
    const ways: Record<string, [path: (root: string) => string, text: string]> = {
      'up and down again': [() => 'a/b/../file.txt', 'one up'],
      'out of the root and back in': [() => '../work/a/file.txt', 'one up'],
      'out of the root by an absolute path and back in': [(root) => `${root}/../work/a/file.txt`, 'one up'],
      'through a name outside that is not even looked at': [
        (root) => `${root}/../no-such-thing/../work/a/file.txt`,
        'one up',
      ],
      'behind a link: up from where the link leads': [() => 'deep/../file.txt', 'one up'],
      'several links deep': [() => 'deep/../../deep/../b/file.txt', 'inside'],
      'to a directory and back into it': [() => 'a/b/../../a/b/./file.txt', 'inside'],
    };
    it.each(Object.entries(ways))('%s', async (_, [path, text]) => {
      const { engine, root } = openWallFixture(kind, TREE);
      expect((await engine.files.read(path(root))).text).toBe(text);
    });
  });

  it('a path may have hundreds of .. as long as it stays inside', async () => {
    const { engine } = openWallFixture(kind, TREE);
    expect((await engine.files.read(`${'a/b/../../'.repeat(400)}a/file.txt`)).text).toBe('one up');
  });

  it('a path with endless detours is refused, not walked', async () => {
    const depth = 60;
    const deep = 'd/'.repeat(depth);
    const { engine } = openWallFixture(kind, { [`${deep}x`]: 'x' });
    const path = `${deep}${'../d/'.repeat(2000)}x`;
    expect(await failureOf(engine.files.read(path))).toMatchObject({ kind: 'bad-path', why: 'too-deep' });
  });

  it('a path of any length is refused in time that grows with its length alone', async () => {
    const { engine, outside } = openWallFixture(kind, TREE);
    // Comparing every prefix of these with the roots would take minutes.
    for (const path of [
      '/a'.repeat(30_000),
      `/${'a/../'.repeat(10_000)}a`,
      `${outside}${'/a'.repeat(30_000)}`,
    ])
      expect(await failureOf(engine.files.read(path))).toMatchObject({ kind: 'outside' });
    expect(await failureOf(engine.files.read('a/'.repeat(5000)))).toMatchObject({ why: 'too-deep' });
    const endless = await failureOf(engine.files.read('a/'.repeat(5_000_000)));
    expect(endless).toMatchObject({ kind: 'bad-path', why: 'too-deep' });
    expect(JSON.stringify(endless).length).toBeLessThan(5000);
  });

  it('a path with more missing parents than a tree may have levels is refused, and leaves none of them behind', async () => {
    const { engine } = openWallFixture(kind, TREE);
    expect(await failureOf(engine.files.makeDirectory('new/'.repeat(1200)))).toMatchObject({
      why: 'too-deep',
    });
    expect(await failureOf(engine.files.read('new'))).toMatchObject({ kind: 'not-found' });
  });

  it('the answer about an outside path does not depend on whether it exists', async () => {
    const fixture = openWallFixture(kind, TREE);
    const pairs = [
      ['../outside/secret.txt', '../outside/nothing'],
      [join(fixture.outside, 'secret.txt'), join(fixture.outside, 'nothing')],
      ['../outside/sub/secret.txt', '../outside/secret.txt/x'],
      ['/etc/passwd', '/no/such/thing'],
    ] as const;
    for (const [existing, missing] of pairs) {
      for (const [name, operation] of Object.entries(everyOperation)) {
        const there = await failureOf(operation(fixture.engine, existing));
        const notThere = await failureOf(operation(fixture.engine, missing));
        expect(notThere, name).toEqual({ ...there, path: missing });
        expect(there, name).toEqual({ kind: 'outside', path: existing });
      }
    }
  });

  it('no failure reveals anything that is outside', async () => {
    const fixture = openWallFixture(kind);
    writeFileSync(join(fixture.base, 'secrets.txt'), SECRET);
    const facts = await failureOf(fixture.engine.files.read('../secret.txt'));
    expect(facts).toEqual({ kind: 'outside', path: '../secret.txt' });
  });
});
