/** The workspace of fileeditor over HTTP: a call works only where its own client chose to, in either era. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from 'vitest';
import { parseTokens } from '../../src/server/web/tokens/tokens.ts';
import { type Answer, HttpFixture, meta, TOKEN } from './http-fixture.ts';

const tree = { 'one/a.txt': 'of one\n', 'two/a.txt': 'of two\n', 'c++ d/a.txt': 'odd\n' };
const open: HttpFixture[] = [];
afterEach(async () => {
  for (const fixture of open.splice(0)) await fixture.close();
});

async function staged(options: Parameters<typeof HttpFixture.open>[0] = {}): Promise<HttpFixture> {
  const fixture = await HttpFixture.open(options, tree);
  open.push(fixture);
  return fixture;
}

type Caller = (name: string, args: object) => Promise<Answer>;

/** A client without a session: it has a token, a URL and the name that it gives itself. */
function caller(fixture: HttpFixture, address: string, token = TOKEN, client = 'test'): Caller {
  const _meta = { ...meta, 'io.modelcontextprotocol/clientInfo': { name: client, version: '1' } };
  return (name, args) =>
    fixture.stateless('tools/call', { name, arguments: args, _meta }, as(token), `/mcp/fileeditor${address}`);
}

const as = (token: string) => ({ authorization: `Bearer ${token}` });
const at = (directory: string) => `?workspace=${encodeURIComponent(directory)}`;
const isRefused = ({ status, text }: Answer) => status >= 400 || text.includes('"isError":true');
const write = (call: Caller, path: string) => call('write_files', { path, content: 'x\n', line_count: 1 });

function tokens(file: string): Parameters<typeof HttpFixture.open>[0] {
  const { grants, problems } = parseTokens(file, ['stage', 'replay', 'fileeditor']);
  expect(problems).toEqual([]);
  return { grants };
}

describe('clients without a session that the server cannot distinguish', () => {
  it('never write where another of them chose to, in whatever order their calls arrive', async () => {
    const fixture = await staged();
    const [one, two] = [caller(fixture, ''), caller(fixture, '')];
    const answers = [
      await one('set_workspace', { path: join(fixture.root, 'one') }),
      await write(two, 'never-chose.txt'),
      await two('set_workspace', { path: join(fixture.root, 'two') }),
      await write(one, 'by-one.txt'),
      await write(two, 'by-two.txt'),
    ];
    expect(answers.map(isRefused)).toEqual(answers.map(() => true));
    expect(readdirSync(join(fixture.root, 'one'))).toEqual(['a.txt']);
    expect(readdirSync(join(fixture.root, 'two'))).toEqual(['a.txt']);
  });

  it('are told what to do, and which versions have sessions', async () => {
    const fixture = await staged();
    const refused = await caller(fixture, '')('set_workspace', { path: fixture.root });
    const { code, message, data } = refused.json.error as { code: number; message: string; data?: unknown };
    expect([refused.status, code, refused.json.id]).toEqual([400, -32022, 1]);
    for (const way of ['/mcp/fileeditor?workspace=', 'initialize', 'one-client'])
      expect(message).toContain(way);
    expect(data).toMatchObject({
      requested: '2026-07-28',
      supported: expect.arrayContaining(['2025-11-25']),
    });
  });

  it('begin a session each if they know how, as the protocol’s own client does on its own', async () => {
    const fixture = await staged();
    const clients = await Promise.all(
      ['one', 'two'].map(async (directory) => {
        const client = new Client({ name: 'same', version: '1' }, { versionNegotiation: { mode: 'auto' } });
        const requestInit = { headers: { Authorization: `Bearer ${TOKEN}` } };
        const url = new URL(`${fixture.serving.url}/fileeditor`);
        await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
        return { client, directory };
      }),
    );
    const call = (client: Client, name: string, args: object) =>
      client.callTool({ name, arguments: args as Record<string, unknown> });
    for (const { client, directory } of clients)
      await call(client, 'set_workspace', { path: join(fixture.root, directory) });
    for (const { client, directory } of clients)
      await call(client, 'write_files', { path: 'mine.txt', content: `${directory}\n`, line_count: 1 });
    for (const { client, directory } of clients) {
      expect(client.getProtocolEra()).toBe('legacy');
      expect(readFileSync(join(fixture.root, directory, 'mine.txt'), 'utf8')).toBe(`${directory}\n`);
      await client.close();
    }
  });
});

