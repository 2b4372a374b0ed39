/** `--client-roots`: the built program serves the directories that its client names. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { program } from '../client.ts';
import { layOut, temporaryDirectory } from '../tree.ts';

let temporary: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  temporary = temporaryDirectory();
  layOut(temporary.path, { 'one/a.txt': 'a', 'two/b.txt': 'b', 'state/': '' });
});
afterEach(() => temporary.remove());

const at = (path: string) => join(temporary.path, path);

async function connected(roots: readonly string[] | undefined): Promise<Client> {
  const capabilities = roots ? { roots: {} } : {};
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: 'legacy' }, capabilities },
  );
  if (roots)
    client.setRequestHandler('roots/list', () => ({
      roots: roots.map((path) => ({ uri: `file://${path}` })),
    }));
  const args = [program, '--dialect', 'standard', '--state', at('state'), '--client-roots'];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
  return client;
}

async function text(client: Client, name: string, args: Record<string, unknown> = {}): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args });
  return (content as { text: string }[]).map((item) => item.text).join('\n');
}

it('--client-roots serves the roots of the client, keeps changes, and undoes them', async () => {
  const client = await connected([at('two'), at('gone')]);
  expect(await text(client, 'list_allowed_directories')).toBe(`Allowed directories:\n${at('two')}`);
  expect(await text(client, 'read_text_file', { path: at('one/a.txt') })).toMatch(/^Access denied/);
  expect(await text(client, 'write_file', { path: 'new.txt', content: 'x' })).toBe(
    'Successfully wrote to new.txt',
  );
  expect(existsSync(at('two/new.txt'))).toBe(true);
  await text(client, 'undo');
  expect(existsSync(at('two/new.txt'))).toBe(false);
  await client.close();
});

it('--client-roots tells a client without roots that nothing is served', async () => {
  const client = await connected(undefined);
  expect(await text(client, 'list_allowed_directories')).toMatch(/^No directory is served yet/);
  expect(client.getInstructions()).toMatch(/^Directories: the roots that the client names/);
  await client.close();
});

it.each([
  [['.'], 'takes no directory'],
  [['--http', '0'], 'is for stdio'],
  [['--dialect', 'repo'], 'the dialect repo knows no roots'],
])('--client-roots is refused with %j', (more, why) => {
  const args = [program, '--dialect', 'standard', '--client-roots', ...more];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', input: '' });
  expect([status, stderr]).toEqual([2, expect.stringContaining(why)]);
});
