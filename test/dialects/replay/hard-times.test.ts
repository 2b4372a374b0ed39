/** replay when things go wrong: runaway patterns, swapped directories, sudden death. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limits } from '../../../src/engine/limits.ts';
import { RawClient } from '../../client.ts';
import { InProcessClient } from '../../in-process.ts';
import { proves } from '../../proves.ts';
import { soak } from '../../soak.ts';
import { layOut, readBack, type Tree, temporaryDirectory } from '../../tree.ts';

let temporary: { path: string; remove(): void };
let root: string;
const clients: { end(): Promise<unknown> }[] = [];

beforeEach(() => {
  temporary = temporaryDirectory();
  root = join(temporary.path, 'root');
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.end()));
  temporary.remove();
});

async function serve(tree: Tree): Promise<InProcessClient> {
  layOut(root, { './': '', ...tree });
  const client = await InProcessClient.start(['--dialect', 'replay', root]);
  clients.push(client);
  return client;
}

/** Starts a server in a process of its own, which can be killed. */
async function serveApart(tree: Tree): Promise<RawClient> {
  layOut(root, { './': '', ...tree });
  const client = await RawClient.start(['--dialect', 'replay', root]);
  clients.push(client);
  return client;
}

describe('a runaway pattern', () => {
  const hostile = `${'a'.repeat(50)}!\n`;
  const tree = { 'evil.txt': hostile, 'evil-crlf.txt': `x\r\n${hostile}`, 'd/b.txt': 'b1\n' };
  const runaway = (path: string, dryRun: boolean) => {
    const edits = [{ oldText: '^(a+)+$', newText: 'x', isRegex: true }];
    return { name: 'edit_file', arguments: { path, edits, dryRun } };
  };
  const regexTimeoutMs = limits.regexTimeoutMs;
  const cutOffAfter = (ms: number) => Object.assign(limits, { regexTimeoutMs: ms });
  afterEach(() => cutOffAfter(regexTimeoutMs));

  it('delays no other call', async () => {
    const client = await serve(tree);
    // Longer than any of the calls below waits for the runaway patterns.
    cutOffAfter(3_600_000);
    let ended = 0;
    const begin = (id: string, params: object) => {
      void client.replyTo(id).then(
        () => ended++,
        () => {},
      );
      client.send({ jsonrpc: '2.0', id, method: 'tools/call', params });
    };
    begin('one', runaway('evil.txt', true));
    begin('two', runaway('evil-crlf.txt', false));

    const edits = [{ oldText: '(b)(\\d)', newText: '$2$1', isRegex: true }];
    expect(await client.text('edit_file', { path: 'd/b.txt', edits })).toBe('Successfully edited d/b.txt');
    expect(await client.text('read_file', { path: 'd/b.txt' })).toBe('1b\n');
    expect(await client.text('list_directory', { path: 'd' })).toBe('[FILE] b.txt');
    expect(await client.text('write_file', { path: 'new.txt', content: 'n' })).toContain('Successfully');
    expect((await client.request('tools/list')).result).toBeDefined();
    expect((await client.request('ping')).result).toEqual({});
    // Later calls on the same paths wait for a while.
    expect(await client.text('read_file', { path: 'evil.txt' })).toBe(hostile);
    expect(await client.text('list_directory', { path: '.' })).toContain('evil.txt');
    expect(ended).toBe(0);
    for (const requestId of ['one', 'two'])
      client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
  });

  it('is cut off, and changes nothing', async () => {
    proves('all.regex.cut-off');
    const client = await serve(tree);
    const calls = [runaway('evil.txt', true), runaway('evil-crlf.txt', false)];
    if (soak(false, true)) calls.push(runaway('evil.txt', false));
    const running = calls.map((params) => client.request('tools/call', params));
    for (const reply of await Promise.all(running)) {
      expect(reply.error).toEqual({
        code: -32603,
        message:
          'The regex was cut off after 5 s: the pattern takes too long. Make it simpler or more specific',
      });
    }
    const edits = [{ oldText: '(b)(1)', newText: '$2$1', isRegex: true }];
    expect(await client.text('edit_file', { path: 'd/b.txt', edits })).toBe('Successfully edited d/b.txt');
    expect(readBack(root)).toEqual({ ...tree, 'd/b.txt': '1b\n' });
  });
});

