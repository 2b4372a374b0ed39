/** Calls that a client sends without waiting take effect in the order in which it sent them. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CallOrder } from '../../../src/engine/access/call-order.ts';
import { InProcessClient } from '../../in-process.ts';
import { layOut, temporaryDirectory } from '../../tree.ts';

let directory: { path: string; remove(): void };
let client: InProcessClient;
beforeEach(async () => {
  directory = temporaryDirectory();
  client = await InProcessClient.start([directory.path]);
});
afterEach(async () => {
  await client.end();
  directory.remove();
});

const said = async (call: Promise<string>) => call.catch((error: Error) => error.message);

describe('pipelined calls', () => {
  it('take effect in order on one file: write, read, edit, read, move, read, delete, read', async () => {
    const answers = await Promise.all(
      (
        [
          ['write_file', { path: 'a.txt', content: 'one' }],
          ['read_file', { path: 'a.txt' }],
          ['edit_file', { path: 'a.txt', edits: [{ oldText: 'one', newText: 'two' }] }],
          ['read_file', { path: 'a.txt' }],
          ['edit_file', { path: 'a.txt', edits: [{ oldText: 't(w)o', newText: '$1', isRegex: true }] }],
          ['read_file', { path: `${directory.path}/./a.txt` }],
          ['move_file', { source: 'a.txt', destination: 'b.txt' }],
          ['read_file', { path: 'b.txt' }],
          ['delete_file', { path: 'b.txt' }],
          ['read_file', { path: 'b.txt' }],
        ] as const
      ).map(([tool, args]) => said(client.text(tool, args))),
    );
    expect(answers).toEqual([
      'Successfully wrote a.txt',
      'one',
      'Successfully edited a.txt',
      'two',
      'Successfully edited a.txt',
      'w',
      'Successfully moved a.txt to b.txt',
      'w',
      'Successfully deleted b.txt',
      expect.stringContaining('-32002'),
    ]);
  });

  it('take effect in order on a directory and what is in it', async () => {
    const answers = await Promise.all([
      client.text('create_directory', { path: 'd/e' }),
      client.text('write_file', { path: 'd/e/a.txt', content: 'a' }),
      client.text('list_directory', { path: 'd/e' }),
      client.text('write_file', { path: 'd/e/b.txt', content: 'b' }),
      client.text('directory_tree', { path: 'd' }),
      client.text('delete_file', { path: 'd' }),
      client.text('list_directory', { path: '.' }),
      client.text('write_file', { path: 'd', content: 'now a file' }),
      client.text('list_directory', { path: '.' }),
    ]);
    expect(answers[2]).toBe('[FILE] a.txt');
    expect(JSON.parse(answers[4]!).children[0].children).toHaveLength(2);
    expect([answers[6], answers[8]]).toEqual(['', '[FILE] d']);
  });

  it('leave the last of a hundred writes to one file, and each read sees the write before it', async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) => [
        client.text('write_file', { path: 'a.txt', content: `version ${i}` }),
        client.text('read_file', { path: 'a.txt' }),
      ]).flat(),
    );
    const read = answers.filter((_, i) => i % 2 === 1);
    expect(read).toEqual(read.map((_, i) => `version ${i}`));
  });
});

describe('a process that gets no processor for seconds', () => {
  it('does not conclude that the previous call is stuck', async () => {
    const order = new CallOrder();
    const done: string[] = [];
    const change = order.run(['/a'], 'change', async () => {
      await nextTurn();
      // The change should end now, but ends only when the process runs again, after its timers.
      const ending = nextTurn();
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500);
      await ending;
      done.push('change');
    });
    const read = order.run(['/a'], 'read', () => done.push('read'));
    await Promise.all([change, read]);
    expect(done).toEqual(['change', 'read']);
  });
});

describe('a call that does not end', () => {
  it('blocks no other call on its directory or its file, nor writes beside it', async () => {
    layOut(directory.path, { 'slow.txt': `${'a'.repeat(40)}!`, 'b.txt': 'b' });
    let ended = false;
    const runaway = client.replyTo('runaway').finally(() => {
      ended = true;
    });
    runaway.catch(() => {});
    const edits = [{ oldText: '^(a+)+$', newText: 'x', isRegex: true }];
    client.send({
      ...{ jsonrpc: '2.0', id: 'runaway', method: 'tools/call' },
      params: { name: 'edit_file', arguments: { path: 'slow.txt', edits } },
    });
    const others = await Promise.all([
      client.text('list_directory', { path: '.' }),
      client.text('directory_tree', { path: '.' }),
      client.text('read_file', { path: 'slow.txt' }),
      client.text('get_file_info', { path: 'slow.txt' }),
      client.text('read_file', { path: 'b.txt' }),
      client.text('write_file', { path: 'c.txt', content: 'c' }),
      client.text('create_directory', { path: 'd' }),
    ]);
    expect(ended).toBe(false);
    expect(others[0]).toContain('slow.txt');
    expect(others[2]).toBe(`${'a'.repeat(40)}!`);
    expect(others[4]).toBe('b');
    // Otherwise it would compute for seconds.
    client.send({
      ...{ jsonrpc: '2.0', method: 'notifications/cancelled' },
      params: { requestId: 'runaway' },
    });
  });
});
