/** Large files are kept without being read where that is possible, and restored byte for byte. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { program } from '../../client.ts';
import { temporaryDirectory } from '../../tree.ts';
import { type JournalFixture, openJournalFixture } from './journal-fixture.ts';

const MB = 1024 * 1024;
let fixture: JournalFixture;
afterEach(() => fixture.close());

const at = (path: string) => join(fixture.root, path);

/** Writes a sparse file with marks at some offsets. */
function layLarge(path: string, size: number): void {
  writeFileSync(path, '');
  truncateSync(path, size);
  const fd = openSync(path, 'r+');
  for (const [offset, mark] of marks(size)) writeSync(fd, mark, offset);
  closeSync(fd);
}

function marks(size: number): [number, string][] {
  return [0, 5 * MB + 17, Math.floor(size / 2), size - 20].map((offset) => [offset, `mark at ${offset}`]);
}

function expectLarge(path: string, size: number): void {
  expect(statSync(path).size).toBe(size);
  const fd = openSync(path, 'r');
  for (const [offset, mark] of marks(size)) {
    const bytes = Buffer.alloc(mark.length);
    readSync(fd, bytes, 0, mark.length, offset);
    expect(bytes.toString()).toBe(mark);
  }
  closeSync(fd);
}

/** The size of the content store: a file that was only linked adds nothing. */
function storedBytes(): number {
  const store = join(fixture.state, 'store');
  if (!existsSync(store)) return 0;
  const names = readdirSync(store, { recursive: true, encoding: 'utf8' });
  return names.reduce((sum, name) => sum + statSync(join(store, name)).size, 0);
}

describe('a file of 200 MB', () => {
  test.each<[string, (fixture: JournalFixture) => Promise<unknown>]>([
    ['overwritten', ({ engine }) => engine.files.write('large.bin', 'small\n')],
    ['moved over', ({ engine }) => engine.files.move('small.txt', 'large.bin', { overwrite: true })],
    ['deleted', ({ engine }) => engine.files.remove('large.bin')],
  ])('that is %s can be restored again and again, without being read', async (_, change) => {
    fixture = openJournalFixture({ 'small.txt': 'small\n' });
    layLarge(at('large.bin'), 200 * MB);
    const { ino } = statSync(at('large.bin'));
    await change(fixture);
    const entry = await fixture.newest();
    for (let round = 0; round < 2; round++) {
      await fixture.undo(entry);
      expectLarge(at('large.bin'), 200 * MB);
      expect(statSync(at('large.bin')).ino).toBe(ino);
      expect(readFileSync(at('small.txt'), 'utf8')).toBe('small\n');
      const undoing = (await fixture.entries()).find(
        ({ undoes, state }) => undoes === entry.id && state !== 'undone',
      )!;
      await fixture.undo(undoing);
      expect(existsSync(at('large.bin')) && statSync(at('large.bin')).size > 100).toBe(false);
    }
    expect(storedBytes()).toBeLessThan(MB);
  });

  test('is not replaced without force if it changed after it was restored', async () => {
    fixture = openJournalFixture({});
    layLarge(at('large.bin'), 200 * MB);
    await fixture.engine.files.write('large.bin', 'small\n');
    await fixture.undo();
    const fd = openSync(at('large.bin'), 'r+');
    writeSync(fd, 'theirs', 100);
    closeSync(fd);
    const outcome = await fixture.engine.history.undo((await fixture.newest()).id);
    expect(outcome).toMatchObject({ done: false, obstacles: [{ forceable: true }] });
  });

  test('with a second hard link is restored even if it was changed through the other name', async () => {
    fixture = openJournalFixture({});
    layLarge(at('large.bin'), 20 * MB);
    linkSync(at('large.bin'), at('second.bin'));
    await fixture.engine.files.write('large.bin', 'small\n');
    const fd = openSync(at('second.bin'), 'r+');
    writeSync(fd, 'changed through its other name', 0);
    closeSync(fd);
    await fixture.undo();
    expectLarge(at('large.bin'), 20 * MB);
  });

  test('loses nothing of what a program still writes to it', async () => {
    fixture = openJournalFixture({});
    layLarge(at('log.bin'), 20 * MB);
    const fd = openSync(at('log.bin'), 'a');
    await fixture.engine.files.remove('log.bin');
    writeSync(fd, 'and one line more');
    await fixture.undo();
    writeSync(fd, ', and another');
    closeSync(fd);
    const text = readFileSync(at('log.bin'))
      .subarray(20 * MB)
      .toString();
    expect(text).toBe('and one line more, and another');
  });
});

test('a file of 3 GB is deleted and restored', async () => {
  fixture = openJournalFixture({}, { keep: { days: 30, bytes: 4 * 1024 * MB } });
  layLarge(at('huge.bin'), 3 * 1024 * MB);
  await fixture.engine.files.remove('huge.bin');
  await fixture.undo();
  expectLarge(at('huge.bin'), 3 * 1024 * MB);
});

describe.skipIf(process.getuid?.() !== 0)(
  'for a user who may not read a file (tried by root as another user)',
  () => {
    const NOBODY = 65534;

    test('it can still be overwritten, deleted and restored', () => {
      fixture = openJournalFixture({ 'write-only.txt': 'secret one\n', 'nothing.txt': 'secret two\n' });
      const home = temporaryDirectory();
      const copied = join(home.path, 'dist');
      cpSync(dirname(program), copied, { recursive: true });
      copyFileSync(join(dirname(program), '../package.json'), join(home.path, 'package.json'));
      chmodSync(home.path, 0o755);
      const state = join(home.path, 'state');
      for (const path of [fixture.root, home.path, at('write-only.txt'), at('nothing.txt')])
        chownSync(path, NOBODY, NOBODY);
      chmodSync(at('write-only.txt'), 0o200);
      chmodSync(at('nothing.txt'), 0);
      const run = (...args: string[]) => {
        const command = [join(copied, 'cofferdam.cjs'), ...args, '--state', state];
        const as = { uid: NOBODY, gid: NOBODY };
        return spawnSync(process.execPath, command, { ...as, encoding: 'utf8' });
      };
      const change = (tool: string, args: object) =>
        expect(run('call', '--dialect', 'replay', tool, JSON.stringify(args), fixture.root)).toMatchObject({
          status: 0,
        });
      change('write_file', { path: at('write-only.txt'), content: 'new\n' });
      change('delete_file', { path: at('nothing.txt') });
      expect(readFileSync(at('write-only.txt'), 'utf8')).toBe('new\n');
      expect(run('undo')).toMatchObject({ status: 0 });
      expect(run('undo')).toMatchObject({ status: 1, stderr: expect.stringContaining('cannot be read') });
      expect(run('undo', '--force')).toMatchObject({ status: 0 });
      expect(readFileSync(at('write-only.txt'), 'utf8')).toBe('secret one\n');
      expect(statSync(at('write-only.txt')).mode & 0o777).toBe(0o200);
      expect(readFileSync(at('nothing.txt'), 'utf8')).toBe('secret two\n');
      expect(statSync(at('nothing.txt')).mode & 0o777).toBe(0);
      home.remove();
    });
  },
);
