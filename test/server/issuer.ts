/** An authorization server on loopback with its own keys, which signs whatever a test wants. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

export interface Claims {
  [claim: string]: unknown;
}

interface Key {
  kid: string;
  alg: string;
  privateKey: CryptoKey;
  jwk: JWK;
}

export class Issuer {
  readonly url: string;
  /** While true, the server does not answer. */
  isAway = false;
  /** How often the keys were fetched. */
  fetches = 0;
  /** Additions to the usual metadata, or replacements. */
  metadata: object = {};
  #keys: Key[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async open(): Promise<Issuer> {
    let issuer: Issuer | undefined;
    const server = createServer((request, response) => {
      const body = issuer?.isAway ? undefined : issuer?.answer(request.url!);
      response.writeHead(body ? 200 : issuer?.isAway ? 500 : 404, { 'Content-Type': 'application/json' });
      response.end(body && JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    issuer = new Issuer(server);
    await issuer.addKey('first');
    return issuer;
  }

  answer(path: string): object | undefined {
    if (path === '/.well-known/oauth-authorization-server')
      return { issuer: this.url, jwks_uri: `${this.url}/keys`, ...this.metadata };
    if (path !== '/keys') return undefined;
    this.fetches++;
    return { keys: this.#keys.map(({ jwk }) => jwk) };
  }

  async addKey(kid: string, alg = 'ES256'): Promise<void> {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    this.#keys.push({ kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } });
  }

  publicKey(kid: string): JWK {
    return this.#keys.find((key) => key.kid === kid)!.jwk;
  }

  /** A token for `audience` with all rights, unless the claims say otherwise; a claim that is undefined is left out. */
  sign(audience: string, claims: Claims = {}, header: Claims = {}): Promise<string> {
    const { kid, alg, privateKey } = this.#keys.at(-1)!;
    const now = Math.floor(Date.now() / 1000);
    const scope = 'files:read files:write files:run';
    const usual = { iss: this.url, aud: audience, sub: 'anna', iat: now, exp: now + 300, scope };
    const payload = JSON.parse(JSON.stringify({ ...usual, ...claims })) as Claims;
    return new SignJWT(payload).setProtectedHeader({ alg, kid, typ: 'at+jwt', ...header }).sign(privateKey);
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
