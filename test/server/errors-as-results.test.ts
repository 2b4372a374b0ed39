/** `--errors results`: the JSON-RPC errors of a dialect arrive as results, for clients that stop at errors. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { replay } from '../../src/dialects/replay/index.ts';
import { standard } from '../../src/dialects/standard/index.ts';
import { offerTools } from '../../src/server/mcp/app.ts';
import { InProcessClient, runInProcess } from '../in-process.ts';
import { layOut, temporaryDirectory } from '../tree.ts';
import { HttpFixture, meta } from './http-fixture.ts';

let directory: { path: string; remove(): void };
const clients: InProcessClient[] = [];
beforeEach(() => {
  directory = temporaryDirectory();
  layOut(directory.path, { 'a.txt': 'a' });
});
afterEach(async () => {
  for (const client of clients.splice(0)) {
    await client.end();
  }
  directory.remove();
});

async function start(...args: string[]): Promise<InProcessClient> {
  const client = await InProcessClient.start([...args, '--no-journal', directory.path]);
  clients.push(client);
  return client;
}

const failing: Record<string, [tool: string, args: object][]> = {
  replay: [
    ['read_file', { path: 'nothing' }],
    ['read_file', { path: '/etc/passwd' }],
    ['read_file', {}],
    ['no_such_tool', {}],
    ['edit_file', { path: 'a.txt', edits: [{ oldText: 'z' }] }],
    ['grep_files', { regex: '(', directory: '.' }],
  ],
  repo: [
    ['read_file', { path: 'nothing' }],
    ['read_file', { path: '../x' }],
    ['read_file', { path: 1 }],
    ['no_such_tool', {}],
    ['search_files', { pattern: '(', is_regex: true }],
  ],
};

describe('--errors results', () => {
  for (const [dialect, calls] of Object.entries(failing)) {
    it(`gives the errors of ${dialect} as results with the same text, and with their codes`, async () => {
      const usual = await start('--dialect', dialect);
      const gentle = await start('--dialect', dialect, '--errors', 'results');
      for (const [tool, args] of calls) {
        const { error } = await usual.call(tool, args);
        const { message, ...facts } = error!;
        const { result } = await gentle.call(tool, args);
        expect(result).toEqual({
          content: [{ type: 'text', text: message }],
          isError: true,
          _meta: { 'cofferdam/error': facts },
        });
      }
    });
  }

  it('reports an unknown tool as a result on either transport, in either era', async () => {
    const http = await HttpFixture.open({}, {}, { errors: 'results' });
    const stdio = await start('--dialect', 'replay', '--errors', 'results');
    const stateless = new InProcessClient([
      ...['--dialect', 'replay', '--errors', 'results', '--no-journal'],
      directory.path,
    ]);
    clients.push(stateless);
    const params = { name: 'no_such_tool', arguments: {} };
    const session = await http.session('/mcp/replay');
    const answers = [
      await stdio.request('tools/call', params),
      await stateless.request('tools/call', { ...params, _meta: meta }),
      (await session.ask('tools/call', params)).json,
      // The library answers the first call of such a client, and the server itself all later ones.
      (await http.stateless('tools/call', params, {}, '/mcp/replay')).json,
      (await http.stateless('tools/call', params, {}, '/mcp/replay')).json,
    ];
    await http.close();
    for (const { result } of answers)
      expect(result).toMatchObject({
        content: [{ type: 'text', text: expect.stringMatching(/^Unknown tool: no_such_tool\./) }],
        isError: true,
        _meta: { 'cofferdam/error': { code: -32602 } },
      });
  });

  it('changes no results, and leaves invalid requests protocol errors', async () => {
    const client = await start('--errors', 'results');
    expect((await client.call('read_file', { path: 'a.txt' })).result).toEqual({
      content: [{ type: 'text', text: 'a' }],
    });
    expect((await client.request('tools/call', { name: 'read_file', arguments: 1 })).error).toMatchObject({
      code: -32602,
    });
    expect((await client.request('nothing/known')).error).toMatchObject({ code: -32601 });
  });

  it('accepts no other value', async () => {
    const { status, stderr } = await runInProcess(['--errors', 'maybe', directory.path]);
    expect(status).toBe(2);
    expect(stderr).toContain("--errors is protocol or results, not 'maybe'");
  });
});

describe('several dialects on one server', () => {
  it('offer every tool under a name and a title of its own, as `tools` says', async () => {
    const client = await start('--dialect', 'repo,replay,patch,workspace,fileeditor');
    const { result } = await client.request('tools/list');
    const tools = result!.tools as { name: string; title: string; annotations: { title: string } }[];
    expect(tools).toHaveLength(41);
    expect(new Set(tools.map(({ name }) => name)).size).toBe(41);
    expect(new Set(tools.map(({ title }) => title)).size).toBe(41);
    expect(tools.find(({ name }) => name === 'replay_read_file')!.title).toBe('Read file (replay)');
    for (const { title, annotations } of tools) expect(annotations.title).toBe(title);
  });

  it('have titles that differ in more than letter case', () => {
    const titles = [...offerTools([standard, replay]).values()].map(({ title }) => title);
    expect(titles).toContain('Read File');
    expect(titles).toContain('Read file (replay)');
    expect(new Set(titles.map((title) => title.toLowerCase())).size).toBe(titles.length);
  });
});
