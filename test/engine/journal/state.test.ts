/** Where the journal is kept: never where the tools could reach it. Without room for it, nothing is changed. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Engine, History, whyNotStateDirectory } from '../../../src/engine/index.ts';
import { Journal } from '../../../src/engine/journal/journal.ts';
import { openDirectoryState } from '../../../src/state/directory/open.ts';
import { program } from '../../client.ts';
import { expectNoMoreHeld, heldBelow } from '../../descriptors.ts';
import { InProcessClient, runInProcess } from '../../in-process.ts';
import { layOut, temporaryDirectory } from '../../tree.ts';
import { openJournalFixture } from './journal-fixture.ts';

const ROOT_USER = process.getuid?.() === 0;

let home: { path: string; remove(): void };
let root: string;
beforeEach(() => {
  home = temporaryDirectory();
  root = join(home.path, 'root');
  layOut(root, { 'a.txt': 'a\n', 'inner/b.txt': 'b\n' });
});
afterEach(() => home.remove());

function start(state: string, ...more: string[]) {
  const args = JSON.stringify({ path: join(root, 'a.txt'), content: 'new' });
  return runInProcess(['call', 'write_file', args, root, '--state', state, ...more], { cwd: home.path });
}

describe('a state directory given with --state', () => {
  test.each<[string, (root: string, home: string) => string, string]>([
    ['inside a root', (inside) => join(inside, 'state'), 'is inside'],
    ['deep inside a root', (inside) => join(inside, 'x/y/z'), 'is inside'],
    ['that is a root', (inside) => inside, 'is inside'],
    ['that holds a root', (_, around) => around, 'holds'],
    [
      'that is a link into a root',
      (inside, around) => {
        symlinkSync(join(inside, 'inner'), join(around, 'link'));
        return join(around, 'link');
      },
      'is inside',
    ],
    [
      'below a link into a root',
      (inside, around) => {
        symlinkSync(join(inside, 'inner'), join(around, 'link'));
        return join(around, 'link/state');
      },
      'is inside',
    ],
    [
      'whose store is a link into a root',
      (inside, around) => {
        mkdirSync(join(around, 'state'));
        symlinkSync(join(inside, 'inner'), join(around, 'state/store'));
        return join(around, 'state');
      },
      'leads into',
    ],
    [
      'that is a file',
      (_, around) => {
        writeFileSync(join(around, 'file'), '');
        return join(around, 'file');
      },
      'not a directory',
    ],
    [
      'below a file',
      (_, around) => {
        writeFileSync(join(around, 'file'), '');
        return join(around, 'file/state');
      },
      'not a directory',
    ],
    [
      'in a file system that makes no directories',
      () => '/proc/nosuch/state',
      '/proc/nosuch/state cannot be used',
    ],
    [
      'that is a link to nowhere',
      (_, around) => {
        symlinkSync('/nowhere/at/all', join(around, 'dangling'));
        return join(around, 'dangling');
      },
      'cannot be used',
    ],
  ])('%s stops the start with a message of one line, and nothing is changed', async (_, place, why) => {
    const { status, stderr } = await start(place(root, home.path));
    expect(stderr).toMatch(new RegExp(`^cofferdam: --state [^\\n]*${why}[^\\n]*\\n$`));
    expect(status).toBe(2);
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('a\n');
    expect(readdirSync(root)).toEqual(['a.txt', 'inner']);
    expect(readdirSync(join(root, 'inner'))).toEqual(['b.txt']);
  });

  test('next to a root is used; a relative path is relative to where the program was started', async () => {
    expect(await start('state')).toMatchObject({ status: 0 });
    expect(readdirSync(join(home.path, 'state'))).toContain('journal');
  });

  test.skipIf(!ROOT_USER)('that belongs to another user is refused (tried by root)', async () => {
    const state = join(home.path, 'theirs');
    mkdirSync(state);
    chownSync(state, 65534, 65534);
    expect(await start(state)).toMatchObject({ status: 2, stderr: expect.stringContaining('another user') });
  });

  test.skipIf(ROOT_USER)('that may not be written to is refused (root may write anywhere)', async () => {
    const state = join(home.path, 'closed');
    mkdirSync(state);
    chmodSync(state, 0o500);
    expect(await start(state)).toMatchObject({ status: 2, stderr: expect.stringContaining('EACCES') });
  });

  test('is accessible only to its owner, whatever the umask', () => {
    const state = join(home.path, 'state');
    const line = `umask 000; exec "$0" "$@"`;
    const write = JSON.stringify({ path: join(root, 'a.txt'), content: 'new' });
    const args = [program, 'call', 'write_file', write, root, '--state', state];
    execFileSync('/bin/sh', ['-c', line, process.execPath, ...args]);
    for (const name of ['', ...readdirSync(state, { recursive: true, encoding: 'utf8' })]) {
      const stat = statSync(join(state, name));
      expect([name, (stat.mode & 0o777).toString(8)]).toEqual([name, stat.isDirectory() ? '700' : '600']);
    }
  });
});

describe('the default state directory', () => {
  const serve = (environment: NodeJS.ProcessEnv) =>
    InProcessClient.start([root], { ...process.env, XDG_STATE_HOME: undefined, ...environment });
  const startLine = async (client: InProcessClient) => {
    while (!/OFF|kept in/.test(client.stderr)) await new Promise((resolve) => setTimeout(resolve, 20));
    return client.stderr;
  };

  test('is not used if it is inside a root; the server says so, and the tools work', async () => {
    const client = await serve({ HOME: root });
    expect(await startLine(client)).toMatch(/OFF: .*is inside/);
    await client.text('write_file', { path: join(root, 'a.txt'), content: 'new' });
    await client.end();
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('new');
    expect(existsSync(join(root, '.local'))).toBe(false);
  });

  test('ignores a relative XDG_STATE_HOME', async () => {
    const client = await serve({ HOME: home.path, XDG_STATE_HOME: 'relative/state' });
    await client.text('write_file', { path: join(root, 'a.txt'), content: 'new' });
    await client.end();
    expect(await new History(join(home.path, '.local/state/cofferdam')).entries()).toHaveLength(1);
  });
});

describe('a running engine', () => {
  test('makes a removed state directory again, and later changes can be undone', async () => {
    const fixture = openJournalFixture({ 'a.txt': 'a' });
    await fixture.engine.files.write('a.txt', 'b');
    await fixture.engine.files.remove('a.txt');
    rmSync(fixture.state, { recursive: true });
    await fixture.engine.files.write('b.txt', 'new');
    await fixture.engine.files.write('b.txt', 'newer');
    await fixture.engine.files.remove('b.txt');
    for (const content of ['newer', 'new', undefined]) {
      await fixture.undo();
      expect(fixture.tree()['b.txt']).toBe(content);
    }
    await fixture.close();
  });

  test('leaves no descriptor open', async () => {
    const fixture = openJournalFixture({ 'a.txt': 'a', 'd/x.txt': 'x' });
    const round = async () => {
      await fixture.engine.files.write('a.txt', `${Math.random()}`);
      await fixture.engine.files.append('a.txt', 'more');
      await fixture.engine.files.remove('d', { recursive: true });
      await fixture.undo();
      await expect(fixture.engine.files.write('d', 'x')).rejects.toThrow();
      await fixture.engine.history.plan((await fixture.newest()).id);
      await fixture.undo();
      await fixture.undo();
    };
    await round();
    const watched = [fixture.root, fixture.state];
    const before = heldBelow(watched);
    for (let n = 0; n < 10; n++) await round();
    await expectNoMoreHeld(before, watched);
    await fixture.close();
  });

  test('does not open with a state directory inside a root', () => {
    expect(() => new Engine({ roots: [{ path: root, writable: true }], journal: join(root, 's') })).toThrow(
      'is inside',
    );
    expect(whyNotStateDirectory(join(home.path, 'state'), [root])).toBeUndefined();
  });
});

const mounted = canMount();

describe.skipIf(!mounted)('on a full disk (tried where a file system may be mounted)', () => {
  test('a change is refused, nothing is lost, and earlier changes can be undone', async () => {
    const state = join(home.path, 'small');
    mkdirSync(state);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k,mode=700', 'tmpfs', state]);
    const engine = new Engine({ roots: [{ path: root, writable: true }], journal: state });
    try {
      await engine.files.write('a.txt', 'changed\n');
      const large = Buffer.from(Array.from({ length: 600_000 }, (_, n) => (n * n * 31 + (n >> 7)) & 255));
      writeFileSync(join(root, 'large.bin'), large);
      const full = { facts: { kind: 'io', code: 'ENOSPC' } };
      await expect(engine.files.write('large.bin', 'small')).rejects.toMatchObject(full);
      await expect(engine.files.remove('large.bin')).rejects.toMatchObject(full);
      await expect(
        engine.files.writeAll([
          { path: 'a.txt', content: 'both\n' },
          { path: 'large.bin', content: 'both\n' },
        ]),
      ).rejects.toMatchObject(full);
      expect(readFileSync(join(root, 'large.bin')).equals(large)).toBe(true);
      expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('changed\n');
      fill(state);
      // The last page of the journal has a little room left.
      let written = 0;
      while (
        await engine.files.write(`deep/er/new${written}.txt`, 'x').then(
          () => true,
          () => false,
        )
      )
        written++;
      await expect(engine.files.write('new.txt', 'x')).rejects.toMatchObject(full);
      await expect(engine.files.write('other/new.txt', 'x')).rejects.toMatchObject(full);
      expect(readdirSync(root).sort()).toEqual([
        'a.txt',
        ...(written > 0 ? ['deep'] : []),
        'inner',
        'large.bin',
      ]);
      rmSync(join(state, 'filler'));
      for (const { id } of await engine.history.entries()) {
        expect(await engine.history.undo(id)).toMatchObject({ done: true });
      }
      expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('a\n');
      expect(readFileSync(join(root, 'large.bin')).equals(large)).toBe(true);
      expect(readdirSync(root).sort()).toEqual(['a.txt', 'inner', 'large.bin']);
    } finally {
      await engine.close();
      execFileSync('umount', ['-l', state]);
    }
  });
});

test('a change is refused when the flush fails', async () => {
  const journal = new Journal(openDirectoryState(join(home.path, 'state')));
  journal.log.flush = () => Promise.reject(Object.assign(new Error('broken disk'), { code: 'EIO' }));
  const { Wall } = await import('../../../src/engine/confine/wall.ts');
  const wall = new Wall([{ path: root, writable: true }]);
  const place = wall.resolve('a.txt');
  const recorder = journal.begin({});
  await expect(recorder.removes(place, place.lstat()!)).rejects.toMatchObject({
    facts: { kind: 'io', code: 'EIO' },
  });
  recorder.end('failed');
  expect((await journal.read()).entries).toEqual([]);
  place.close();
  wall.close();
  await journal.close();
});

function fill(directory: string): void {
  try {
    for (let n = 1; ; n++) writeFileSync(join(directory, 'filler'), Buffer.alloc(n * 1024, 1));
  } catch {}
}

function canMount(): boolean {
  if (!ROOT_USER || process.platform !== 'linux') return false;
  const at = temporaryDirectory();
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', at.path]);
  if (status === 0) spawnSync('umount', [at.path]);
  at.remove();
  return status === 0;
}
