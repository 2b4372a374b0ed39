/** What the tools leave on disk besides the text: modes, owners, whole files and nothing else. */
import {
  chmodSync,
  chownSync,
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { proves } from '../../proves.ts';
import type { Tree } from '../../tree.ts';
import { openReplayFixture, type ReplayFixture } from './replay-fixture.ts';

let fixture: ReplayFixture | undefined;

function open(tree: Tree): ReplayFixture {
  fixture = openReplayFixture(tree);
  return fixture;
}

afterEach(async () => {
  await fixture?.close();
  fixture = undefined;
});

const modeOf = (path: string) => statSync(path).mode & 0o7777;

describe('a written file', () => {
  // Only root may change a file without write permission.
  const modes = [0o755, 0o600, 0o644, 0o4711, ...(process.getuid?.() === 0 ? [0o444] : [])];
  it.each(modes)('keeps its mode %o', async (mode) => {
    proves('all.write.mode');
    const { root, text } = open({ a: 'one\n' });
    const file = join(root, 'a');
    chmodSync(file, mode);
    await text('edit_file', { path: 'a', edits: [{ oldText: 'one', newText: 'two' }] });
    expect(modeOf(file)).toBe(mode);
    await text('write_file', { path: 'a', content: 'three' });
    expect(modeOf(file)).toBe(mode);
    await text('move_file', { source: 'a', destination: 'd/b' });
    expect(modeOf(join(root, 'd/b'))).toBe(mode);
    expect(readFileSync(join(root, 'd/b'), 'utf8')).toBe('three');
  });

  it.runIf(process.getuid?.() === 0)('keeps its owner and group', async () => {
    proves('all.write.owner');
    const { root, text } = open({ a: 'one\n' });
    const file = join(root, 'a');
    chownSync(file, 1234, 4321);
    await text('edit_file', { path: 'a', edits: [{ oldText: 'one', newText: 'two' }] });
    await text('write_file', { path: 'a', content: 'three' });
    const { uid, gid } = statSync(file);
    expect({ uid, gid }).toEqual({ uid: 1234, gid: 4321 });
  });

  it('has the usual mode when it is new', async () => {
    const { root, text } = open({});
    await text('write_file', { path: 'd/a', content: '' });
    writeFileSync(join(root, 'd/usual'), '');
    mkdirSync(join(root, 'usual'));
    expect(modeOf(join(root, 'd/a'))).toBe(modeOf(join(root, 'd/usual')));
    expect(modeOf(join(root, 'd'))).toBe(modeOf(join(root, 'usual')));
  });

  it('is replaced in one step: a reader that has it open still sees all of the old content', async () => {
    proves('all.write.atomic');
    const { root, text } = open({ a: 'old content\n' });
    const file = join(root, 'a');
    linkSync(file, join(root, 'other-name'));
    for (const change of [
      () => text('write_file', { path: 'a', content: 'new' }),
      () => text('edit_file', { path: 'a', edits: [{ oldText: 'new', newText: 'newer' }] }),
    ]) {
      const before = readFileSync(file, 'utf8');
      const held = openSync(file, 'r');
      await change();
      expect(readFileSync(held, 'utf8')).toBe(before);
      closeSync(held);
    }
    expect(readFileSync(file, 'utf8')).toBe('newer');
    expect(readFileSync(join(root, 'other-name'), 'utf8')).toBe('old content\n');
  });

  it('is not touched by an edit that changes nothing', async () => {
    const { root, text } = open({ a: 'same\n' });
    const { ino, mtimeMs } = statSync(join(root, 'a'));
    await text('edit_file', { path: 'a', edits: [{ oldText: 'same', newText: 'same' }] });
    expect(statSync(join(root, 'a'))).toMatchObject({ ino, mtimeMs });
  });

  it('leaves no other file behind, whether the call succeeds or fails', async () => {
    proves('all.write.no-litter');
    const { root, call } = open({ a: 'one', 'd/': '' });
    await Promise.all([
      call('write_file', { path: 'a', content: 'x' }),
      call('write_file', { path: 'd', content: 'x' }),
      call('write_file', { path: 'a/b', content: 'x' }),
      call('write_file', { path: 'n'.repeat(256), content: 'x' }),
      call('edit_file', { path: 'a', edits: [{ oldText: 'nope' }] }),
      call('edit_file', { path: 'd', edits: [{ oldText: 'nope' }] }),
    ]);
    expect(readdirSync(root)).toEqual(['a', 'd']);
  });

  it('is not damaged by an edit with half of a character', async () => {
    proves('replay.edit_file.whole-characters');
    const { root, failure } = open({ a: '😀\n' });
    for (const oldText of ['\ud83d', '\ude00', '\ude00\n']) {
      for (const caseInsensitive of [false, true]) {
        const edits = [{ oldText, newText: 'x', caseInsensitive }];
        expect((await failure('edit_file', { path: 'a', edits })).code).toBeLessThan(0);
      }
    }
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('😀\n');
  });

  it('has all edits that were sent at once', async () => {
    const marks = Array.from({ length: 20 }, (_, i) => `<${i}>`);
    const { root, text } = open({ a: marks.join('\n') });
    await Promise.all(
      marks.map((mark, i) =>
        text('edit_file', { path: i % 2 ? 'a' : './a', edits: [{ oldText: mark, newText: `[${i}]` }] }),
      ),
    );
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe(marks.map((_, i) => `[${i}]`).join('\n'));
  });
});

describe('get_file_info', () => {
  const at = new Date('2024-02-29T12:34:56.789Z');

  it('shows type, size, time and permissions of a file, in four lines', async () => {
    proves('replay.get_file_info.lines');
    const { root, text } = open({ a: 'grüße' });
    chmodSync(join(root, 'a'), 0o640);
    utimesSync(join(root, 'a'), at, at);
    expect(await text('get_file_info', { path: join(root, 'a') })).toBe(
      'type: file\nsize: 7\nmodified: 2024-02-29T12:34:56.789Z\npermissions: 640',
    );
  });

  it('shows the same for a directory', async () => {
    proves('replay.get_file_info.lines');
    const { root, text } = open({ 'd/x': '' });
    chmodSync(join(root, 'd'), 0o755);
    utimesSync(join(root, 'd'), at, at);
    expect(await text('get_file_info', { path: 'd/' })).toBe(
      `type: directory\nsize: ${statSync(join(root, 'd')).size}\nmodified: 2024-02-29T12:34:56.789Z\npermissions: 755`,
    );
    expect(await text('get_file_info', { path: root })).toMatch(/^type: directory\n/);
  });

  it('writes permissions in octal, with at least three digits', async () => {
    proves('replay.get_file_info.permissions');
    const { root, text } = open({ a: '' });
    for (const [mode, shown] of [
      [0o644, '644'],
      [0o7, '007'],
      [0, '000'],
      [0o4755, '4755'],
    ] as const) {
      chmodSync(join(root, 'a'), mode);
      expect(await text('get_file_info', { path: 'a' })).toMatch(new RegExp(`\npermissions: ${shown}$`));
    }
  });

  it('describes the target of a link inside the root', async () => {
    const { text } = open({ a: 'four', 'd/': '', 'to-a': { link: 'a' }, 'to-d': { link: 'd' } });
    expect(await text('get_file_info', { path: 'to-a' })).toMatch(/^type: file\nsize: 4\n/);
    expect(await text('get_file_info', { path: 'to-d' })).toMatch(/^type: directory\n/);
  });

  it('shows times before 1970 and far in the future', async () => {
    const { root, text } = open({ a: '' });
    for (const time of ['1960-05-04T03:02:01.000Z', '2400-01-01T00:00:00.000Z']) {
      utimesSync(join(root, 'a'), new Date(time), new Date(time));
      const shown = statSync(join(root, 'a')).mtime.toISOString();
      expect(await text('get_file_info', { path: 'a' })).toContain(`\nmodified: ${shown}\n`);
    }
  });
});

describe('what is too large or not a file', () => {
  it('reports a file that does not fit into an answer as too large', async () => {
    proves('replay.read_file.failed');
    const { root, failure, text } = open({ a: '' });
    truncateSync(join(root, 'a'), 64 * 1024 * 1024 + 1);
    const { code, message } = await failure('read_file', { path: 'a' });
    expect(code).toBe(-32603);
    expect(message).toMatch(
      /^Too large to read whole: a has 67108865 bytes, the limit is 8306688 bytes \(8 MiB\)/,
    );
    const edit = await failure('edit_file', { path: 'a', edits: [{ oldText: 'x' }] });
    expect(edit).toMatchObject({ code: -32603, message: expect.stringMatching(/^Too large to edit whole/) });
    expect(await text('read_multiple_files', { paths: ['a'] })).toMatch(
      /^a:\n\[error: Too large to read whole/,
    );
  });

  it('writes nothing if an edit would make a file too large', async () => {
    proves('replay.edit_file.failed');
    const { root, failure } = open({ a: 'x' });
    const file = join(root, 'a');
    truncateSync(file, 64 * 1024 * 1024);
    const edits = [{ oldText: 'x', newText: 'yy' }];
    const { code, message } = await failure('edit_file', { path: 'a', edits });
    expect(code).toBe(-32603);
    expect(message).toMatch(/^Too large to write: a would have 67108865 bytes/);
    expect(statSync(file).size).toBe(64 * 1024 * 1024);
  });

  it('never opens a socket', async () => {
    proves('all.special');
    const { root, failure, text } = open({});
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(root, 's'), resolve));
    const message = expect.stringContaining('a FIFO, socket or device, which is never opened');
    for (const tool of ['read_file', 'get_file_info']) {
      expect(await failure(tool, { path: 's' })).toEqual({ code: -32603, message });
    }
    expect(await failure('write_file', { path: 's', content: '' })).toEqual({ code: -32603, message });
    expect(await text('list_directory', { path: '.' })).toBe('[FILE] s');
    await new Promise((resolve) => server.close(resolve));
  });

  it('searches for a block of many equal lines in reasonable time', async () => {
    const { failure } = open({ a: '}\n'.repeat(200_000) });
    const oldText = `${'  }\n'.repeat(5000)}  x`;
    const edits = [{ oldText }];
    expect(await failure('edit_file', { path: 'a', edits })).toMatchObject({ code: -32603 });
  });

  it('finds a long text in a long file of one letter in reasonable time, with and without case', async () => {
    const { failure } = open({ a: 'a'.repeat(8_000_000) });
    const oldText = `${'a'.repeat(10_000)}b${'a'.repeat(10_000)}`;
    for (const caseInsensitive of [false, true]) {
      const edits = [{ oldText, caseInsensitive }];
      expect(await failure('edit_file', { path: 'a', edits })).toMatchObject({ code: -32603 });
    }
  });
});
