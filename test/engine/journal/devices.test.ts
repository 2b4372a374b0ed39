/** The directory is on one file system and the journal on another: nothing can be set aside, everything is copied. */
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Engine } from '../../../src/engine/index.ts';
import { soak } from '../../soak.ts';
import { type JournalFixture, openJournalFixture, otherFileSystem } from './journal-fixture.ts';

const TREE = {
  'a.txt': 'a\n',
  'b.txt': 'b\n',
  'bin.dat': { base64: '/wD+' },
  'd/x.txt': 'x\n',
  'd/deep/y.txt': 'y\n',
  'd/deep/none/': '',
  'd/link': { link: 'deep/y.txt' },
  'd/dangling': { link: '/nowhere' },
  'd/run.sh': { text: '#!/bin/sh\n', mode: '755' },
  'empty/': '',
} as const;

const MODES = {
  d: 0o711,
  // Only root may remove what is in a directory that nobody may write to.
  'd/deep': process.getuid?.() === 0 ? 0o555 : 0o755,
  'd/deep/none': 0o777,
  'd/run.sh': 0o755,
  empty: 0o707,
  'a.txt': 0o640,
};

let fixture: JournalFixture;
afterEach(async () => {
  for (const path of ['d/deep', 'lib/deep']) {
    if (existsSync(join(fixture.root, path))) chmodSync(join(fixture.root, path), 0o755);
  }
  await fixture.close();
});

const modes = () =>
  Object.fromEntries(
    Object.keys(MODES)
      .filter((path) => existsSync(join(fixture.root, path)))
      .map((path) => [path, statSync(join(fixture.root, path)).mode & 0o777]),
  );

const OPERATIONS: Record<string, (engine: Engine) => Promise<unknown>> = {
  'a file that is overwritten': (engine) => engine.files.write('a.txt', 'other\n'),
  'a file that is deleted': (engine) => engine.files.remove('a.txt'),
  'a link that is deleted': (engine) => engine.files.remove('d/link'),
  'a binary file that is deleted': (engine) => engine.files.remove('bin.dat'),
  'a file that is moved over': (engine) => engine.files.move('b.txt', 'a.txt', { overwrite: true }),
  'an empty directory that is deleted': (engine) => engine.files.remove('empty'),
  'an empty directory that is moved over': (engine) => engine.files.move('d', 'empty', { overwrite: true }),
  'a directory that is moved': (engine) => engine.files.move('d', 'lib'),
};

