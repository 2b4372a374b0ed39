/** The tools as clients see them on the wire: with the schemas of the reference, even in the order of keys. */
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RawClient } from '../../client.ts';
import { proves } from '../../proves.ts';
import { layOut, temporaryDirectory } from '../../tree.ts';

const snapshot = JSON.parse(readFileSync(new URL('tools-list.json', import.meta.url), 'utf8')) as {
  name: string;
  inputSchema: unknown;
}[];

let temporary: ReturnType<typeof temporaryDirectory>;
let client: RawClient;

beforeEach(async () => {
  temporary = temporaryDirectory();
  layOut(temporary.path, { 'notes.txt': 'hi' });
  client = await RawClient.start(['--dialect', 'workspace', temporary.path]);
});

afterEach(async () => {
  await client.end();
  temporary.remove();
});

describe('tools/list', () => {
  it('shows exactly these tools', async () => {
    proves(
      'workspace.list_dir.input',
      'workspace.read_file.input',
      'workspace.edit_file.input',
      'workspace.write_file.input',
      'workspace.delete_file.input',
      'workspace.move_file.input',
      'workspace.mkdir.input',
    );
    const { result } = await client.request('tools/list');
    const listed = result!.tools as typeof snapshot;
    expect(listed).toEqual(snapshot);
    // Comparing text compares the order of keys, too.
    expect(listed.map(({ inputSchema }) => JSON.stringify(inputSchema))).toEqual(
      snapshot.map(({ inputSchema }) => JSON.stringify(inputSchema)),
    );
  });
});

describe('tools/call', () => {
  it('answers with the envelope as the only text, and nothing else', async () => {
    proves('workspace.envelope.only-text');
    const { result } = await client.call('read_file', { file: 'notes.txt' });
    expect(result).toEqual({
      content: [{ type: 'text', text: '{"ok":true,"data":{"file":"notes.txt","content":"hi","bytes":2}}' }],
    });
  });

  it('reports a failure as an error of the call, never of the protocol', async () => {
    proves('workspace.decided.is-error');
    const { result, error } = await client.call('read_file', { file: 7 });
    expect(error).toBeUndefined();
    expect(result?.isError).toBe(true);
    expect(JSON.parse(result!.content[0]!.text!)).toMatchObject({
      ok: false,
      error: { code: 'VALIDATION_ERROR' },
    });
  });
});
