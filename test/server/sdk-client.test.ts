/** The protocol's own client, in both eras of the protocol. */
import { Client, ProtocolError } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { program, RawClient } from '../client.ts';
import { layOut, temporaryDirectory } from '../tree.ts';

let directory: { path: string; remove(): void };
beforeEach(() => {
  directory = temporaryDirectory();
  layOut(directory.path, { 'a.txt': 'some text', 'slow.txt': `${'a'.repeat(40)}!` });
});
afterEach(() => directory.remove());

async function connected(mode: 'legacy' | 'auto' | { pin: string }): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, '--dialect', 'replay', directory.path],
    stderr: 'ignore',
  });
  await client.connect(transport);
  return client;
}

describe.each([
  ['the handshake of 2025', 'legacy', 'legacy'],
  ['the revision 2026-07-28', { pin: '2026-07-28' }, 'modern'],
  ['whichever the client finds', 'auto', 'modern'],
] as const)('by %s', (_, mode, era) => {
  it('lists, calls, gets refusals and cancels', async () => {
    const client = await connected(mode);
    try {
      expect(client.getProtocolEra()).toBe(era);
      expect(client.getServerVersion()).toMatchObject({ name: 'cofferdam', version: expect.any(String) });
      const { tools } = await client.listTools();
      expect(tools[0]!.name).toBe('read_file');
      expect(tools.every(({ annotations }) => annotations?.readOnlyHint !== undefined)).toBe(true);

      const read = await client.callTool({ name: 'read_file', arguments: { path: 'a.txt' } });
      expect(read.content).toEqual([{ type: 'text', text: 'some text' }]);
      await client.callTool({ name: 'write_file', arguments: { path: 'b.txt', content: 'b' } });

      const codes = await Promise.all(
        (
          [
            ['read_file', { path: 'missing' }],
            ['read_file', { path: '/etc/passwd' }],
            ['read_file', { path: '.' }],
            ['read_file', {}],
            ['no_such_tool', {}],
          ] as const
        ).map(([name, args]) =>
          client.callTool({ name, arguments: args }).then(
            () => 0,
            (error: unknown) => (error instanceof ProtocolError ? error.code : error),
          ),
        ),
      );
      expect(codes).toEqual([-32002, -32001, -32603, -32602, -32602]);

      const cancelling = new AbortController();
      const slow = client.callTool(
        {
          name: 'edit_file',
          arguments: { path: 'slow.txt', edits: [{ oldText: '^(a+)+$', newText: 'x', isRegex: true }] },
        },
        { signal: cancelling.signal },
      );
      setTimeout(() => cancelling.abort('enough'), 50);
      await expect(slow).rejects.toThrow();
      const again = await client.callTool({ name: 'read_file', arguments: { path: 'b.txt' } });
      expect(again.content).toEqual([{ type: 'text', text: 'b' }]);
    } finally {
      await client.close();
    }
  });
});

describe('messages by hand', () => {
  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    'a client of %s is answered in its own version',
    async (protocolVersion) => {
      const client = new RawClient([directory.path]);
      const clientInfo = { name: 'test', version: '1' };
      const { result } = await client.request('initialize', {
        protocolVersion,
        capabilities: {},
        clientInfo,
      });
      expect(result).toMatchObject({ protocolVersion, serverInfo: { name: 'cofferdam' } });
      expect(await client.text('read_file', { path: 'a.txt' })).toBe('some text');
      await client.end();
    },
  );

  it('a client of an unknown version is offered one that the server knows', async () => {
    const client = new RawClient([directory.path]);
    const { result } = await client.request('initialize', {
      protocolVersion: '1999-01-01',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    });
    expect(result!.protocolVersion).toMatch(/^\d{4}-\d\d-\d\d$/);
    await client.end();
  });

  it('an incomplete initialize gets an error that says what is missing', async () => {
    const client = new RawClient([directory.path]);
    const { error } = await client.request('initialize', {});
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('protocolVersion') });
    await client.end();
  });
});
