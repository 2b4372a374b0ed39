/** The options of `open`, and what its files do. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type EngineFailure,
  isFailure,
  type OpenOptions,
  open,
  StateProblem,
} from '../../src/library/index.ts';
import { layOut, readBack, temporaryDirectory } from '../tree.ts';

let directory: { path: string; remove(): void };
let home: string;
let app: string;
beforeEach(() => {
  directory = temporaryDirectory();
  home = directory.path;
  app = join(home, 'app');
  layOut(app, {
    'a.txt': 'one\ntwo\n',
    'src/b.ts': 'b\n',
    '.env': 'x',
    '.gitignore': 'out\n',
    'out/c.ts': 'b\n',
  });
});
afterEach(() => directory.remove());

const opened = (options: OpenOptions = {}) => open('~/app', { home, environment: {}, ...options });
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('open', () => {
  it('stores the history in the default state directory, in a named one, or nowhere', async () => {
    for (const [options, keeps] of [
      [{}, ['.local/state/cofferdam']],
      [{ environment: { XDG_STATE_HOME: join(home, 'xdg') } }, ['xdg/cofferdam']],
      [{ history: '~/named' }, ['named']],
      [{ history: false }, []],
    ] as const) {
      const files = await opened(options);
      await files.write('n.txt', 'n');
      expect(await files.history()).toHaveLength(keeps.length);
      await files.close();
      for (const place of keeps) expect(Object.keys(readBack(join(home, place))).length).toBeGreaterThan(0);
    }
  });

  it('refuses directories that cannot be opened, and a history inside an opened directory', async () => {
    expect(await failure(open([], { home, environment: {} }))).toBeInstanceOf(RangeError);
    expect(isFailure(await failure(open('~/missing', { home, environment: {} })), 'not-found')).toBe(true);
    const inside = await failure(opened({ history: '~/app/state' }));
    expect(inside).toBeInstanceOf(StateProblem);
    expect((inside as Error).message).toMatch(/is inside .*\{ history: false \}/);
    const files = await opened({ history: '~/app/state', readOnly: true });
    expect(await files.read('a.txt')).toBe('one\ntwo\n');
    await files.close();
  });

  it('opens several directories, some of them read-only', async () => {
    layOut(home, { 'lib/l.txt': 'l' });
    const files = await open(['~/app', { path: '~/lib', writable: false }], { home, environment: {} });
    expect(await files.read(join(home, 'lib/l.txt'))).toBe('l');
    expect(isFailure(await failure(files.write(join(home, 'lib/l.txt'), '')), 'read-only')).toBe(true);
    await files.close();
  });

  it('closes its files at the end of an `await using` block', async () => {
    let kept: { read(path: string): Promise<string> };
    {
      await using files = await opened();
      kept = files;
    }
    expect(isFailure(await failure(kept.read('a.txt')), 'cancelled')).toBe(true);
  });
});

describe('the files of open', () => {
  it('say why an edit cannot be made, and make none of the other edits', async () => {
    const files = await opened();
    const first = { oldText: 'one', newText: '1' };
    const facts = async (oldText: string, newText: string) =>
      ((await failure(files.edit('a.txt', [first, { oldText, newText }]))) as EngineFailure).facts;
    expect(await facts('three', '3')).toMatchObject({ kind: 'no-match', edit: 2, needle: 'three', near: [] });
    expect(await facts('zwei', 'two')).toMatchObject({ kind: 'no-match', near: [{ line: 2, text: 'two' }] });
    expect(await facts('\n', '')).toMatchObject({ kind: 'not-unique', edit: 2, count: 2, lines: [1, 2] });
    expect(readBack(app)).toMatchObject({ 'a.txt': 'one\ntwo\n' });
    expect(await files.edit('a.txt', { oldText: 'one', newText: 'one' })).toEqual({ diff: '' });
    await files.close();
  });

  it('fail with not-text for a binary file, but can return its bytes', async () => {
    layOut(app, { 'bin.dat': { base64: 'AP8=' } });
    const files = await opened({ readOnly: true });
    expect(isFailure(await failure(files.read('bin.dat')), 'not-text')).toBe(true);
    expect(await files.readBytes('bin.dat')).toEqual(Buffer.from([0, 255]));
    await files.close();
  });

  it('keep the encoding of a file that they write and edit', async () => {
    layOut(app, { 'u.txt': { base64: Buffer.from('\ufeffa\n', 'utf16le').toString('base64') } });
    const files = await opened();
    await files.edit('u.txt', { oldText: 'a', newText: 'b' });
    expect(await files.readBytes('u.txt')).toEqual(Buffer.from('\ufeffb\n', 'utf16le'));
    await files.write('u.txt', 'c\n');
    expect(await files.readBytes('u.txt')).toEqual(Buffer.from('\ufeffc\n', 'utf16le'));
    expect(await files.read('u.txt')).toBe('c\n');
    await files.close();
  });

  it('leave out what ignore files name, unless the program asks for it', async () => {
    const files = await opened({ readOnly: true });
    expect(await files.find('**/*.ts')).toEqual(['src/b.ts']);
    expect(await files.find('**/*.ts', { ignored: true })).toEqual(['out/c.ts', 'src/b.ts']);
    expect(await files.grep('B')).toEqual([]);
    expect(await files.grep(/B/i, { ignored: true, max: 1 })).toEqual([
      { path: 'out/c.ts', line: 1, text: 'b' },
    ]);
    await files.close();
  });

  it('patch all files or none', async () => {
    const files = await opened();
    const add = '--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+new\n';
    const wrong = '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-three\n+3\n';
    expect(isFailure(await failure(files.patch(add + wrong)), 'hunk-mismatch')).toBe(true);
    expect(await files.find('new.txt')).toEqual([]);
    await files.patch(add, { dryRun: true });
    expect(await files.find('new.txt')).toEqual([]);
    await files.patch(add);
    expect(await files.read('new.txt')).toBe('new\n');
    await files.close();
  });
});

it('refuses half of a character in every argument, and writes nothing', async () => {
  const files = await opened();
  try {
    const before = readBack(app);
    const half = 'x\ud83d';
    for (const writing of [
      files.write('a.txt', half),
      files.write(half, 'x'),
      files.edit('a.txt', { oldText: 'two', newText: half }),
      files.patch(`--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+${half}\n`),
      files.move('a.txt', half),
    ]) {
      const error = (await failure(writing)) as EngineFailure;
      expect(isFailure(error, 'bad-arguments')).toBe(true);
      expect(error.message).toContain('it holds half of a character');
    }
    expect(readBack(app)).toEqual(before);
  } finally {
    await files.close();
  }
});
