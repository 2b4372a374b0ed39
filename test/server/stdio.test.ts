/** The program on stdio: what it answers, what it does not answer, and how it ends. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { program, RawClient } from '../client.ts';
import { InProcessClient } from '../in-process.ts';
import { soak } from '../soak.ts';
import { layOut, temporaryDirectory } from '../tree.ts';

let directory: { path: string; remove(): void };
const clients: RawClient[] = [];
beforeEach(() => {
  directory = temporaryDirectory();
  layOut(directory.path, { 'a.txt': 'a', 'slow.txt': `${'a'.repeat(40)}!` });
});
afterEach(async () => {
  for (const client of clients.splice(0)) {
    client.child.kill('SIGKILL');
    await client.exited;
  }
  directory.remove();
});

async function start(): Promise<RawClient> {
  const client = await RawClient.start([directory.path]);
  clients.push(client);
  return client;
}

const runaway = { path: 'slow.txt', edits: [{ oldText: '^(a+)+$', newText: 'x', isRegex: true }] };
const call = (id: number, name: string, args: object) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** The processor time of a process, all threads together, in hundredths of a second. */
function computed(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

async function untilIdle(pid: number): Promise<void> {
  for (;;) {
    const before = computed(pid);
    await pause(150);
    if (computed(pid) - before <= 1) return;
  }
}

async function untilBusy(pid: number): Promise<void> {
  for (;;) {
    const before = computed(pid);
    await pause(100);
    if (computed(pid) - before >= 2) return;
  }
}

describe('the output', () => {
  it('is one JSON-RPC message per line and nothing else, whatever the input', async () => {
    const child = spawn(process.execPath, [program, '--dialect', 'replay', directory.path], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let output = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      errors += text;
    });
    const initialize = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    };
    const messages = [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      'this is not JSON',
      { jsonrpc: '2.0', id: 2 },
      { jsonrpc: '2.0', id: 3, method: 'no/such/method' },
      { jsonrpc: '2.0', id: 4, method: 'tools/list', params: { cursor: 5 } },
      { jsonrpc: '2.0', method: 'notifications/unknown' },
      { jsonrpc: '2.0', id: 'five', method: 'ping' },
      call(6, 'no_such_tool', {}),
      call(7, 'read_file', {}),
      call(8, 'read_file', { path: '/etc/passwd' }),
      call(9, 'read_file', { path: 'missing' }),
      call(10, 'read_file', { path: 'a.txt' }),
    ];
    for (const each of messages)
      child.stdin.write(`${typeof each === 'string' ? each : JSON.stringify(each)}\n`);
    child.stdin.end();
    const code = await new Promise((resolve) => child.once('close', resolve));
    const answers = output
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text) as { jsonrpc: string; id: unknown; error?: { code: number } });
    expect(answers.every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true);
    const codes = new Map(answers.map(({ id, error }) => [id, error?.code]));
    expect(Object.fromEntries(codes)).toEqual({
      1: undefined,
      null: -32700,
      2: -32600,
      3: -32601,
      4: -32602,
      five: undefined,
      6: -32602,
      7: -32602,
      8: -32001,
      9: -32002,
      10: undefined,
    });
    expect(output).not.toMatch(/Zod|invalid_type|at \w+ \(/);
    expect(errors.trimEnd().split('\n')).toHaveLength(1);
    expect(errors).toMatch(/^cofferdam: \d+\.\d+\.\d+, replay on .*; wall: /);
    expect(code).toBe(0);
  });

  it('lists every tool with a title, a description, a schema and all four hints', async () => {
    const client = await InProcessClient.start([directory.path]);
    const { result } = await client.request('tools/list');
    const tools = result!.tools as { name: string; annotations: Record<string, unknown> }[];
    expect(tools.length).toBeGreaterThan(5);
    for (const tool of tools) {
      expect(tool).toMatchObject({
        title: expect.any(String),
        description: expect.any(String),
        inputSchema: { type: 'object' },
        annotations: {
          title: expect.any(String),
          readOnlyHint: expect.any(Boolean),
          destructiveHint: expect.any(Boolean),
          idempotentHint: expect.any(Boolean),
          openWorldHint: expect.any(Boolean),
        },
      });
    }
    expect(await client.end()).toBe(0);
  });
});

