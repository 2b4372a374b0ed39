/** Names and depths at their limits: what the system can hold works, and what it cannot hold fails clearly. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { soak } from '../../soak.ts';
import { readBack } from '../../tree.ts';
import {
  everyOperation,
  failureOf,
  openWallFixture,
  replacing,
  type WallKind,
  wallKinds,
} from './wall-fixture.ts';

async function expectToWork(kind: WallKind, name: string): Promise<void> {
  const { engine, root } = openWallFixture(kind, { 'a.txt': 'x' });
  await engine.files.move('a.txt', `${name}/${name}`);
  expect((await engine.files.read(`${name}/./${name}`)).text).toBe('x');
  expect((await engine.files.read(`${root}//${name}/../${name}/${name}`)).text).toBe('x');
  expect((await engine.files.list('.')).map((entry) => entry.name)).toEqual([name]);
  await engine.files.remove(name, { recursive: true });
  expect(readdirSync(root)).toEqual([]);
}

async function expectAllToWork(kind: WallKind, name: string): Promise<void> {
  const { engine, root } = openWallFixture(kind);
  await engine.files.write(name, 'one');
  expect((await engine.files.read(name)).text).toBe('one');
  expect((await engine.files.info(name)).size).toBe(3);
  await engine.files.edit(name, [replacing('one', 'two')]);
  expect((await engine.files.list('.')).map((entry) => entry.name)).toEqual([name]);
  await engine.files.move(name, `d/${name}`);
  await engine.files.move(`d/${name}`, name);
  await engine.files.remove('d');
  expect(readBack(root)).toEqual({ [name]: 'two' });
  await engine.files.remove(name);
  await engine.files.makeDirectory(`${name}/${name}`);
  await engine.files.write(`${name}/${name}/${name}`, 'three');
  expect((await engine.files.tree('.')).children![0]!.children![0]!.children![0]!.name).toBe(name);
  await engine.files.remove(name, { recursive: true });
  expect(readdirSync(root)).toEqual([]);
}

describe.each(wallKinds)('with the %s wall', (kind) => {
  /** The fallback verifies the whole path at each step: its work grows with the square of the depth. */
  const levels = kind === 'strongest' ? 300 : soak(100, 300);

  it.each([
    ['one byte', 'x'.repeat(255)],
    ['two bytes', `${'é'.repeat(127)}x`],
    ['three bytes', '€'.repeat(85)],
  ])('a name of 255 bytes works in every operation, in characters of %s', async (_, name) => {
    await expectAllToWork(kind, name);
  });

  describe('an unusual name works as it is', () => {
    const names: Record<string, string> = {
      'a newline': 'a\nb',
      'a backslash': 'a\\b',
      'a colon and a drive letter': 'C:x',
      'only spaces': '   ',
      'three dots': '...',
      'dots and a space': '.. ',
      'a leading dash': '-rf',
      'a tilde': '~root',
      'percent-encoded dots': '%2e%2e',
      'quotes and dollars': `"'$HOME\``,
      'an emoji': '🧱.txt',
      'composed and decomposed letters': 'e\u0301é',
      'a right-to-left override': 'a\u202etxt.exe',
      __proto__: '__proto__',
      constructor: 'constructor',
    };
    it.each(Object.entries(names))('%s', async (_, name) => {
      await expectToWork(kind, name);
    });
  });

  describe('a name that is too long fails as such', () => {
    const names: Record<string, string> = {
      '256 bytes': 'x'.repeat(256),
      '256 bytes in characters of two': 'é'.repeat(128),
      'a hundred thousand bytes': 'x'.repeat(100_000),
    };
    it.each(Object.entries(names))('%s', async (_, name) => {
      const { engine, root } = openWallFixture(kind, { 'a.txt': 'a' });
      for (const path of [name, `made/on/the/way/${name}`, `${name}/below`]) {
        for (const [what, operation] of Object.entries(everyOperation)) {
          const facts = await failureOf(operation(engine, path));
          const expected = path.startsWith('made') && facts.kind === 'not-found' ? 'not-found' : 'bad-path';
          expect(facts.kind, `${what} ${path.slice(0, 20)}`).toBe(expected);
        }
      }
      expect(await failureOf(engine.files.write(`made/on/the/way/${name}`, 'x'))).toMatchObject({
        kind: 'bad-path',
        why: 'name-too-long',
      });
      expect(readBack(root)).toEqual({ 'a.txt': 'a', 'to-be-moved': 'x' });
    });
  });

  it('a NUL in a path is refused by every operation before anything is touched', async () => {
    const { engine, root } = openWallFixture(kind, { 'a.txt': 'a', 'd/': '' });
    for (const path of ['a.txt\0', '\0', 'a\0.txt', 'd/\0/x', 'new/dir\0/x', `a.txt\0${'x'.repeat(300)}`]) {
      for (const [what, operation] of Object.entries(everyOperation)) {
        const facts = await failureOf(operation(engine, path));
        expect(facts, what).toEqual({ kind: 'bad-path', path, why: 'nul' });
      }
    }
    expect(readBack(root)).toEqual({ 'a.txt': 'a', 'd/': '', 'to-be-moved': 'x' });
  });

  it('an empty path is refused by every operation', async () => {
    const { engine } = openWallFixture(kind);
    for (const operation of Object.values(everyOperation)) {
      expect(await failureOf(operation(engine, ''))).toEqual({ kind: 'bad-path', path: '', why: 'empty' });
    }
  });

  it(`every operation works ${levels} levels deep`, async () => {
    const { engine, root } = openWallFixture(kind);
    const deep = Array.from({ length: levels }, (_, i) => `d${i}`).join('/');
    await engine.files.write(`${deep}/a.txt`, 'one');
    expect((await engine.files.read(`${deep}/a.txt`)).text).toBe('one');
    await engine.files.edit(`${deep}/a.txt`, [replacing('one', 'two')]);
    await engine.files.append(`${deep}/a.txt`, '!');
    await engine.files.makeDirectory(`${deep}/more/and/more`);
    await engine.files.move(`${deep}/a.txt`, `${deep}/more/b.txt`);
    expect((await engine.files.list(`${deep}/more`)).map(({ name }) => name)).toEqual(['and', 'b.txt']);
    expect((await engine.files.info(`${deep}/more/b.txt`)).size).toBe(4);
    expect(
      (await engine.files.read(`${deep}/${'../'.repeat(levels - 1)}d1/d2/../../${deep.slice(3)}/more/b.txt`))
        .text,
    ).toBe('two!');
    let node = await engine.files.tree('.');
    let found = 0;
    while (node.children?.[0]?.type === 'directory') {
      node = node.children[0];
      found++;
    }
    expect(found).toBe(levels + 3);
    await engine.files.remove(`${deep}/more/b.txt`);
    await engine.files.move('d0', 'e0');
    await engine.files.remove('e0', { recursive: true });
    expect(readdirSync(root)).toEqual([]);
  });

  it.runIf(kind === 'strongest')('a path works even if it is longer than the system accepts', async () => {
    const { engine, root } = openWallFixture(kind);
    const path = `${Array(40).fill('y'.repeat(200)).join('/')}/a.txt`;
    expect(path.length).toBeGreaterThan(8000);
    await engine.files.write(path, 'far away');
    expect((await engine.files.read(path)).text).toBe('far away');
    await engine.files.edit(path, [replacing('far', 'very far')]);
    expect((await engine.files.read(`${root}/${path}`)).text).toBe('very far away');
    await engine.files.remove('y'.repeat(200), { recursive: true });
    expect(readdirSync(root)).toEqual([]);
  });

  it('names that are not UTF-8 are listed, and are removed with their tree', async () => {
    const { engine, root } = openWallFixture(kind, { 'd/': '' });
    const raw = Buffer.concat([Buffer.from(`${root}/d/bad-`), Buffer.from([0xff, 0xfe])]);
    writeFileSync(raw, 'x');
    expect((await engine.files.list('d')).map(({ name }) => name)).toEqual(['bad-��']);
    expect(await failureOf(engine.files.read('d/bad-��'))).toMatchObject({ kind: 'not-found' });
    await engine.files.remove('d', { recursive: true });
    expect(existsSync(join(root, 'd'))).toBe(false);
  });

  it.runIf(kind === 'strongest')(
    'directories whose names are not UTF-8 are removed with their tree',
    async () => {
      const { engine, root } = openWallFixture(kind, { 'd/': '' });
      const raw = Buffer.concat([Buffer.from(`${root}/d/`), Buffer.from([0xff])]);
      mkdirSync(raw);
      writeFileSync(Buffer.concat([raw, Buffer.from('/x')]), 'x');
      await engine.files.remove('d', { recursive: true });
      expect(existsSync(join(root, 'd'))).toBe(false);
    },
  );
});
