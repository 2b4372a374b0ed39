/** A server that runs out of descriptors says so, and never claims that something does not exist. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { program } from '../client.ts';

const root = mkdtempSync(join(tmpdir(), 'shortage-'));
beforeAll(() => {
  for (let i = 0; i < 40; i++) {
    mkdirSync(join(root, `part-${i}`, 'a', 'b'), { recursive: true });
    writeFileSync(join(root, `part-${i}`, 'a', 'b', 'file.txt'), 'needle\n');
  }
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
const calls = [
  ['directory_tree', { path: root }, (text: string) => text.split('file.txt').length - 1],
  ['grep_files', { directory: root, regex: 'needle' }, (text: string) => text.split('file.txt').length - 1],
  [
    'glob_search',
    { directory: root, globs: ['**/*.txt'] },
    (text: string) => text.split('file.txt').length - 1,
  ],
] as const;

/** The answers of a server with this many descriptors to these calls, by index, and its log. */
async function answersOf(most: number, dialect: string, called: readonly (readonly [string, object])[]) {
  const messages = [
    { jsonrpc: '2.0', id: 'hello', method: 'initialize', params: hello },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    ...called.map(([name, args], id) => {
      return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } };
    }),
  ];
  const limited = ['-c', `ulimit -n ${most}; exec "$0" "$@"`, process.execPath, program];
  const child = spawn('sh', [...limited, '--dialect', dialect, root], { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.on('error', () => {});
  child.stdin.end(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    log += text;
  });
  let out = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) out += chunk;
  const told = out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .filter(({ id }) => typeof id === 'number');
  return { told, log };
}

it.each([24, 27, 28, 32, 36, 40])(
  'a server with %i descriptors gives complete answers, or says that they ran out',
  async (most) => {
    const called = Array.from({ length: 30 }, (_, i) => calls[i % calls.length]!);
    const { told, log } = await answersOf(
      most,
      'replay',
      called.map(([name, args]) => [name, args]),
    );
    expect(told).toHaveLength(30);
    // No call fails because the server measures its memory.
    expect(log).not.toContain('uv_resident_set_memory');
    for (const { id, result, error } of told) {
      if (error) {
        expect(error.message).toMatch(/EMFILE|ENFILE|ENOMEM/);
        continue;
      }
      const [, , count] = calls[id % calls.length]!;
      expect(count(result.content[0].text)).toBe(40);
    }
  },
);

it('one call writes many more files and directories than there are descriptors, or none of them', async () => {
  const paths = Array.from({ length: 300 }, (_, i) => `new/${i}/below/file.txt`);
  const write = (path: string[], content: string) =>
    ['write_files', { path, content, line_count: 1 }] as const;
  const { told } = await answersOf(160, 'fileeditor', [
    ['set_workspace', { path: root }],
    write(paths, 'first\n'),
    write([...paths, 'part-1/a'], 'second\n'),
  ]);
  expect(told[1].result.content[0].text).toMatch(/^Successfully wrote 300 files/);
  expect(told[2].result.content[0].text).toContain('part-1/a');
  expect(told[2].result.isError).toBe(true);
  for (const path of paths) expect(readFileSync(join(root, path), 'utf8')).toBe('first\n');
  // No draft and no second name is left next to them.
  const entries = readdirSync(join(root, 'new'), { recursive: true });
  expect(entries).toHaveLength(3 * paths.length);
}, 60_000);