describe('many calls at once', () => {
  it('are all answered when the input ends right after them', async () => {
    const client = await start();
    const replies = [
      client.call('edit_file', { path: 'a.txt', edits: [{ oldText: '^a$', newText: 'b', isRegex: true }] }),
      ...Array.from({ length: 30 }, (_, i) => client.call('write_file', { path: `w/${i}`, content: `${i}` })),
      ...Array.from({ length: 30 }, (_, i) => client.call('read_file', { path: `w/${i}` })),
      client.call('directory_tree', { path: '.' }),
    ];
    const ended = client.end();
    const answers = await Promise.all(replies);
    expect(answers.filter(({ error }) => error)).toEqual([]);
    expect(answers.slice(31, 61).map(({ result }) => result!.content[0]!.text)).toEqual(
      Array.from({ length: 30 }, (_, i) => `${i}`),
    );
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(readFileSync(join(directory.path, 'a.txt'), 'utf8')).toBe('b');
  });

  it('all get their answers if one line is long and others are short', async () => {
    const client = await start();
    const content = 'ein Wort mit ü und 🧱\n'.repeat(soak(150_000, 500_000));
    const replies = await Promise.all([
      client.call('write_file', { path: 'long.txt', content }),
      client.call('read_file', { path: 'a.txt' }),
    ]);
    expect(replies.map(({ error }) => error)).toEqual([undefined, undefined]);
    expect(readFileSync(join(directory.path, 'long.txt'), 'utf8')).toBe(content);
  });

  it('are not held up by a runaway pattern', async () => {
    const client = await start();
    let ended = false;
    const end = () => {
      ended = true;
    };
    client.call('edit_file', runaway).then(end, end);
    expect(await client.text('read_file', { path: 'a.txt' })).toBe('a');
    expect(ended).toBe(false);
  });

  it('are not held up by five FIFOs', async () => {
    layOut(
      directory.path,
      Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`pipe${n}`, { fifo: true as const }])),
    );
    const client = await InProcessClient.start([directory.path]);
    const replies = await Promise.all(
      [1, 2, 3, 4, 5].map((n) => client.call('read_file', { path: `pipe${n}` })),
    );
    for (const { error } of replies) {
      expect(error).toMatchObject({ code: -32603, message: expect.stringMatching(/FIFO, socket or device/) });
    }
    expect(await client.text('read_file', { path: 'a.txt' })).toBe('a');
    expect(await client.end()).toBe(0);
  });
});

describe('a cancelled call', () => {
  it.runIf(process.platform === 'linux')('stops computing and is not answered', async () => {
    const client = await start();
    const pid = client.child.pid!;
    let answered = false;
    void client.replyTo(77).then(
      () => {
        answered = true;
      },
      () => {},
    );
    client.send(call(77, 'edit_file', runaway));
    await untilBusy(pid);
    const before = computed(pid);
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 77 } });
    await untilIdle(pid);
    // Without the cancellation, the pattern would have run until the time limit of five seconds.
    expect(computed(pid) - before).toBeLessThan(2500);
    expect(await client.text('read_file', { path: 'a.txt' })).toBe('a');
    expect(answered).toBe(false);
    expect(await client.end()).toEqual({ code: 0, signal: null });
    expect(answered).toBe(false);
  });

  it('changes nothing, and the next call works', async () => {
    const client = await start();
    const content = 'x'.repeat(soak(8_000_000, 20_000_000));
    client.send(call(77, 'write_file', { path: 'new/deep/big.txt', content }));
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 77 } });
    await client.text('write_file', { path: 'b.txt', content: 'b' });
    await client.end();
    expect(readdirSync(directory.path).sort()).toEqual(['a.txt', 'b.txt', 'slow.txt']);
  });

  it('may have an id that the server does not know', async () => {
    const client = await InProcessClient.start([directory.path]);
    for (const params of [{ requestId: 12345 }, { requestId: 'x' }, { requestId: {} }, {}]) {
      client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
    }
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled' });
    expect(await client.text('read_file', { path: 'a.txt' })).toBe('a');
    expect(await client.end()).toBe(0);
  });
});

describe('the end', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s ends an idle server cleanly', async (signal) => {
    const client = await start();
    client.child.kill(signal);
    expect(await client.exited).toEqual({ code: 0, signal: null });
  });

  it('SIGTERM during writes leaves whole files and no temporary ones', async () => {
    const content = 'x'.repeat(1_000_000);
    for (const wait of soak([5, 40], [5, 30, 80])) {
      const client = await start();
      for (let i = 0; i < 8; i++) {
        for (const path of [`f${i}.txt`, `d/f${i}.txt`, `new${wait}-${i}/f.txt`]) {
          client.call('write_file', { path, content }).catch(() => {});
        }
      }
      await pause(wait);
      client.child.kill('SIGTERM');
      expect(await client.exited).toEqual({ code: 0, signal: null });
      const left = readdirSync(directory.path, { recursive: true, withFileTypes: true });
      expect(left.filter(({ name }) => name.startsWith('.cofferdam-'))).toEqual([]);
      for (const entry of left.filter(({ name }) => name.startsWith('f'))) {
        expect(readFileSync(join(entry.parentPath, entry.name), 'utf8')).toHaveLength(content.length);
      }
      const empty = left.filter(
        (entry) => entry.isDirectory() && readdirSync(join(entry.parentPath, entry.name)).length === 0,
      );
      expect(empty).toEqual([]);
    }
  });

  it.runIf(process.platform === 'linux')('SIGTERM does not wait for a runaway pattern', async () => {
    const client = await start();
    const unanswered = expect(client.call('edit_file', runaway)).rejects.toThrow('the server ended');
    await untilBusy(client.child.pid!);
    client.child.kill('SIGTERM');
    expect(await client.exited).toEqual({ code: 0, signal: null });
    // If the server had waited, it would have answered that the pattern reached its time limit.
    await unanswered;
  });

  it('comes when the client disconnects in the middle of calls', async () => {
    const client = await start();
    for (let i = 0; i < 200; i++) client.call('read_file', { path: 'a.txt' }).catch(() => {});
    client.child.stdin!.destroy();
    client.child.stdout!.destroy();
    expect(await client.exited).toEqual({ code: 0, signal: null });
  });

  it('comes at the next answer if the client only stops reading', async () => {
    const client = await start();
    client.child.stdout!.destroy();
    client.call('read_file', { path: 'a.txt' }).catch(() => {});
    expect((await client.exited).code).toBe(0);
  });
});