describe('a directory that is swapped for a link while calls run', () => {
  let swapper: ChildProcess;
  let swapperGone: Promise<unknown>;

  afterEach(async () => {
    swapper.kill('SIGKILL');
    await swapperGone;
  });

  it('never leads outside', async () => {
    proves('all.outside.race');
    const outside: Tree = { secret: 'SECRET', 'd/x': 'SECRET' };
    layOut(join(temporary.path, 'outside'), outside);
    const client = await serve({
      'real/secret': 'public',
      'real/d/x': 'public',
      link: { link: '../outside' },
    });
    swapper = spawn(process.execPath, ['-e', SWAP_FOREVER, root], { stdio: ['ignore', 'pipe', 'inherit'] });
    swapperGone = new Promise((resolve) => swapper.once('exit', resolve));
    await Promise.race([new Promise((resolve) => swapper.stdout!.once('data', resolve)), swapperGone]);

    // Not the whole word, because an error repeats what was searched for.
    const edits = [{ oldText: 'SECRE', newText: 'changed' }];
    let throughDirectory = 0;
    for (let round = 0; round < 40; round++) {
      const replies = await Promise.all([
        client.call('read_file', { path: 'dir/secret' }),
        client.call('read_multiple_files', { paths: ['dir/secret', 'dir/d/x'] }),
        client.call('directory_tree', { path: 'dir' }),
        client.call('list_directory', { path: 'dir/d' }),
        client.call('write_file', { path: `dir/w${round}`, content: 'w' }),
        client.call('write_file', { path: `dir/d/w${round}`, content: 'w' }),
        client.call('create_directory', { path: `dir/m${round}` }),
        client.call('edit_file', { path: 'dir/secret', edits }),
        client.call('edit_files', { paths: ['dir/d/x'], edits }),
        client.call('move_file', { source: `dir/w${round}`, destination: `dir/d/m${round}` }),
        client.call('move_file', { source: 'dir/secret', destination: 'taken' }),
        client.call('delete_file', { path: 'dir/d/x' }),
      ]);
      for (const { result } of replies) expect(JSON.stringify(result ?? '')).not.toContain('SECRET');
      throughDirectory += replies.filter(({ result }) => result).length;
    }
    expect(readBack(join(temporary.path, 'outside'))).toEqual(outside);
    expect(throughDirectory).toBeGreaterThan(40);
    expect(swapper.exitCode).toBeNull();
  });
});

/** Makes `dir` the real directory one moment and a link to the outside the next. Moves aside what is in the way. */
const SWAP_FOREVER = `
  const fs = require('node:fs');
  process.chdir(process.argv[1]);
  process.stdout.write('swapping');
  let aside = 0;
  function isRenamed(from, to) {
    try {
      fs.renameSync(from, to);
      return true;
    } catch {
      return false;
    }
  }
  function show(name) {
    // A call may create dir again whenever it is missing for a moment.
    while (!isRenamed(name, 'dir')) isRenamed('dir', 'aside' + aside++);
    fs.renameSync('dir', name);
  }
  for (;;) {
    show('real');
    show('link');
  }
`;

describe('a server that is killed while it writes', () => {
  it('leaves the old file or the new one, and the next write removes the leftovers', async () => {
    proves('all.write.no-litter', 'all.write.atomic');
    const content = 'new content\n'.repeat(soak(1_000_000, 3_000_000));
    const first = await serveApart({ 'a.txt': 'old\n' });
    void first.call('write_file', { path: 'a.txt', content }).catch(() => {});
    while (readdirSync(root).length === 1 && readFileSync(join(root, 'a.txt')).length < 10) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    first.child.kill('SIGKILL');
    await first.exited;
    const left = readFileSync(join(root, 'a.txt'), 'utf8');
    expect(left === 'old\n' || left === content).toBe(true);

    const second = await serveApart({});
    expect(await second.text('list_directory', { path: '.' })).toBe('[FILE] a.txt');
    expect(await second.text('write_file', { path: 'b.txt', content: 'b' })).toBe('Successfully wrote b.txt');
    expect(readdirSync(root)).toEqual(['a.txt', 'b.txt']);
  });
});
