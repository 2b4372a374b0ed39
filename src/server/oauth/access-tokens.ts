/** Checks access tokens: JWTs that the issuer has signed for this server and that have not expired. */
import { createHash } from 'node:crypto';
import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose';
import type { IssuerKeys } from './issuer-keys.ts';
import type { OAuthSettings } from './settings.ts';

/** Algorithms with which only the issuer can sign. With `none` or an HMAC, anybody with the public keys could. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
/** The accepted types. Issuers sign logout tokens, requests and statements about devices with the same keys. */
const TYPES = new Set([undefined, 'jwt', 'at+jwt', 'application/at+jwt']);
/** How much the clocks of the issuer and this server may differ. */
const CLOCK_SECONDS = 5;
/** The limit of OpenID Connect. */
const LONGEST_SUBJECT = 255;
const LONGEST_TOKEN = 16 * 1024;
/** How long a valid token is remembered: until then, checking it again only costs a hash. */
const REMEMBERED_MS = 30_000;
const MOST_REMEMBERED = 2000;

export interface AccessToken {
  /** Who uses the token: a person, or a program that acts on its own behalf. */
  subject: string;
  scopes: ReadonlySet<string>;
  /** In milliseconds since 1970. */
  expiresAt: number;
}

/** A token is not valid; the message tells its owner why. */
export class InvalidToken extends Error {}

export class AccessTokens {
  readonly #settings: OAuthSettings;
  readonly #keys: IssuerKeys;
  readonly #good = new Map<string, { token: AccessToken; until: number }>();

  constructor(settings: OAuthSettings, keys: IssuerKeys) {
    this.#settings = settings;
    this.#keys = keys;
  }

  /** Throws `InvalidToken`, or `KeysUnavailable` if the token cannot be checked now. */
  async check(text: string, audience: string): Promise<AccessToken> {
    if (text.length > LONGEST_TOKEN) throw new InvalidToken('the token is too long');
    const key = createHash('sha256').update(`${audience}\n${text}`).digest('base64');
    const known = this.#good.get(key);
    const now = Date.now();
    if (known && known.until > now) return known.token;
    this.#good.delete(key);
    const token = await this.#verify(text, audience);
    if (this.#good.size >= MOST_REMEMBERED) this.#good.delete(this.#good.keys().next().value!);
    this.#good.set(key, { token, until: Math.min(token.expiresAt, now + REMEMBERED_MS) });
    return token;
  }

  async #verify(text: string, audience: string): Promise<AccessToken> {
    const { issuer, scopeClaim } = this.#settings;
    const payload = await this.#payloadOf(text, {
      ...{ issuer, audience, algorithms: ALGORITHMS, clockTolerance: CLOCK_SECONDS },
      requiredClaims: ['exp'],
    });
    // A client must prove that a bound token is its own, and this server cannot check such a proof.
    if (payload.cnf !== undefined) throw new InvalidToken('the token is bound to a key (cnf)');
    return {
      subject: subjectOf(payload),
      scopes: scopesOf(payload, scopeClaim),
      expiresAt: payload.exp! * 1000,
    };
  }

  async #payloadOf(text: string, options: JWTVerifyOptions): Promise<JWTPayload> {
    try {
      const { payload, protectedHeader } = await verifyWithAnyKey(text, this.#keys, options);
      if (!TYPES.has(protectedHeader.typ?.toLowerCase()))
        throw new InvalidToken('the token is not an access token (typ)');
      return payload;
    } catch (error) {
      throw error instanceof errors.JOSEError ? new InvalidToken(wordsFor(error)) : error;
    }
  }
}

/** Tries all keys that fit, since a token need not name its key. */
async function verifyWithAnyKey(text: string, keys: IssuerKeys, options: JWTVerifyOptions) {
  try {
    return await jwtVerify(text, keys.find, options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      try {
        return await jwtVerify(text, key, options);
      } catch (wrong) {
        if (!(wrong instanceof errors.JWSSignatureVerificationFailed)) throw wrong;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

function wordsFor(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'the token has expired';
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'exp') return 'the token does not say when it expires (exp)';
    if (error.claim === 'aud') return 'the token is for another audience (aud)';
    if (error.claim === 'iss') return 'the token is from another issuer (iss)';
    if (error.claim === 'nbf') return 'the token is not valid yet (nbf)';
    return `the token has no valid ${error.claim}`;
  }
  if (error instanceof errors.JOSEAlgNotAllowed)
    return 'the token is signed with an algorithm that is refused';
  return 'the token is not signed by the issuer';
}

function subjectOf({ sub, client_id: client }: JWTPayload): string {
  const subject = sub ?? client;
  if (typeof subject !== 'string' || subject === '')
    throw new InvalidToken('the token does not say whose it is (sub)');
  if (subject.length > LONGEST_SUBJECT) throw new InvalidToken('the subject of the token is too long');
  return subject;
}

/** The scopes of a token, which are a text separated by blanks or a list. */
function scopesOf(payload: JWTPayload, claim: string | undefined): ReadonlySet<string> {
  const found = claim === undefined ? (payload.scope ?? payload.scp) : payload[claim];
  if (typeof found === 'string') return new Set(found.split(' ').filter((scope) => scope !== ''));
  return new Set(Array.isArray(found) ? found.filter((scope) => typeof scope === 'string') : []);
}
