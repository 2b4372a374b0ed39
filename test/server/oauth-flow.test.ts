/**
 * The whole flow of a remote client: the protocol's own client finds the authorization server, registers, sends its user
 * there, and calls tools of the built program with the token that it gets. The program is behind a proxy.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  Client,
  type OAuthClientProvider,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../until.ts';
import { type OidcIssuer, openOidcIssuer, visit } from './oidc-issuer.ts';
import { ProgramFixture } from './page/program-fixture.ts';

const REDIRECT = 'http://127.0.0.1:9/callback';

let issuer: OidcIssuer;
let proxy: Server;
let program: ProgramFixture;
let publicUrl: string;
let port = 0;

beforeAll(async () => {
  issuer = await openOidcIssuer();
  proxy = createServer((request, response) => {
    const { method, url, headers } = request;
    const onwards = httpRequest({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    onwards.on('error', () => response.destroy());
    request.pipe(onwards);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  publicUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  program = new ProgramFixture({ 'a.txt': 'hello\n' });
  const oauth = ['--oauth-issuer', issuer.url, '--public-url', publicUrl];
  const args = ['--dialect', 'standard', '--http', '0', ...oauth, program.root];
  port = Number((await program.start(args, /serving http:\/\/127\.0\.0\.1:(\d+)\/mcp/))[1]);
});
afterAll(async () => {
  await program.end();
  proxy.closeAllConnections();
  await new Promise((resolve) => proxy.close(resolve));
  await issuer.close();
});

/** What a client remembers, and its user at the browser. */
class User implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT;
  /** The URL to which the user's browser was redirected. */
  callback: URL | undefined;
  asked: URL | undefined;
  #client: StoredOAuthClientInformation | undefined;
  #tokens: StoredOAuthTokens | undefined;
  #verifier = '';

  get clientMetadata() {
    return {
      redirect_uris: [REDIRECT],
      client_name: 'test',
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      grant_types: ['authorization_code'],
      response_types: ['code'],
    };
  }

  clientInformation() {
    return this.#client;
  }

  saveClientInformation(client: StoredOAuthClientInformation) {
    this.#client = client;
  }

  tokens() {
    return this.#tokens;
  }

  saveTokens(tokens: StoredOAuthTokens) {
    this.#tokens = tokens;
  }

  async redirectToAuthorization(url: URL) {
    this.asked = url;
    this.callback = await visit(url);
  }

  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier;
  }

  codeVerifier() {
    return this.#verifier;
  }
}

describe.each([
  ['sessions', 'legacy'],
  ['no sessions', { pin: '2026-07-28' }],
] as const)('a client with %s', (_, mode) => {
  it('gets a token, and uses it', async () => {
    const user = new User();
    const url = new URL(`${publicUrl}/mcp`);
    const connect = async () => {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      const transport = new StreamableHTTPClientTransport(url, { authProvider: user });
      try {
        await client.connect(transport);
        return client;
      } catch (error) {
        if (!(error instanceof UnauthorizedError) || !user.callback) throw error;
        await transport.finishAuth(user.callback.searchParams);
        return undefined;
      }
    };
    expect(await connect()).toBeUndefined();
    expect(user.asked?.searchParams.get('resource')).toBe(url.href);
    expect(user.asked?.searchParams.get('scope')?.split(' ')).toContain('files:write');
    const claims = decodeJwt(user.tokens()!.access_token);
    expect(claims).toMatchObject({ iss: issuer.url, aud: url.href, sub: 'anna' });

    const client = (await connect())!;
    try {
      const read = await client.callTool({ name: 'read_text_file', arguments: { path: 'a.txt' } });
      expect(read.content[0]).toMatchObject({ type: 'text', text: 'hello\n' });
      const args = { path: `${typeof mode === 'string' ? mode : mode.pin}.txt`, content: 'new\n' };
      const wrote = await client.callTool({ name: 'write_file', arguments: args });
      expect(wrote.isError ?? false).toBe(false);
      const history = await client.callTool({ name: 'history', arguments: {} });
      expect(JSON.stringify(history.content)).toContain(args.path);
    } finally {
      await client.close();
    }
  });
});

it('records the subject as the caller in the journal and in the trace', async () => {
  const written = (part: string) => {
    const directory = join(program.state, part);
    return readdirSync(directory).map((name) => readFileSync(join(directory, name), 'utf8'));
  };
  await until(() => written('trace').join('').includes('"who":"anna"'));
  expect(written('journal').join('')).toContain('"who":"anna"');
});
