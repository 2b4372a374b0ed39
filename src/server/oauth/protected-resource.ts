/**
 * The endpoints as protected resources (RFC 9728): tells clients which authorization server to ask, and decides whether
 * the token of a request gives access to an endpoint.
 */
import type { Dialect } from '../../dialects/dialect.ts';
import type { GrantedAccess } from '../web/admission.ts';
import type { Refusal } from '../web/reply.ts';
import type { Grant } from '../web/tokens/tokens.ts';
import { type AccessToken, AccessTokens, InvalidToken } from './access-tokens.ts';
import { IssuerKeys, KeysUnavailable } from './issuer-keys.ts';
import { knownScopes, scopesNeeded, scopesOfTools } from './scopes.ts';
import type { OAuthSettings } from './settings.ts';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';
/** Characters that a quoted string in a header cannot hold. */
const UNQUOTABLE = /[^\x20-\x21\x23-\x5b\x5d-\x7e]/g;

export interface ResourceOptions {
  settings: OAuthSettings;
  /** The dialects by the paths of their endpoints. */
  paths: ReadonlyMap<string, Dialect>;
  /** Whether any of the served directories is writable. */
  canChange: boolean;
  /** Whether the operator issued a token under this name: a subject of the same name is somebody else. */
  isTaken(name: string): boolean;
}

export class ProtectedResources {
  readonly #options: ResourceOptions;
  readonly #keys: IssuerKeys;
  readonly #tokens: AccessTokens;
  /** The grants by subject, so that a client can continue with a new token what it began with the old one. */
  readonly #grants = new Map<string, Grant>();

  constructor(options: ResourceOptions) {
    this.#options = options;
    this.#keys = new IssuerKeys(options.settings.issuer);
    this.#tokens = new AccessTokens(options.settings, this.#keys);
  }

  /** Why the issuer's keys cannot be fetched; undefined if they can. */
  async problem(): Promise<string | undefined> {
    try {
      await this.#keys.keys();
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }

  /** The metadata at a path; undefined if the path describes no endpoint. */
  metadataAt(path: string): object | undefined {
    if (!path.startsWith(WELL_KNOWN)) return undefined;
    const { publicUrl, issuer } = this.#options.settings;
    const below = path.slice(WELL_KNOWN.length);
    const prefix = new URL(publicUrl).pathname.replace(/\/$/, '');
    const unprefixed = prefix !== '' && below.startsWith(`${prefix}/`) ? below.slice(prefix.length) : below;
    const endpoint = unprefixed === '' || unprefixed === '/' ? '/mcp' : unprefixed;
    const dialect = this.#options.paths.get(endpoint);
    if (!dialect) return undefined;
    return {
      resource: `${publicUrl}${endpoint}`,
      authorization_servers: [issuer],
      scopes_supported: scopesOfTools(dialect, this.#options.canChange),
      bearer_methods_supported: ['header'],
      resource_name: 'Cofferdam',
    };
  }

  /** The `WWW-Authenticate` header of a refusal: where to get a token, and with which scopes. */
  challenge(
    path: string,
    error?: { error: string; description: string; scopes?: readonly string[] },
  ): string {
    const endpoint = this.#options.paths.has(path) ? path : '/mcp';
    const { settings, paths, canChange } = this.#options;
    const { origin, pathname } = new URL(settings.publicUrl);
    const metadata = `${origin}${WELL_KNOWN}${pathname.replace(/\/$/, '')}${endpoint}`;
    const scopes = error?.scopes ?? scopesOfTools(paths.get(endpoint)!, canChange);
    const parts = [
      ['realm', 'cofferdam'],
      ...(error
        ? [
            ['error', error.error],
            ['error_description', error.description],
          ]
        : []),
      ['scope', scopes.join(' ')],
      ['resource_metadata', metadata],
    ];
    return `Bearer ${parts.map(([name, value]) => `${name}="${value!.replace(UNQUOTABLE, '?')}"`).join(', ')}`;
  }

  /** A grant for the token of a request to this path, or why there is none. */
  async open(token: string, path: string): Promise<GrantedAccess | Refusal> {
    const endpoint = this.#options.paths.has(path) ? path : '/mcp';
    const { audience, publicUrl } = this.#options.settings;
    try {
      const checked = await this.#tokens.check(token, audience ?? `${publicUrl}${endpoint}`);
      const { scopes, expiresAt } = checked;
      return { grant: this.#grantOf(checked), issued: { scopes, expiresAt } };
    } catch (error) {
      if (error instanceof KeysUnavailable)
        return { status: 503, retryAfter: 5, message: `The token cannot be checked now: ${error.message}` };
      if (!(error instanceof InvalidToken)) throw error;
      const description = error.message;
      const challenge = this.challenge(endpoint, { error: 'invalid_token', description });
      const message = `The token is not valid: ${description}`;
      return { status: 401, message, headers: { 'WWW-Authenticate': challenge } };
    }
  }

  /** The refusal of a request whose token lacks a scope that one of its messages needs. */
  whyNotInScope(
    path: string,
    scopes: ReadonlySet<string>,
    messages: readonly unknown[],
  ): Refusal | undefined {
    const needed = scopesNeeded(this.#options.paths.get(path)!, scopes, messages);
    const missing = needed.filter((scope) => !scopes.has(scope));
    if (missing.length === 0) return undefined;
    const description = `this needs ${missing.join(' and ')}`;
    const all = [...new Set([...knownScopes(scopes), ...needed])].sort();
    const challenge = this.challenge(path, { error: 'insufficient_scope', description, scopes: all });
    const message = `The token lacks a scope: ${description}`;
    return { status: 403, message, headers: { 'WWW-Authenticate': challenge } };
  }

  /** Called when the grant has not been used for long. */
  forget(grant: Grant): void {
    for (const [subject, each] of this.#grants) if (each === grant) this.#grants.delete(subject);
  }

  #grantOf({ subject }: AccessToken): Grant {
    // No name in a token file can have a colon.
    const name = this.#options.isTaken(subject) ? `oauth:${subject}` : subject;
    let grant = this.#grants.get(name);
    if (!grant) {
      grant = { name, readOnly: false, dialects: undefined, oneClient: false };
      this.#grants.set(name, grant);
    }
    return grant;
  }
}
