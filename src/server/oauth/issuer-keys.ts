/** Finds the keys of an authorization server through its metadata, and fetches them again when it uses a new key. */
import { createRemoteJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import { isSafeUrl } from './settings.ts';

const FETCH_MS = 5000;
const LONGEST_METADATA = 1024 * 1024;
/** How long to wait before asking a server again that could not be reached. */
const RETRY_MS = 5000;
/** Tokens with unknown keys lead to at most one fetch in this time. */
const COOLDOWN_MS = 10_000;
/** How long fetched keys are used: a key that the issuer withdrew is accepted no longer than this. */
const KEYS_LAST_MS = 5 * 60_000;

/** The keys could not be fetched, so the token is neither valid nor invalid. */
export class KeysUnavailable extends Error {}

export class IssuerKeys {
  readonly #issuer: string;
  readonly #cooldownMs: number;
  #finding: Promise<JWTVerifyGetKey> | undefined;
  #failed: { at: number; error: KeysUnavailable } | undefined;

  constructor(issuer: string, cooldownMs = COOLDOWN_MS) {
    this.#issuer = issuer;
    this.#cooldownMs = cooldownMs;
  }

  /** Finds the key of a token by its header. Throws `KeysUnavailable` when the issuer cannot be asked. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const keys = await this.keys();
    try {
      return await keys(header, token);
    } catch (error) {
      throw isAboutToken(error) ? error : unavailable(this.#issuer, error);
    }
  };

  /** The issuer's key set. A success is remembered; after a failure, the next attempt waits some seconds. */
  async keys(): Promise<JWTVerifyGetKey> {
    if (this.#failed && Date.now() - this.#failed.at < RETRY_MS) throw this.#failed.error;
    this.#finding ??= this.#discover();
    try {
      return await this.#finding;
    } catch (error) {
      this.#finding = undefined;
      this.#failed = { at: Date.now(), error: unavailable(this.#issuer, error) };
      throw this.#failed.error;
    }
  }

  async #discover(): Promise<JWTVerifyGetKey> {
    const problems: string[] = [];
    for (const url of metadataUrls(this.#issuer)) {
      try {
        const address = keysAddress(await fetchMetadata(url), this.#issuer);
        return createRemoteJWKSet(address, {
          timeoutDuration: FETCH_MS,
          cooldownDuration: this.#cooldownMs,
          cacheMaxAge: KEYS_LAST_MS,
        });
      } catch (error) {
        problems.push(`${url}: ${reasonOf(error)}`);
      }
    }
    throw new Error(problems.join('; '));
  }
}

/** Where issuers publish their metadata: RFC 8414 puts the well-known part first, OpenID Connect last. */
export function metadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const names = ['oauth-authorization-server', 'openid-configuration'];
  const inFront = names.map((name) => `${origin}/.well-known/${name}${path}`);
  return path === '' ? inFront : [...inFront, `${origin}${path}/.well-known/openid-configuration`];
}

async function fetchMetadata(url: string): Promise<unknown> {
  const signal = AbortSignal.timeout(FETCH_MS);
  const response = await fetch(url, { redirect: 'error', signal, headers: { Accept: 'application/json' } });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`answered ${response.status}`);
  }
  return JSON.parse(await textOf(response));
}

async function textOf(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > LONGEST_METADATA) throw new Error('is longer than 1 MiB');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function keysAddress(metadata: unknown, issuer: string): URL {
  const { issuer: named, jwks_uri: keys } = Object(metadata) as { issuer?: unknown; jwks_uri?: unknown };
  // Otherwise one issuer could speak for another.
  if (named !== issuer) throw new Error(`names another issuer, ${JSON.stringify(named)?.slice(0, 200)}`);
  if (typeof keys !== 'string' || !URL.canParse(keys)) throw new Error('has no jwks_uri');
  const address = new URL(keys);
  if (!isSafeUrl(address)) throw new Error('has a jwks_uri without TLS');
  return address;
}

function isAboutToken(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  );
}

function unavailable(issuer: string, error: unknown): KeysUnavailable {
  return new KeysUnavailable(`the keys of ${issuer} cannot be fetched: ${reasonOf(error)}`);
}

/** Includes the cause: `fetch failed` alone does not say why. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}
