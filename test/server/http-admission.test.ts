/** Who is admitted over HTTP: the server checks Host, then Origin, then the token, and only then the rest. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FailedTokens } from '../../src/server/web/tokens/failed-tokens.ts';
import { fullGrant, parseTokens, Tokens } from '../../src/server/web/tokens/tokens.ts';
import { soak } from '../soak.ts';
import { ask, HttpFixture, hello, TOKEN, usual } from './http-fixture.ts';

let fixture: HttpFixture;
beforeAll(async () => {
  fixture = await HttpFixture.open({
    allowHosts: ['Files.Example', 'exact.example:8443'],
    allowOrigins: ['https://app.example', 'moz-extension://abc'],
  });
});
afterAll(() => fixture.close());

const body = JSON.stringify(hello());
const post = (headers: Record<string, string | string[]>, sent = body) =>
  fixture.send({ method: 'POST', path: '/mcp', headers: { ...usual, ...headers }, body: sent });

describe('the Host', () => {
  it.each([
    'localhost',
    '127.0.0.1',
    '[::1]',
    'localhost:1234',
    'LOCALHOST',
    'files.example',
    'files.example:80',
  ])('may be %s', async (host) => {
    expect((await post({ host })).status).toBe(200);
  });

  it.each([
    'evil.example',
    'localhost.evil.example',
    'evil.example:80',
    '127.0.0.1.evil.example',
    'localhost@evil.example',
    'evil.example/localhost',
    'localhost:',
    'exact.example',
    'exact.example:80',
    '[::1',
    '0x7f000001',
    '127.1',
    'localhost.',
  ])('may not be %j', async (host) => {
    expect((await post({ host })).status).toBe(403);
  });

  it('may be the address that the client reached', async () => {
    const answer = await ask({ host: '127.0.0.1', port: fixture.serving.port, path: '/healthz' });
    expect(answer.status).toBe(200);
  });

  it.each(['Host: localhost\r\nHost: evil.example\r\n', 'Host: \r\n', ''])(
    'must be sent exactly once, not as %j',
    async (lines) => {
      const raw = await fixture.raw();
      raw.socket.write(`GET /healthz HTTP/1.1\r\n${lines}\r\n`);
      expect(await raw.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 40[03] /);
      raw.socket.destroy();
    },
  );

  it('is checked before everything else, even the health check', async () => {
    expect((await fixture.send({ path: '/healthz', headers: { host: 'evil.example' } })).status).toBe(403);
    const answer = await post({ host: 'evil.example', origin: 'null', authorization: '' }, 'no JSON');
    expect(answer.json.error!.message).toContain('host');
  });
});

describe('the Origin', () => {
  it.each([
    'null',
    'http://evil.example',
    'http://localhost:1',
    'https://app.example.evil',
    'file://',
    '*',
    '',
  ])('may not be %j', async (origin) => {
    const answer = await post({ origin });
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([403, undefined]);
  });

  it('may be this server itself, or an allowed one', async () => {
    const host = `localhost:${fixture.serving.port}`;
    expect((await post({ host, origin: `http://${host}` })).status).toBe(200);
    for (const origin of ['https://app.example', 'HTTPS://APP.EXAMPLE', 'moz-extension://abc']) {
      const answer = await post({ origin });
      expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, origin]);
      expect(answer.headers['access-control-expose-headers']).toContain('Mcp-Session-Id');
    }
  });

  it('is checked before the token', async () => {
    expect((await post({ origin: 'null', authorization: '' })).json.error!.message).toContain('origin');
  });

  it('may send a preflight request without a token if it is allowed', async () => {
    const headers = { origin: 'https://app.example', 'access-control-request-method': 'POST' };
    const answer = await fixture.send({ method: 'OPTIONS', path: '/mcp', headers });
    expect(answer.status).toBe(204);
    expect(answer.headers['access-control-allow-headers']).toContain('Authorization');
    const foreign = { ...headers, origin: 'http://evil.example' };
    expect((await fixture.send({ method: 'OPTIONS', path: '/mcp', headers: foreign })).status).toBe(403);
    expect((await fixture.send({ method: 'OPTIONS', path: '/mcp' })).status).toBe(401);
  });
});

describe('the token', () => {
  it.each([
    ['nothing', ''],
    ['another scheme', `Basic ${TOKEN}`],
    ['the token alone', TOKEN],
    ['an empty token', 'Bearer '],
    ['a wrong token', 'Bearer wrong'],
    ['a part of it', `Bearer ${TOKEN.slice(0, -1)}`],
    ['more than it', `Bearer ${TOKEN}x`],
    ['two tokens', `Bearer ${TOKEN} ${TOKEN}`],
    ['other letters', `Bearer ${TOKEN.toUpperCase()}`],
  ])('is needed: %s is not enough', async (_, authorization) => {
    const answer = await post({ authorization });
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer /);
    expect(answer.text).not.toContain(TOKEN.slice(0, 8));
  });

  it('is accepted in any letter case of the scheme', async () => {
    expect((await post({ authorization: `bearer   ${TOKEN}` })).status).toBe(200);
  });

  it('is never read from the URL', async () => {
    for (const path of [`/mcp?token=${TOKEN}`, `/mcp?access_token=${TOKEN}`, `/mcp/${TOKEN}`]) {
      const headers = { 'content-type': 'application/json' };
      expect((await fixture.send({ method: 'POST', path, headers, body })).status).toBe(401);
    }
  });

  it('is checked before the path and the body', async () => {
    const unknown = { method: 'POST', path: '/nothing', headers: { ...usual, authorization: '' } };
    expect((await fixture.send({ ...unknown, body: 'no JSON' })).status).toBe(401);
    expect((await fixture.send({ ...unknown, headers: usual, body: 'no JSON' })).status).toBe(404);
    const large = { authorization: '', 'content-length': String(1e9) };
    const raw = await fixture.raw();
    raw.socket.write(
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${large['content-length']}\r\n\r\n`,
    );
    expect(await raw.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 401 /);
    raw.socket.destroy();
  });

  it('slows its sender down after thousands of wrong attempts, but no client with a valid token', async () => {
    const flooded = await HttpFixture.open({ limits: { delayedRefusals: 4 } });
    try {
      const statuses = new Map<number, number>();
      let left = soak(700, 2000);
      const guessing = Array.from({ length: 20 }, async () => {
        while (left-- > 0) {
          const answer = await flooded
            .post(hello(), { authorization: 'Bearer wrong' })
            .catch(() => undefined);
          if (answer) statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        }
      });
      for (let turn = 0; turn < 20; turn++) expect((await flooded.post(hello())).status).toBe(200);
      await Promise.any(guessing);
      expect([...statuses.keys()].sort()).toEqual([401, 429]);
      expect(statuses.get(401)).toBeLessThan(200);
      expect(flooded.log.join('\n')).toMatch(/wrong tokens from 127\.0\.0\.1/);
      expect(flooded.log.length).toBeLessThan(5);
    } finally {
      await flooded.close();
    }
  });

  it('closes the connection if it is missing or wrong', async () => {
    expect((await fixture.send({ path: '/mcp' })).headers.connection).toBe('close');
    expect((await post({ authorization: 'Bearer wrong' })).headers.connection).toBe('close');
    expect((await post({ host: 'evil.example' })).headers.connection).toBe('close');
  });
});

describe('wrong tokens from one address', () => {
  it('are not delayed at first, then more and more, and are forgotten after a minute', () => {
    const failed = new FailedTokens();
    const delays = Array.from({ length: 14 }, () => failed.record('10.0.0.1', 0).delayMs);
    expect(delays).toEqual([0, 0, 0, 0, 0, 100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000]);
    expect(failed.record('10.0.0.2', 0).delayMs).toBe(0);
    expect(failed.record('10.0.0.1', 61_000).delayMs).toBe(0);
  });

  it('are counted together for all addresses of an IPv6 network', () => {
    const failed = new FailedTokens();
    for (let at = 0; at < 6; at++) failed.record(`2001:db8:1:2::${at}`, 0);
    expect(failed.record('2001:db8:1:2:ffff:ffff:ffff:ffff', 0).delayMs).toBeGreaterThan(0);
    expect(failed.record('2001:db8:1:3::1', 0).delayMs).toBe(0);
  });

  it('never need more than a little memory', () => {
    const failed = new FailedTokens();
    for (let at = 0; at < 100_000; at++) failed.record(`10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`, 0);
    expect(failed.size).toBe(4096);
  });
});

describe('a token file', () => {
  const known = ['replay', 'repo', 'patch'];

  it('gives each token a name and rights', () => {
    const text = [
      '# who may come in',
      '',
      'anna  anna-token-0123456789 read-write',
      'bert\tbert-token-0123456789\tread-only',
      'ci ci-token-0123456789012 repo,patch',
      'eve eve-token-012345678901 read-only repo',
    ].join('\r\n');
    const { grants, problems, warnings } = parseTokens(text, known);
    expect([problems, warnings]).toEqual([[], []]);
    expect(grants.map(({ name, readOnly, dialects }) => [name, readOnly, dialects])).toEqual([
      ['anna', false, undefined],
      ['bert', true, undefined],
      ['ci', false, ['patch', 'repo']],
      ['eve', true, ['repo']],
    ]);
    const tokens = new Tokens(grants);
    expect(tokens.find('ci-token-0123456789012')?.name).toBe('ci');
    expect(tokens.find('ci-token-012345678901')).toBeUndefined();
  });

  it.each([
    ['anna', 'a name, a token and rights'],
    ['anna sesame-open-sesame', 'no rights'],
    ['anna sesame-open-sesame readonly', 'another word'],
    ['anna sesame-open-sesame read-only read-write', 'both'],
    ['anna sesame-öpen-sesame read-only', 'cannot be sent'],
    ['a-token-in-the-place-of-a-name-where-none-belongs anna read-only', 'name must have'],
    ['x sesame-open-sesame read-only\nx other-open-sesame-1 read-only', 'already has this name'],
    ['x sesame-open-sesame read-only\ny sesame-open-sesame read-only', 'already has this token'],
  ])('says what is wrong with %j, without the token', (text, words) => {
    const { problems } = parseTokens(text, known);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(words);
    expect(problems[0]).not.toMatch(/sesame|in-the-place/);
  });

  it('is searched in the same time for every token', () => {
    const grants = Array.from({ length: 50 }, (_, at) => fullGrant(`token-number-${at}`, `holder${at}`));
    const tokens = new Tokens(grants);
    expect(tokens.find('token-number-0')?.name).toBe('holder0');
    expect(tokens.find('token-number-49')?.name).toBe('holder49');
    expect(tokens.find('')).toBeUndefined();
  });
});

describe('rights', () => {
  const file = [
    'reader reader-token-0123456789 read-only',
    'narrow narrow-token-0123456789 fileeditor',
    'writer writer-token-0123456789 read-write',
  ].join('\n');
  const { grants } = parseTokens(file, ['stage', 'replay', 'fileeditor']);
  const as = (name: string) => ({ authorization: `Bearer ${name}-token-0123456789` });

  it('do not let a read-only token change anything, in either era', async () => {
    const shared = await HttpFixture.open({ grants });
    try {
      const asked = { name: 'write_file', arguments: { path: 'a.txt', content: 'changed' } };
      const talk = await shared.session('/mcp/replay', as('reader'));
      expect((await talk.call('read_file', { path: 'a.txt' })).text).toContain('hello');
      expect((await talk.ask('tools/call', asked)).json.error!.code).toBe(-32001);
      const stateless = await shared.stateless('tools/call', asked, as('reader'), '/mcp/replay');
      expect(stateless.json.error!.code).toBe(-32001);
      expect(readFileSync(join(shared.root, 'a.txt'), 'utf8')).toBe('hello\n');
      const writer = await shared.session('/mcp/replay', as('writer'));
      expect((await writer.ask('tools/call', asked)).json.result).toBeDefined();
      expect(readFileSync(join(shared.root, 'a.txt'), 'utf8')).toBe('changed');
    } finally {
      await shared.close();
    }
  });

  it('give access only to the dialects that they name', async () => {
    const shared = await HttpFixture.open({ grants });
    try {
      expect((await shared.post(hello(), as('narrow'), '/mcp')).status).toBe(403);
      expect((await shared.post(hello(), as('narrow'), '/mcp/fileeditor')).status).toBe(200);
      expect((await shared.post(hello(), as('narrow'), '/mcp/nothing')).status).toBe(404);
    } finally {
      await shared.close();
    }
  });

  it('do not include the session of another token, even with its id', async () => {
    const shared = await HttpFixture.open({ grants });
    try {
      const mine = await shared.session('/mcp/replay', as('writer'));
      const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
      const stolen = { ...mine.headers, ...as('reader') };
      expect((await shared.post(list, stolen, '/mcp/replay')).status).toBe(404);
      const headers = { ...usual, ...stolen };
      expect((await shared.send({ method: 'DELETE', path: '/mcp/replay', headers })).status).toBe(404);
      const listening = { ...headers, accept: 'text/event-stream' };
      expect((await shared.send({ path: '/mcp/replay', headers: listening })).status).toBe(404);
      expect((await mine.ask('tools/list')).status).toBe(200);
    } finally {
      await shared.close();
    }
  });

  it('end at once when they are withdrawn, even for running calls, and others stay', async () => {
    const shared = await HttpFixture.open({ grants });
    try {
      const leaving = await shared.session('/mcp', as('writer'));
      const staying = await shared.session('/mcp', as('reader'));
      const headers = { ...usual, ...leaving.headers, accept: 'text/event-stream' };
      const listening = shared.send({ path: '/mcp', headers });
      const running = leaving.call('wait');
      const stateless = shared.stateless('tools/call', { name: 'wait', arguments: {} }, as('writer'));
      await shared.held.started(2);
      shared.serving.replaceTokens(grants.filter(({ name }) => name !== 'writer'));
      const cut = await Promise.allSettled([listening, running, stateless]);
      expect(cut.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
      expect(shared.held.aborted).toBe(2);
      expect((await leaving.call('echo')).status).toBe(401);
      expect((await staying.call('echo')).status).toBe(200);

      // The same token again, with fewer rights: sessions that were opened with more rights do not come back.
      shared.serving.replaceTokens(grants);
      expect((await leaving.call('echo')).status).toBe(404);
      expect((await staying.call('echo')).status).toBe(200);
    } finally {
      await shared.close();
    }
  });
});
