/** Writes are all or nothing, and leave the mode, the owner and everything else about a file as it was. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { program, type Reply, WireClient } from '../../client.ts';
import { readBack, temporaryDirectory } from '../../tree.ts';
import { failureOf, openWallFixture, replacing, wallKinds } from '../confine/wall-fixture.ts';

const isSystemAdministrator = process.getuid?.() === 0;
const SOMEBODY = 1234;

/** Whether another user can run the program at all: not if the sources are in a private home directory. */
const canBeSomebody =
  isSystemAdministrator &&
  spawnSync(process.execPath, [program, '--version'], { uid: SOMEBODY, gid: SOMEBODY }).status === 0;

/** A client of a server that an unprivileged user runs. */
class ClientOfSomebody extends WireClient {
  readonly #closed: Promise<unknown>;

  constructor(root: string) {
    // Without a journal, because the state directory would belong to another user.
    const args = [program, '--dialect', 'replay', '--no-journal', root];
    const child = spawn(process.execPath, args, {
      uid: SOMEBODY,
      gid: SOMEBODY,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    super(child.stdin, child.stdout);
    this.#closed = once(child, 'close').then(() => this.disconnected('the server ended'));
  }

  async end(): Promise<void> {
    this.stdin.end();
    await this.#closed;
  }
}

describe.each(wallKinds)('with the %s wall', (kind) => {
  describe('a write that fails changes nothing and leaves no directories behind', () => {
    const tree = { 'a.txt': 'a', 'd/b.txt': 'b' };

    it.each([
      ['below a file', 'a.txt/new/x.txt', 'not-a-directory'],
      ['to a directory', 'd', 'not-a-file'],
      ['to the root', '.', 'not-a-file'],
      ['with a name that is too long', `new/deeper/${'x'.repeat(256)}`, 'bad-path'],
      ['to a path that finally leads outside', 'new/../../outside/x', 'outside'],
    ])('for a write %s', async (_, path, failure) => {
      const fixture = openWallFixture(kind, tree);
      expect(await failureOf(fixture.engine.files.write(path, 'x'))).toMatchObject({ kind: failure });
      expect(readBack(fixture.root)).toEqual(tree);
      fixture.expectOutsideUntouched();
    });

    it('if it was cancelled before it began', async () => {
      const { engine, root } = openWallFixture(kind, tree);
      const signal = AbortSignal.abort();
      expect(await failureOf(engine.files.write('new/deeper/x.txt', 'x', { signal }))).toEqual({
        kind: 'cancelled',
      });
      expect(await failureOf(engine.files.edit('a.txt', [replacing('a', 'b')], { signal }))).toEqual({
        kind: 'cancelled',
      });
      expect(await failureOf(engine.files.remove('d', { recursive: true, signal }))).toEqual({
        kind: 'cancelled',
      });
      expect(await failureOf(engine.files.move('a.txt', 'new/a.txt', { signal }))).toEqual({
        kind: 'cancelled',
      });
      expect(await failureOf(engine.files.makeDirectory('new/d', { signal }))).toEqual({ kind: 'cancelled' });
      expect(readBack(root)).toEqual(tree);
    });

    it('if it is cancelled while it runs', async () => {
      const { engine, root } = openWallFixture(kind, tree);
      const content = Buffer.alloc(48 * 1024 * 1024, 'x');
      for (const path of ['a.txt', 'new/deeper/x.txt']) {
        const cancelling = new AbortController();
        const write = failureOf(engine.files.write(path, content, { signal: cancelling.signal }));
        await new Promise((resolve) => setImmediate(resolve));
        cancelling.abort();
        expect(await write).toEqual({ kind: 'cancelled' });
        expect(readBack(root)).toEqual(tree);
      }
    });

    it('if the new text would be too large', async () => {
      const { engine, root } = openWallFixture(kind, tree);
      const edit = engine.files.edit('a.txt', [replacing('a', 'x'.repeat(100))], { limit: 50 });
      expect(await failureOf(edit)).toMatchObject({ kind: 'too-large', size: 100, limit: 50 });
      expect(await failureOf(engine.files.write('n/x', 'x'.repeat(100), { limit: 50 }))).toMatchObject({
        kind: 'too-large',
      });
      expect(readBack(root)).toEqual(tree);
    });
  });

  describe('a move that fails changes nothing and leaves no directories behind', () => {
    const tree = { 'a.txt': 'a', 'd/e/b.txt': 'b', 'c.txt': 'c' };

    it.each([
      ['of something missing', 'nothing', 'new/deeper/x', 'not-found'],
      ['onto a file', 'a.txt', 'c.txt', 'exists'],
      ['onto a directory', 'a.txt', 'd', 'exists'],
      ['of a directory onto a file', 'd', 'a.txt', 'exists'],
      ['onto itself', 'a.txt', './a.txt', 'exists'],
      ['of a directory into itself', 'd', 'd/new/deeper', 'into-itself'],
      ['below a file', 'a.txt', 'c.txt/x/y', 'not-a-directory'],
      ['to the outside', 'a.txt', '../outside/a.txt', 'outside'],
      ['to the root', 'a.txt', '.', 'exists'],
    ])('for a move %s', async (_, from, to, failure) => {
      const fixture = openWallFixture(kind, tree);
      expect(await failureOf(fixture.engine.files.move(from, to))).toMatchObject({ kind: failure });
      expect(readBack(fixture.root)).toEqual(tree);
      fixture.expectOutsideUntouched();
    });
  });

  it('a move of a directory takes everything along, and creates the parent directories', async () => {
    const { engine, root } = openWallFixture(kind, {
      'd/e/b.txt': 'b',
      'd/l': { link: 'e/b.txt' },
      'd/f/': '',
    });
    await engine.files.move('d', 'x/y/d');
    expect(readBack(root)).toEqual({ 'x/y/d/e/b.txt': 'b', 'x/y/d/l': { link: 'e/b.txt' }, 'x/y/d/f/': '' });
  });

  describe('a file', () => {
    it.each([0o600, 0o640, 0o644, 0o755, 0o444, 0o1666])('keeps its mode %o', async (mode) => {
      const { engine, root } = openWallFixture(kind, { 'a.txt': 'one' });
      const path = join(root, 'a.txt');
      const now = () => statSync(path).mode & 0o7777;
      chmodSync(path, mode);
      const writable = isSystemAdministrator || (mode & 0o200) !== 0;
      for (const change of [
        () => engine.files.write('a.txt', 'one'),
        () => engine.files.edit('a.txt', [replacing('one', 'two')]),
        () => engine.files.append('a.txt', '!'),
      ]) {
        if (writable) await change();
        else expect(await failureOf(change())).toMatchObject({ kind: 'permission' });
        expect(now()).toBe(mode);
      }
      await engine.files.move('a.txt', 'b.txt');
      expect(statSync(join(root, 'b.txt')).mode & 0o7777).toBe(mode);
    });

    it.runIf(isSystemAdministrator)('keeps its owner and group', async () => {
      const { engine, root } = openWallFixture(kind, { 'a.txt': 'one' });
      const path = join(root, 'a.txt');
      chmodSync(path, 0o4711);
      chownSync(path, SOMEBODY, 4321);
      chmodSync(path, 0o4711);
      await engine.files.edit('a.txt', [replacing('one', 'two')]);
      await engine.files.write('a.txt', 'three');
      const { uid, gid, mode } = statSync(path);
      expect([uid, gid, mode & 0o7777]).toEqual([SOMEBODY, 4321, 0o4711]);
    });

    it('gets the mode that the umask allows if it is new', async () => {
      const { engine, root } = openWallFixture(kind);
      const before = process.umask(0o027);
      try {
        await engine.files.write('d/a.txt', 'x');
      } finally {
        process.umask(before);
      }
      expect(statSync(join(root, 'd/a.txt')).mode & 0o777).toBe(0o640);
      expect(statSync(join(root, 'd')).mode & 0o777).toBe(0o750);
    });

    it('is not touched by an edit that changes nothing', async () => {
      const { engine, root } = openWallFixture(kind, { 'a.txt': 'one' });
      const before = statSync(join(root, 'a.txt'));
      await engine.files.edit('a.txt', [replacing('one', 'one')]);
      const after = statSync(join(root, 'a.txt'));
      expect([after.ino, after.mtimeMs, after.ctimeMs]).toEqual([before.ino, before.mtimeMs, before.ctimeMs]);
    });
  });

  it('readers see the old content or the new one, never anything between', async () => {
    const { engine, root } = openWallFixture(kind, { 'a.txt': 'old'.repeat(200_000) });
    const whole = new Set(['old'.repeat(200_000), 'new'.repeat(200_000)]);
    let writing = true;
    const writes = (async () => {
      for (let i = 0; i < 15; i++) await engine.files.write('a.txt', (i % 2 ? 'old' : 'new').repeat(200_000));
      writing = false;
    })();
    let reads = 0;
    while (writing) {
      expect(whole.has(readFileSync(join(root, 'a.txt'), 'utf8'))).toBe(true);
      reads++;
      await new Promise((resolve) => setImmediate(resolve));
    }
    await writes;
    expect(reads).toBeGreaterThan(15);
    expect(readdirSync(root)).toEqual(['a.txt']);
  });

  it('a tree is removed only if all of it can be removed', async () => {
    const { engine, root } = openWallFixture(
      kind,
      { 'd/a.txt': 'a', 'd/z/inner/b.txt': 'b' },
      { roots: ['work', 'work/d/z/inner'] },
    );
    const before = readBack(root);
    expect(await failureOf(engine.files.remove('d', { recursive: true }))).toMatchObject({ kind: 'is-root' });
    expect(await failureOf(engine.files.remove('d'))).toMatchObject({
      kind: expect.stringMatching(/is-root|not-empty/),
    });
    expect(readBack(root)).toEqual(before);
  });
});

describe.runIf(canBeSomebody)('as a user without special rights', () => {
  type Call = (tool: string, args: object) => Promise<Reply>;

  /** Makes a directory of the unprivileged user, and passes it to a test with the calls of that user's server. */
  async function inDirectoryOfSomebody(test: (path: string, call: Call) => Promise<void>): Promise<void> {
    const directory = temporaryDirectory();
    let server: ClientOfSomebody | undefined;
    try {
      chmodSync(directory.path, 0o755);
      mkdirSync(join(directory.path, 'mine'));
      writeFileSync(join(directory.path, 'mine/a.txt'), 'one');
      chownSync(join(directory.path, 'mine'), SOMEBODY, SOMEBODY);
      chownSync(join(directory.path, 'mine/a.txt'), SOMEBODY, SOMEBODY);
      const root = join(directory.path, 'mine');
      await test(root, async (tool, args) => {
        if (server === undefined) {
          server = new ClientOfSomebody(root);
          await server.initialize();
        }
        return server.call(tool, args);
      });
    } finally {
      await server?.end();
      directory.remove();
    }
  }
  const edits = [{ oldText: 'one', newText: 'two' }];

  it('a file can be written where that is allowed', () =>
    inDirectoryOfSomebody(async (root, call) => {
      const { result } = await call('edit_file', { path: 'a.txt', edits });
      expect(result?.content).toEqual([{ type: 'text', text: 'Successfully edited a.txt' }]);
      expect(readBack(root)).toEqual({ 'a.txt': 'two' });
    }));

  it('a read-only file is not replaced, although its directory would allow it', () =>
    inDirectoryOfSomebody(async (root, call) => {
      chmodSync(join(root, 'a.txt'), 0o444);
      for (const [tool, args] of [
        ['write_file', { path: 'a.txt', content: 'two' }],
        ['edit_file', { path: 'a.txt', edits }],
      ] as const) {
        const { error } = await call(tool, args);
        expect(error).toMatchObject({ code: -32603, message: 'Permission denied: cannot write a.txt' });
      }
      expect(readBack(root)).toEqual({ 'a.txt': 'one' });
      expect(statSync(join(root, 'a.txt')).mode & 0o777).toBe(0o444);
    }));

  it('a read-only directory accepts nothing new and keeps what it has', () =>
    inDirectoryOfSomebody(async (root, call) => {
      chmodSync(root, 0o555);
      for (const [tool, args] of [
        ['write_file', { path: 'new.txt', content: 'x' }],
        ['write_file', { path: 'd/e/new.txt', content: 'x' }],
        ['write_file', { path: 'a.txt', content: 'x' }],
        ['create_directory', { path: 'd' }],
        ['delete_file', { path: 'a.txt' }],
        ['move_file', { source: 'a.txt', destination: 'b.txt' }],
      ] as const) {
        const { error } = await call(tool, args);
        expect(error?.code, tool).toBe(-32603);
        expect(error?.message, tool).toMatch(/^Permission denied: cannot \w+ \S+$/);
      }
      expect(readBack(root)).toEqual({ 'a.txt': 'one' });
    }));

  it('a tree with a part that cannot be removed is left whole', () =>
    inDirectoryOfSomebody(async (root, call) => {
      mkdirSync(join(root, 'd/z'), { recursive: true });
      writeFileSync(join(root, 'd/a.txt'), 'a');
      writeFileSync(join(root, 'd/z/b.txt'), 'b');
      chownSync(join(root, 'd'), SOMEBODY, SOMEBODY);
      const { error } = await call('delete_file', { path: 'd' });
      expect(error?.message).toContain('Permission denied');
      expect(readBack(root)).toEqual({ 'a.txt': 'one', 'd/a.txt': 'a', 'd/z/b.txt': 'b' });
    }));

  it('a directory can be written to even if it may not be listed', () =>
    inDirectoryOfSomebody(async (root, call) => {
      mkdirSync(join(root, 'box'));
      chownSync(join(root, 'box'), SOMEBODY, SOMEBODY);
      chmodSync(join(root, 'box'), 0o300);
      const { error, result } = await call('write_file', { path: 'box/a.txt', content: 'dropped' });
      expect([error, result?.isError]).toEqual([undefined, undefined]);
      expect(readFileSync(join(root, 'box/a.txt'), 'utf8')).toBe('dropped');
    }));

  it("somebody else's file is refused rather than taken over", () =>
    inDirectoryOfSomebody(async (root, call) => {
      chmodSync(join(root, 'a.txt'), 0o666);
      chownSync(join(root, 'a.txt'), 0, 0);
      const { error } = await call('write_file', { path: 'a.txt', content: 'two' });
      expect(error).toMatchObject({ code: -32603, message: 'Permission denied: cannot write a.txt' });
      const { uid, mode } = statSync(join(root, 'a.txt'));
      expect([uid, mode & 0o777]).toEqual([0, 0o666]);
      expect(readBack(root)).toEqual({ 'a.txt': 'one' });
    }));

  it('a file or directory that may not be read is reported as such', () =>
    inDirectoryOfSomebody(async (root, call) => {
      chmodSync(join(root, 'a.txt'), 0o200);
      mkdirSync(join(root, 'closed'), { mode: 0o700 });
      symlinkSync('closed/x', join(root, 'way-in'));
      expect(existsSync(join(root, 'closed'))).toBe(true);
      for (const [tool, path] of [
        ['read_file', 'a.txt'],
        ['list_directory', 'closed'],
        ['read_file', 'closed/x'],
        ['read_file', 'way-in'],
      ] as const) {
        const { error } = await call(tool, { path });
        expect(error?.message, path).toContain('Permission denied');
      }
    }));
});