describe('a URL that names the workspace', () => {
  it('is enough: interleaved clients with the same name and token each work in their own workspace', async () => {
    const fixture = await staged();
    const paths = ['one', 'two'].map((name) => join(fixture.root, name));
    const calls = paths.map((path) => caller(fixture, at(path)));
    await Promise.all(
      Array.from({ length: 20 }, (_, turn) => write(calls[turn % 2]!, `${turn % 2}-${turn}.txt`)),
    );
    for (const [index, path] of paths.entries()) {
      const written = readdirSync(path).filter((name) => name !== 'a.txt');
      expect(written).toHaveLength(10);
      expect(written.every((name) => name.startsWith(`${index}-`))).toBe(true);
    }
    expect((await calls[1]!('read_files', { path: 'a.txt' })).text).toContain('of two');
  });

  it('lets the client choose the same workspace again, but no other', async () => {
    const fixture = await staged();
    const call = caller(fixture, at(join(fixture.root, 'one')));
    expect(isRefused(await call('set_workspace', { path: `${fixture.root}/two/../one` }))).toBe(false);
    const other = await call('set_workspace', { path: join(fixture.root, 'two') });
    expect(other.text).toContain('?workspace=');
    expect(isRefused(other)).toBe(true);
    await write(call, 'here.txt');
    expect(existsSync(join(fixture.root, 'one/here.txt'))).toBe(true);
  });

  it('also applies to a session, which is found only at that URL', async () => {
    const fixture = await staged();
    const path = `/mcp/fileeditor${at(join(fixture.root, 'c++ d'))}`;
    const talk = await fixture.session(path);
    expect((await talk.call('read_files', { path: 'a.txt' })).text).toContain('odd');
    expect((await talk.call('set_workspace', { path: join(fixture.root, 'one') })).text).toContain('isError');
    const list = { jsonrpc: '2.0', id: 9, method: 'tools/list' };
    expect((await fixture.post(list, talk.headers, '/mcp/fileeditor')).status).toBe(404);
  });

  it.each(['/', '/etc', 'nothing', 'one/a.txt', '../..', ''])('may not name %j', async (path) => {
    const fixture = await staged();
    expect((await caller(fixture, at(path))('list_files', { path: '.' })).status).toBe(404);
    const hello = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'a', version: '1' },
    };
    const message = { jsonrpc: '2.0', id: 1, method: 'initialize', params: hello };
    expect((await fixture.post(message, {}, `/mcp/fileeditor${at(path)}`)).status).toBe(404);
  });

  it('is refused if the dialect has no workspace, and if it names two', async () => {
    const fixture = await staged();
    const asked = { name: 'read_file', arguments: { path: 'one/a.txt' } };
    expect((await fixture.stateless('tools/call', asked, {}, '/mcp/replay?workspace=one')).status).toBe(400);
    expect((await caller(fixture, '?workspace=one&workspace=two')('list_files', { path: '.' })).status).toBe(
      400,
    );
  });
});

describe('a one-client token', () => {
  const file =
    'anna anna-token-012345678901 read-write one-client\nbert bert-token-012345678901 fileeditor,one-client';

  it('keeps its workspace, independent of other tokens', async () => {
    const fixture = await staged(tokens(file));
    const [one, two] = ['anna', 'bert'].map((name) => caller(fixture, '', `${name}-token-012345678901`));
    expect(isRefused(await write(one!, 'early.txt'))).toBe(true);
    await one!('set_workspace', { path: join(fixture.root, 'one') });
    await two!('set_workspace', { path: join(fixture.root, 'two') });
    await Promise.all([write(one!, 'by-one.txt'), write(two!, 'by-two.txt')]);
    expect(readdirSync(join(fixture.root, 'one'))).toEqual(['a.txt', 'by-one.txt']);
    expect(readdirSync(join(fixture.root, 'two'))).toEqual(['a.txt', 'by-two.txt']);
    await one!('set_workspace', { path: join(fixture.root, 'two') });
    expect((await one!('read_files', { path: 'a.txt' })).text).toContain('of two');
  });

  it('distinguishes clients by their whole names', async () => {
    const fixture = await staged(tokens(file));
    const [first, second] = ['a', 'b'].map((end) =>
      caller(fixture, '', 'anna-token-012345678901', `${'n'.repeat(300)}${end}`),
    );
    await first!('set_workspace', { path: join(fixture.root, 'one') });
    expect(isRefused(await write(first!, 'mine.txt'))).toBe(false);
    expect(isRefused(await write(second!, 'not-mine.txt'))).toBe(true);
    expect(readdirSync(join(fixture.root, 'one'))).toEqual(['a.txt', 'mine.txt']);
  });

  it('keeps nothing for a client with another name, or for one that has just started', async () => {
    const fixture = await staged(tokens(file));
    const token = 'anna-token-012345678901';
    await caller(fixture, '', token, 'first')('set_workspace', { path: join(fixture.root, 'one') });
    expect(isRefused(await write(caller(fixture, '', token, 'second'), 'b.txt'))).toBe(true);
    const again = caller(fixture, '', token, 'first');
    expect(isRefused(await write(again, 'b.txt'))).toBe(true);
    await again('set_workspace', { path: join(fixture.root, 'one') });
    await fixture.stateless('server/discover', {}, as(token), '/mcp/fileeditor');
    expect(isRefused(await write(again, 'b.txt'))).toBe(true);
    expect(readdirSync(join(fixture.root, 'one'))).toEqual(['a.txt']);
  });
});