describe.runIf(otherFileSystem)('with the journal on another file system', () => {
  const open = () => {
    fixture = openJournalFixture(TREE, { under: otherFileSystem! });
    for (const [path, mode] of Object.entries(MODES)) chmodSync(join(fixture.root, path), mode);
  };

  const backAndForth = async (operation: (engine: Engine) => Promise<unknown>) => {
    const before = { tree: fixture.tree(), modes: modes() };
    await operation(fixture.engine);
    const after = { tree: fixture.tree(), modes: modes() };
    expect(after.tree).not.toEqual(before.tree);
    const entry = await fixture.newest();
    for (let round = 0; round < 2; round++) {
      await fixture.undo(entry);
      expect({ tree: fixture.tree(), modes: modes() }).toEqual(before);
      const undoing = (await fixture.entries()).find(
        ({ undoes, state }) => undoes === entry.id && state !== 'undone',
      )!;
      await fixture.undo(undoing);
      expect({ tree: fixture.tree(), modes: modes() }).toEqual(after);
    }
  };

  test.each(Object.entries(OPERATIONS))('undo restores %s, and redo does it again', async (_, operation) => {
    open();
    await backAndForth(operation);
  });

  test('undo restores a deleted tree with its links, empty directories and modes; redo deletes it', async () => {
    open();
    await backAndForth((engine) => engine.files.remove('d', { recursive: true }));
  });

  test('a large file is stored compressed, and restored byte for byte in bounded memory', async () => {
    open();
    const large = join(fixture.root, 'd/large.bin');
    const bytes = Buffer.alloc(soak(10, 80) * 1024 ** 2);
    bytes.write('somewhere in the middle', bytes.length / 2 + 1000);
    writeFileSync(large, bytes);
    await fixture.engine.files.write('d/large.bin', 'small\n');
    await fixture.undo();
    expect(readFileSync(large).equals(bytes)).toBe(true);
    await fixture.undo(await fixture.newest());
    expect(readFileSync(large, 'utf8')).toBe('small\n');
    await fixture.undo();
    await fixture.engine.files.remove('d', { recursive: true });
    await fixture.undo();
    expect(readFileSync(large).equals(bytes)).toBe(true);
  });

  test('a sparse file is still sparse after it is restored', async () => {
    open();
    const sparse = join(fixture.root, 'sparse.bin');
    writeFileSync(sparse, 'beginning');
    const size = soak(80, 400) * 1024 ** 2;
    truncateSync(sparse, size);
    const before = process.memoryUsage().arrayBuffers;
    await fixture.engine.files.remove('sparse.bin');
    await fixture.undo();
    // Some unused buffers may not be freed yet, but not as many as would hold a file of this size.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(soak(size, size / 2));
    expect(statSync(sparse)).toMatchObject({ size });
    expect(statSync(sparse).blocks * 512).toBeLessThan(size * 0.16);
  });

  test('a link is restored as it was, even if its target is not valid UTF-8', async () => {
    open();
    const target = Buffer.from('x\xe9y', 'latin1');
    const link = join(fixture.root, 'd/latin');
    symlinkSync(target, link);
    for (const operation of [
      () => fixture.engine.files.remove('d', { recursive: true }),
      () => fixture.engine.files.remove('d/latin'),
      () => fixture.engine.files.move('b.txt', 'd/latin', { overwrite: true }),
    ]) {
      await operation();
      await fixture.undo();
      expect(readlinkSync(link, { encoding: 'latin1' })).toBe('x\xe9y');
    }
  });

  test('entries whose names are not valid UTF-8 are restored under the same bytes', async () => {
    open();
    const below = (...bytes: number[]) =>
      Buffer.concat([Buffer.from(`${join(fixture.root, 'd')}/`), Buffer.from([0x66, 0xff, ...bytes])]);
    mkdirSync(below());
    // Two names that look the same when decoded.
    const files = [below(0x2f, 0xfe), below(0x2f, 0xfd)];
    for (const [n, file] of files.entries()) writeFileSync(file, `content ${n}\n`);
    symlinkSync('x.txt', below(0x31));
    for (let round = 0; round < 2; round++) {
      await fixture.engine.files.remove('d', { recursive: true });
      expect(existsSync(below())).toBe(false);
      await fixture.undo();
      expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(['content 0\n', 'content 1\n']);
      expect(readlinkSync(below(0x31))).toBe('x.txt');
    }
  });

  test('two hard links to one file are restored as two files with the same content', async () => {
    open();
    linkSync(join(fixture.root, 'd/x.txt'), join(fixture.root, 'd/second.txt'));
    await fixture.engine.files.remove('d', { recursive: true });
    await fixture.undo();
    expect(fixture.tree()['d/second.txt']).toBe('x\n');
  });

  test('a deleted tree is not mixed with a tree that another program made in its place', async () => {
    open();
    await fixture.engine.files.remove('d', { recursive: true });
    mkdirSync(join(fixture.root, 'd'));
    writeFileSync(join(fixture.root, 'd/x.txt'), 'theirs\n');
    const outcome = await fixture.engine.history.undo((await fixture.newest()).id);
    expect(outcome).toMatchObject({ done: false, obstacles: [{ forceable: true }] });
    expect(fixture.tree()['d/x.txt']).toBe('theirs\n');
  });
});
