/** Access tokens of an authorization server: which are valid, what their scopes allow, and what clients are told. */
import { createHmac, generateKeyPairSync, sign as signBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseHttp } from '../../src/cli/arguments/options/http-flags.ts';
import { AccessTokens } from '../../src/server/oauth/access-tokens.ts';
import { IssuerKeys, metadataUrls } from '../../src/server/oauth/issuer-keys.ts';
import { until } from '../until.ts';
import { type Answer, HttpFixture, hello, TOKEN, usual } from './http-fixture.ts';
import { type Claims, Issuer } from './issuer.ts';

const PUBLIC = 'https://files.example';
const ENDPOINT = `${PUBLIC}/mcp`;
const REPLAY = `${PUBLIC}/mcp/replay`;

let issuer: Issuer;
let fixture: HttpFixture;
beforeAll(async () => {
  issuer = await Issuer.open();
  fixture = await HttpFixture.open({
    oauth: { issuer: issuer.url, publicUrl: PUBLIC },
    allowHosts: ['files.example'],
  });
});
afterAll(async () => {
  await fixture.close();
  await issuer.close();
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
/** Sends each request from another address: wrong tokens from one address are answered more and more slowly. */
let address = 1;
const begin = (token: string, path = '/mcp') =>
  fixture.send({
    ...{ method: 'POST', path, body: JSON.stringify(hello()), headers: { ...usual, ...bearer(token) } },
    localAddress: `127.1.${++address >> 8}.${address & 255}`,
  });
const challengeOf = ({ headers }: Answer) => String(headers['www-authenticate']);
const part = (answer: Answer, name: string) => new RegExp(`${name}="([^"]*)"`).exec(challengeOf(answer))?.[1];
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const now = () => Math.floor(Date.now() / 1000);

/** A session on replay, whose tools change files. */
const replayWith = async (claims: Claims) =>
  fixture.session('/mcp/replay', bearer(await issuer.sign(REPLAY, { sub: 'anna', ...claims })));

describe('the metadata', () => {
  it.each([
    ['/.well-known/oauth-protected-resource', ENDPOINT],
    ['/.well-known/oauth-protected-resource/mcp', ENDPOINT],
    ['/.well-known/oauth-protected-resource/mcp/replay', REPLAY],
  ])('at %s describes an endpoint to anybody', async (path, resource) => {
    const answer = await fixture.send({ path, headers: { host: 'files.example' } });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    expect(JSON.parse(answer.text)).toMatchObject({
      resource,
      authorization_servers: [issuer.url],
      bearer_methods_supported: ['header'],
      scopes_supported: resource === REPLAY ? ['files:read', 'files:write', 'files:run'] : ['files:read'],
    });
  });

  it.each([
    '/.well-known/oauth-protected-resource/elsewhere',
    '/.well-known/oauth-protected-resourcex',
    '/.well-known/oauth-authorization-server',
    '/mcp/.well-known/oauth-protected-resource',
  ])('is not at %s', async (path) => {
    expect((await fixture.send({ path })).status).toBe(404);
  });

  it('can only be read', async () => {
    const path = '/.well-known/oauth-protected-resource';
    expect((await fixture.send({ path, method: 'POST' })).status).toBe(405);
  });

  it('is also found below the path of a public URL, whether or not a proxy strips that path', async () => {
    const below = await HttpFixture.open({ oauth: { issuer: issuer.url, publicUrl: `${PUBLIC}/team` } });
    try {
      for (const path of ['/team/mcp', '/mcp']) {
        const answer = await below.send({ path: `/.well-known/oauth-protected-resource${path}` });
        expect(JSON.parse(answer.text)).toMatchObject({ resource: `${PUBLIC}/team/mcp` });
      }
      const refused = await below.post(hello(), { authorization: '' });
      expect(part(refused, 'resource_metadata')).toBe(
        `${PUBLIC}/.well-known/oauth-protected-resource/team/mcp`,
      );
    } finally {
      await below.close();
    }
  });
});

describe('a request without a token', () => {
  it('is told where to ask for one, and for which scopes', async () => {
    const { authorization: _, ...rest } = usual as Record<string, string>;
    const body = JSON.stringify(hello());
    const answer = await fixture.send({ method: 'POST', path: '/mcp/replay', headers: rest, body });
    expect(answer.status).toBe(401);
    expect(challengeOf(answer)).toMatch(/^Bearer /);
    expect(part(answer, 'resource_metadata')).toBe(
      `${PUBLIC}/.well-known/oauth-protected-resource/mcp/replay`,
    );
    expect(part(answer, 'scope')).toBe('files:read files:write files:run');
    expect(part(answer, 'error')).toBeUndefined();
  });
});

describe('a valid token', () => {
  it('gives access to the endpoint that it is for', async () => {
    expect((await begin(await issuer.sign(ENDPOINT))).status).toBe(200);
  });

  it('may name several audiences, and no type', async () => {
    const token = await issuer.sign(
      ENDPOINT,
      { aud: ['https://other.example', ENDPOINT] },
      { typ: undefined },
    );
    expect((await begin(token)).status).toBe(200);
  });

  it('works alongside the tokens of the operator', async () => {
    expect((await begin(TOKEN)).status).toBe(200);
  });

  it('also works without sessions', async () => {
    const token = await issuer.sign(ENDPOINT);
    const answer = await fixture.stateless('tools/call', { name: 'echo', arguments: {} }, bearer(token));
    expect(answer.json.result?.content?.[0]?.text).toBe('echo');
  });

  it('continues the session of an earlier token only for the same subject', async () => {
    const { headers } = await replayWith({ scope: 'files:read' });
    const list = (token: string) =>
      fixture.post(
        { jsonrpc: '2.0', id: 9, method: 'tools/list' },
        { ...headers, ...bearer(token) },
        '/mcp/replay',
      );
    const newer = await issuer.sign(REPLAY, { scope: 'files:read files:write', jti: 'newer' });
    expect((await list(newer)).status).toBe(200);
    expect((await list(await issuer.sign(REPLAY, { sub: 'bert' }))).status).toBe(404);
  });

  it('does not become an operator token by having the same name', async () => {
    const { headers } = await fixture.session('/mcp/replay', bearer(TOKEN));
    const token = await issuer.sign(REPLAY, { sub: 'owner' });
    const message = { jsonrpc: '2.0', id: 9, method: 'tools/list' };
    expect((await fixture.post(message, { ...headers, ...bearer(token) }, '/mcp/replay')).status).toBe(404);
  });
});

describe('a token is refused', () => {
  /** Stands for the URL of the issuer with a slash after it: the issuer starts after the cases are listed. */
  const WITH_SLASH = 'the URL of the issuer, and a slash';
  const bad: [string, Claims, Claims?][] = [
    ['for another server', { aud: 'https://other.example/mcp' }],
    ['for the origin only', { aud: PUBLIC }],
    ['for another endpoint of this server', { aud: REPLAY }],
    ['for a URL that only begins the same', { aud: `${ENDPOINT}/` }],
    ['without an audience', { aud: undefined }],
    ['from another issuer', { iss: 'https://other.example' }],
    ['from an issuer with an extra slash', { iss: WITH_SLASH }],
    ['without an issuer', { iss: undefined }],
    ['that has expired', { exp: now() - 60 }],
    ['that does not expire', { exp: undefined }],
    ['with an expiry that is not a number', { exp: 'tomorrow' }],
    ['that is not valid yet', { nbf: now() + 600 }],
    ['without a subject', { sub: undefined }],
    ['with an empty subject', { sub: '' }],
    ['with a subject that is not a string', { sub: 7 }],
    ['with a subject that is too long', { sub: 'a'.repeat(300) }],
    ['that is bound to a key', { cnf: { jkt: 'x' } }],
    ['for logging out', {}, { typ: 'logout+jwt' }],
    ['with an unknown critical header', {}, { crit: ['x'], x: 1 }],
    ['with an unknown key', {}, { kid: 'unknown' }],
  ];
  it.each(bad)('if it is one %s', async (_, claims, header) => {
    const real = claims.iss === WITH_SLASH ? { ...claims, iss: `${issuer.url}/` } : claims;
    const answer = await begin(await forge(real, header));
    expect(answer.status).toBe(401);
    expect(part(answer, 'error')).toBe('invalid_token');
    expect(part(answer, 'resource_metadata')).toContain('/.well-known/oauth-protected-resource');
    expect(part(answer, 'error_description')).not.toBe('');
  });

  /** Signs even what the library would refuse to sign. */
  async function forge(claims: Claims, header: Claims = {}): Promise<string> {
    if (!header.crit) return issuer.sign(ENDPOINT, claims, header);
    const good = await issuer.sign(ENDPOINT, claims);
    const [head, ...rest] = good.split('.');
    const changed = { ...JSON.parse(Buffer.from(head!, 'base64url').toString()), ...header };
    return [encode(changed), ...rest].join('.');
  }

  const payload = () =>
    encode({ iss: issuer.url, aud: ENDPOINT, sub: 'anna', exp: now() + 300, scope: 'files:read' });

  it('if it has no signature', async () => {
    expect((await begin(`${encode({ alg: 'none' })}.${payload()}.`)).status).toBe(401);
  });

  it.each(['HS256', 'HS512'])('if its %s secret is the public key', async (alg) => {
    const { x, y } = issuer.publicKey('first');
    for (const secret of [JSON.stringify(issuer.publicKey('first')), `${x}`, `${x}${y}`]) {
      const signed = `${encode({ alg, kid: 'first' })}.${payload()}`;
      const mac = createHmac(alg === 'HS256' ? 'sha256' : 'sha512', secret)
        .update(signed)
        .digest('base64url');
      expect((await begin(`${signed}.${mac}`)).status).toBe(401);
    }
  });

  it.each(['jwk', 'jku', 'x5u'])('if it brings its own key (%s)', async (where) => {
    const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwk = own.publicKey.export({ format: 'jwk' });
    const value = where === 'jwk' ? jwk : `${issuer.url}/keys`;
    for (const kid of [undefined, 'first']) {
      const signed = `${encode({ alg: 'ES256', kid, [where]: value })}.${payload()}`;
      const key = { key: own.privateKey, dsaEncoding: 'ieee-p1363' } as const;
      const signature = signBytes('sha256', Buffer.from(signed), key).toString('base64url');
      expect((await begin(`${signed}.${signature}`)).status).toBe(401);
    }
  });

  it('if its payload was changed', async () => {
    const [head, , signature] = (await issuer.sign(ENDPOINT)).split('.');
    expect((await begin(`${head}.${payload()}.${signature}`)).status).toBe(401);
  });

  it.each(['a.b.c', '...', 'x', `${'a'.repeat(8000)}.b.c`])('if it is not a token: %.20s', async (text) => {
    expect((await begin(text)).status).toBe(401);
  });

  it('on the page, which accepts only tokens of the operator', async () => {
    const answer = await fixture.send({ path: '/page/events', headers: bearer(await issuer.sign(ENDPOINT)) });
    expect(answer.status).not.toBe(200);
  });
});

describe('scopes', () => {
  const write = { path: 'new.txt', content: 'x' };

  it('allow the calls that they cover, and refuse others with 403 before anything is done', async () => {
    const reader = await replayWith({ scope: 'files:read' });
    const refused = await reader.call('write_file', write);
    expect(refused.status).toBe(403);
    expect(part(refused, 'error')).toBe('insufficient_scope');
    expect(part(refused, 'scope')).toBe('files:read files:write');
    expect(existsSync(join(fixture.root, 'new.txt'))).toBe(false);
    expect((await reader.call('read_file', { path: 'a.txt' })).json.result?.content?.[0]?.text).toContain(
      'hello',
    );
    const writer = await replayWith({ scope: 'files:read files:write' });
    expect((await writer.call('write_file', write)).status).toBe(200);
    expect(readFileSync(join(fixture.root, 'new.txt'), 'utf8')).toBe('x');
  });

  it('apply without a session', async () => {
    const token = await issuer.sign(REPLAY, { scope: 'files:read' });
    const params = { name: 'write_file', arguments: { path: 'b.txt', content: 'x' } };
    expect((await fixture.stateless('tools/call', params, bearer(token), '/mcp/replay')).status).toBe(403);
    expect(existsSync(join(fixture.root, 'b.txt'))).toBe(false);
  });

  it('apply to each message of a batch', async () => {
    const token = bearer(await issuer.sign(REPLAY, { scope: 'files:read' }));
    const { headers } = await fixture.session('/mcp/replay', token, '2025-03-26');
    const call = (id: number, name: string, args: object) => ({
      ...{ jsonrpc: '2.0', id, method: 'tools/call' },
      params: { name, arguments: args },
    });
    const batch = [
      call(1, 'read_file', { path: 'a.txt' }),
      call(2, 'write_file', { path: 'c.txt', content: 'x' }),
    ];
    expect((await fixture.post(batch, headers, '/mcp/replay')).status).toBe(403);
    expect(existsSync(join(fixture.root, 'c.txt'))).toBe(false);
  });

  it.each([{ scope: 'openid' }, { scope: undefined }, { scope: 7 }, { scope: 'files:write' }])(
    'give no access without files:read: %j',
    async (claims) => {
      const answer = await begin(await issuer.sign(ENDPOINT, claims));
      expect(answer.status).toBe(403);
      expect(part(answer, 'scope')).toContain('files:read');
    },
  );

  it('may be a list, or be in scp', async () => {
    for (const claims of [{ scope: ['files:read'] }, { scope: undefined, scp: 'files:read' }])
      expect((await begin(await issuer.sign(ENDPOINT, claims))).status).toBe(200);
  });

  it('give access only to the dialects that they name', async () => {
    const scope = 'files:read dialect:stage';
    expect((await begin(await issuer.sign(ENDPOINT, { scope }))).status).toBe(200);
    const refused = await begin(await issuer.sign(REPLAY, { scope }), '/mcp/replay');
    expect(refused.status).toBe(403);
    expect(part(refused, 'scope')).toBe('dialect:replay dialect:stage files:read');
  });
});

describe('the keys of the issuer', () => {
  it('may change while tokens are in use', async () => {
    const rotating = await Issuer.open();
    const settings = { issuer: rotating.url, publicUrl: PUBLIC };
    const tokens = new AccessTokens(settings, new IssuerKeys(rotating.url, 0));
    try {
      expect((await tokens.check(await rotating.sign(ENDPOINT), ENDPOINT)).subject).toBe('anna');
      await rotating.addKey('second', 'RS256');
      expect((await tokens.check(await rotating.sign(ENDPOINT), ENDPOINT)).subject).toBe('anna');
      expect(rotating.fetches).toBe(2);
      // Two keys fit a token that names no key.
      await rotating.addKey('third', 'RS256');
      await tokens.check(await rotating.sign(ENDPOINT), ENDPOINT);
      const nameless = await rotating.sign(ENDPOINT, {}, { kid: undefined });
      expect((await tokens.check(nameless, ENDPOINT)).subject).toBe('anna');
    } finally {
      await rotating.close();
    }
  });

  it('are not fetched for each token that names an unknown one', async () => {
    const before = issuer.fetches;
    for (let i = 0; i < 20; i++) {
      await begin(await issuer.sign(ENDPOINT, { jti: String(i) }));
      await begin(await issuer.sign(ENDPOINT, { jti: String(i) }, { kid: `unknown-${i}` }));
    }
    expect(issuer.fetches - before).toBeLessThan(20);
  });

  it('make the server answer 503 while they cannot be fetched', async () => {
    const away = await Issuer.open();
    away.isAway = true;
    const other = await HttpFixture.open({ oauth: { issuer: away.url, publicUrl: PUBLIC } });
    try {
      await until(() => other.log.some((line) => line.includes('cannot be fetched')));
      const answer = await other.post(hello(), bearer(await away.sign(ENDPOINT)));
      expect(answer.status).toBe(503);
      expect(answer.headers['retry-after']).toBe('5');
      expect((await other.post(hello())).status).toBe(200);
      away.isAway = false;
      await until(async () => (await other.post(hello(), bearer(await away.sign(ENDPOINT)))).status === 200);
    } finally {
      await other.close();
      await away.close();
    }
  });

  it.each([
    ['from another issuer', { issuer: 'https://other.example' }],
    ['at a URL without TLS', { jwks_uri: 'http://192.0.2.1/keys' }],
    ['without a URL', { jwks_uri: 7 }],
  ])('%s are not used', async (_, metadata) => {
    const odd = await Issuer.open();
    odd.metadata = metadata;
    const other = await HttpFixture.open({ oauth: { issuer: odd.url, publicUrl: PUBLIC } });
    try {
      expect((await other.post(hello(), bearer(await odd.sign(ENDPOINT)))).status).toBe(503);
    } finally {
      await other.close();
      await odd.close();
    }
  });

  it('are looked for where issuers publish them', () => {
    expect(metadataUrls('https://login.example')).toEqual([
      'https://login.example/.well-known/oauth-authorization-server',
      'https://login.example/.well-known/openid-configuration',
    ]);
    expect(metadataUrls('https://login.example/team/')).toEqual([
      'https://login.example/.well-known/oauth-authorization-server/team',
      'https://login.example/.well-known/openid-configuration/team',
      'https://login.example/team/.well-known/openid-configuration',
    ]);
  });
});

describe('settings', () => {
  it('name the audience and the claim with the scopes', async () => {
    const other = await HttpFixture.open({
      oauth: { issuer: issuer.url, publicUrl: PUBLIC, audience: 'files', scopeClaim: 'permissions' },
    });
    try {
      const claims = { scope: undefined, permissions: ['files:read'] };
      expect((await other.post(hello(), bearer(await issuer.sign('files', claims)))).status).toBe(200);
      expect((await other.post(hello(), bearer(await issuer.sign(ENDPOINT, claims)))).status).toBe(401);
      const inScope = await issuer.sign('files', { scope: 'files:read' });
      expect((await other.post(hello(), bearer(inScope))).status).toBe(403);
    } finally {
      await other.close();
    }
  });

  const issuerUrl = 'https://login.example';
  it.each([
    [{ 'oauth-issuer': issuerUrl }, 'needs --public-url'],
    [{ 'public-url': PUBLIC }, '--oauth-issuer URL'],
    [{ 'oauth-audience': 'x' }, '--oauth-issuer URL'],
    [{ 'oauth-issuer': 'http://login.example', 'public-url': PUBLIC }, 'need TLS'],
    [{ 'oauth-issuer': issuerUrl, 'public-url': 'http://files.example' }, 'need TLS'],
    [{ 'oauth-issuer': 'login.example', 'public-url': PUBLIC }, 'give an address'],
    [{ 'oauth-issuer': `${issuerUrl}?a=b`, 'public-url': PUBLIC }, 'without a query'],
    [{ 'oauth-issuer': issuerUrl, 'public-url': PUBLIC, 'oauth-audience': ' ' }, 'is empty'],
  ])('are refused if they are invalid: %j', (values, words) => {
    expect(() => parseHttp({ http: '8080', ...values })).toThrow(words);
  });

  it('need a server over HTTP', () => {
    expect(() => parseHttp({ 'oauth-issuer': issuerUrl })).toThrow('--http');
  });

  it.each([PUBLIC, `${PUBLIC}/`, `${PUBLIC}/mcp`, `${PUBLIC}/mcp/`])('accept %s as the public URL', (url) => {
    const parsed = parseHttp({ http: '8080', 'oauth-issuer': `${issuerUrl}/`, 'public-url': url });
    expect(parsed?.oauth).toEqual({ issuer: `${issuerUrl}/`, publicUrl: PUBLIC });
  });
});
