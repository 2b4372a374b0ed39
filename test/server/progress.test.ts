/** Progress of long calls: a sign of life every second for clients that asked, and none after the answer. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lastLineOf } from '../../src/server/heartbeat.ts';
import { RawClient } from '../client.ts';
import { layOut, temporaryDirectory } from '../tree.ts';

let directory: { path: string; remove(): void };
const clients: RawClient[] = [];
beforeEach(() => {
  directory = temporaryDirectory();
  layOut(directory.path, { 'slow.txt': `${'a'.repeat(40)}!` });
});
afterEach(async () => {
  for (const client of clients.splice(0)) {
    client.child.kill('SIGKILL');
    await client.exited;
  }
  directory.remove();
});

interface Told {
  method: string;
  params: { progressToken: string; progress: number; message: string };
}

async function start(dialect: string): Promise<RawClient> {
  const client = new RawClient(['--dialect', dialect, '--no-journal', '--sandbox', 'off', directory.path]);
  clients.push(client);
  await client.initialize();
  return client;
}

function call(client: RawClient, name: string, args: object, progressToken?: string) {
  const _meta = progressToken === undefined ? {} : { _meta: { progressToken } };
  return client.request('tools/call', { name, arguments: args, ..._meta });
}

const shellLine =
  'printf "one\\n\\033[31mtwo\\033[0m\\n"; sleep 1.6; printf "three\\rfour" >&2; sleep 1.6; echo done';

describe('a command that takes long', () => {
  const runs: [dialect: string, tool: string, args: object][] = [
    ['replay', 'execute_command', { command: shellLine }],
    [
      'workspace',
      'run_command',
      {
        command: 'node',
        args: [
          '-e',
          'console.log("one\\n\\u001b[31mtwo\\u001b[0m");setTimeout(()=>process.stderr.write("three\\rfour"),1600);setTimeout(()=>console.log("done"),3200)',
        ],
      },
    ],
  ];
  for (const [dialect, tool, args] of runs) {
    it(`tells its last line, growing, until it is answered: ${tool}`, async () => {
      const client = await start(dialect);
      const { result } = await call(client, tool, args, 'mine');
      const before = client.notifications.length;
      expect(result!.isError).toBeUndefined();
      const told = (client.notifications as Told[]).map(({ params }) => params);
      expect(told.length).toBeGreaterThanOrEqual(2);
      const messages = told.map(({ message }) => message);
      expect(messages).toContain('two');
      expect(messages).toContain('four');
      for (const { progressToken } of told) expect(progressToken).toBe('mine');
      const grown = told.map(({ progress }) => progress);
      expect(grown).toEqual([...new Set(grown)].sort((a, b) => a - b));
      // A call that comes later would be told in front of any late notification.
      await call(
        client,
        tool,
        dialect === 'replay' ? { command: 'sleep 1' } : { command: 'node', args: ['-v'] },
      );
      expect(client.notifications).toHaveLength(before);
    });
  }

  it('is silent for clients that did not ask', async () => {
    const client = await start('replay');
    await call(client, 'execute_command', { command: 'echo x; sleep 1.5' });
    expect(client.notifications).toEqual([]);
  });
});

it('a call without words of its own says that it is at work', async () => {
  const client = await start('replay');
  const edits = [{ oldText: '^(a+)+$', newText: 'x', isRegex: true }];
  const { error } = await call(client, 'edit_file', { path: 'slow.txt', edits }, 'mine');
  expect(error!.message).toContain('cut off');
  const told = client.notifications as Told[];
  expect(told.length).toBeGreaterThanOrEqual(2);
  expect(told[0]!.params.message).toBe('edit_file is at work');
});

describe('the last line', () => {
  it('is short, printable and never empty when there is one', () => {
    expect(lastLineOf('')).toBe('');
    expect(lastLineOf('\n \r\n')).toBe('');
    expect(lastLineOf('a\nb\n\n  \n')).toBe('b');
    expect(lastLineOf('10%\r20%\r')).toBe('20%');
    expect(lastLineOf('\u001b]0;title\u0007ok\u001b[2K')).toBe('ok');
    expect(lastLineOf('a\u202eb\u0007')).toBe('a\\u202eb\\x07');
    expect(lastLineOf('x'.repeat(5000))).toHaveLength(200);
  });
});
