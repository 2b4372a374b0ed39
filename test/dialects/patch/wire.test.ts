/** patch as clients see it, through the installed program: its tools, its answers, its token. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawClient } from '../../client.ts';
import { proves } from '../../proves.ts';
import { layOut, temporaryDirectory } from '../../tree.ts';

const snapshot = JSON.parse(readFileSync(new URL('tools-list.json', import.meta.url), 'utf8')) as {
  name: string;
  inputSchema: { properties: Record<string, { type: string; description: string }> };
}[];

let temporary: ReturnType<typeof temporaryDirectory>;
let client: RawClient;

beforeAll(async () => {
  temporary = temporaryDirectory();
  layOut(temporary.path, { 'a.txt': '1\n' });
  client = await RawClient.start(['--dialect', 'patch', temporary.path]);
});

afterAll(async () => {
  await client.end();
  temporary.remove();
});

describe('tools/list', () => {
  it('shows exactly these tools', async () => {
    const { result } = await client.request('tools/list');
    expect(result!.tools).toEqual(snapshot);
    expect(JSON.stringify(result!.tools)).toBe(JSON.stringify(snapshot));
  });

  it('has the fields and types of the reference', () => {
    proves(
      'patch.patch_apply.input.path',
      'patch.patch_apply.input.patch',
      'patch.append.input.path',
      'patch.append.input.content',
      'patch.write_file.input.path',
      'patch.write_file.input.content',
      'patch.create_directory.input.path',
      'patch.move_file.input.source',
      'patch.move_file.input.destination',
      'patch.shell_exec.input.command',
      'patch.shell_exec.input.args',
    );
    const fields = snapshot.map(({ name, inputSchema }) => [
      name,
      Object.fromEntries(Object.entries(inputSchema.properties).map(([field, { type }]) => [field, type])),
    ]);
    expect(fields).toEqual([
      ['patch_apply', { path: 'string', patch: 'string' }],
      ['append', { path: 'string', content: 'string' }],
      ['write_file', { path: 'string', content: 'string' }],
      ['create_directory', { path: 'string' }],
      ['move_file', { source: 'string', destination: 'string' }],
      ['shell_exec', { command: 'string', args: 'array' }],
    ]);
  });
});

describe('tools/call', () => {
  it('answers with one text and nothing else', async () => {
    const { result } = await client.call('append', { path: 'a.txt', content: '2\n' });
    expect(result).toEqual({ content: [{ type: 'text', text: 'Appended 2 bytes to a.txt' }] });
  });

  it('reports a failure as an error of the call, never of the protocol', async () => {
    proves('patch.decided.errors');
    for (const args of [{ path: 'no.txt', content: 'x' }, { path: 7 }, {}]) {
      const { result, error } = await client.call('append', args);
      expect(error).toBeUndefined();
      expect(result).toMatchObject({ isError: true, content: [{ type: 'text' }] });
      expect(result!.content[0]!.text).toMatch(/^(?:NotFound|InvalidArguments): /);
    }
  });

  it('says what the operating system does not allow', async () => {
    proves('patch.write_file.error.PermissionDenied');
    const onSystem = await RawClient.start(['--dialect', 'patch', '/sys']);
    try {
      const { result } = await onSystem.call('write_file', { path: '/sys/not-here.txt', content: 'x' });
      expect(result).toEqual({
        content: [
          {
            type: 'text',
            text: 'PermissionDenied: the operating system does not allow this user to write /sys/not-here.txt',
          },
        ],
        isError: true,
      });
    } finally {
      await onSystem.end();
    }
  });
});

describe('over HTTP', () => {
  it('requires the bearer token for every call', async () => {
    proves('patch.auth.bearer');
    const server = new RawClient(['--dialect', 'patch', '--http', '127.0.0.1:0', temporary.path], {
      ...process.env,
      COFFERDAM_TOKEN: 'the-token-of-this-test-and-no-other',
    });
    try {
      const url = await urlOf(server);
      const post = (headers: Record<string, string>) =>
        fetch(url, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            'mcp-protocol-version': '2025-06-18',
            ...headers,
          },
          body: JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            method: 'initialize',
            params: {
              protocolVersion: '2025-06-18',
              capabilities: {},
              clientInfo: { name: 'test', version: '1' },
            },
          }),
        });
      expect((await post({})).status).toBe(401);
      expect((await post({ authorization: 'Bearer the-token-of-this-test-and-no-othe' })).status).toBe(401);
      expect((await post({ authorization: 'the-token-of-this-test-and-no-other' })).status).toBe(401);
      expect((await post({ authorization: 'Bearer the-token-of-this-test-and-no-other' })).status).toBe(200);
    } finally {
      server.child.kill('SIGTERM');
      await server.exited;
    }
  });
});

async function urlOf(server: RawClient): Promise<string> {
  for (;;) {
    const url = /serving (\S+)/.exec(server.stderr)?.[1];
    if (url !== undefined) return url;
    if (server.child.exitCode !== null) throw new Error(server.stderr);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
