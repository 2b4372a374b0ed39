/** Checks Host, then Origin, then the token of a request, before the server reads anything else of it. */

import type { HostAndOrigin } from './host-and-origin.ts';
import type { Refusal, Reply } from './reply.ts';
import { FailedTokens } from './tokens/failed-tokens.ts';
import { bearerOf, type Grant, type Tokens } from './tokens/tokens.ts';

const CHALLENGE = 'Bearer realm="cofferdam"';
const TOKEN_NEEDED = 'A token is needed: Authorization: Bearer …';
const WRONG_TOKEN: Refusal = {
  status: 401,
  message: 'The token is not valid',
  headers: { 'WWW-Authenticate': `${CHALLENGE}, error="invalid_token"` },
};
/** What a page of an allowed origin may send, and which headers it may read. */
const CORS_PREFLIGHT = {
  'Access-Control-Allow-Methods': 'POST, GET, DELETE',
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name',
  'Access-Control-Max-Age': '600',
};
const CORS_EXPOSED = 'Mcp-Session-Id, WWW-Authenticate, Retry-After';

/** The tokens of an authorization server, at the endpoint that the request asks for. */
export interface IssuedTokens {
  /** The `WWW-Authenticate` for a request without a token. */
  challenge(): string;
  open(token: string): Promise<GrantedAccess | Refusal>;
}

/** What a request may do. */
export interface GrantedAccess {
  grant: Grant;
  /** What the authorization server allows; undefined for a token that the operator issued. */
  issued?: { scopes: ReadonlySet<string>; expiresAt: number };
}

export interface AdmissionOptions {
  hostAndOrigin: HostAndOrigin;
  tokens: Tokens;
  /** How many refusals of wrong tokens may wait at the same time. */
  delayedRefusals: number;
  log(line: string): void;
}

export class Admission {
  readonly #options: AdmissionOptions;
  readonly #failed = new FailedTokens();
  #delayed = 0;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** Whether Host and Origin are allowed. Answers by itself when not, and when a browser asks before it sends. */
  allows(reply: Reply): boolean {
    const { request, response } = reply;
    const { hostAndOrigin } = this.#options;
    if (!hostAndOrigin.allowsHost(request)) {
      refuseAndClose(reply, {
        status: 403,
        message: 'This host is not served here (--allow-host names another)',
      });
      return false;
    }
    if (!hostAndOrigin.allowsOrigin(request)) {
      refuseAndClose(reply, {
        status: 403,
        message: 'This origin is not served here (--allow-origin names one)',
      });
      return false;
    }
    const { origin } = request.headers;
    if (origin === undefined) return true;
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Access-Control-Expose-Headers', CORS_EXPOSED);
    response.setHeader('Vary', 'Origin');
    // A browser asks first, without the token, whether the page may send it.
    if (request.method !== 'OPTIONS' || !request.headers['access-control-request-method']) return true;
    reply.empty(204, CORS_PREFLIGHT);
    return false;
  }

  /** The grant of the token that the request shows; answers by itself when there is none. */
  grantOf(reply: Reply): Grant | undefined {
    const shown = bearerOf(reply.request.headers.authorization);
    const grant = shown === undefined ? undefined : this.#options.tokens.find(shown);
    if (grant) return grant;
    if (shown === undefined) refuseToken(reply, TOKEN_NEEDED, CHALLENGE);
    else this.#refuseWrongToken(reply, WRONG_TOKEN);
    return undefined;
  }

  /** The same, where an authorization server issues tokens too. */
  async accessOf(reply: Reply, issued: IssuedTokens): Promise<GrantedAccess | undefined> {
    const shown = bearerOf(reply.request.headers.authorization);
    if (shown === undefined) {
      refuseToken(reply, TOKEN_NEEDED, issued.challenge());
      return undefined;
    }
    const grant = this.#options.tokens.find(shown);
    if (grant) return { grant };
    const access = await issued.open(shown);
    if (!('status' in access)) return access;
    if (access.status === 401) this.#refuseWrongToken(reply, access);
    else refuseAndClose(reply, access);
    return undefined;
  }

  #refuseWrongToken(reply: Reply, refusal: Refusal): void {
    const address = reply.request.socket.remoteAddress ?? '';
    const { delayMs, count } = this.#failed.record(address, Date.now());
    if (count === 10 || count % 10_000 === 0)
      this.#options.log(`${count} wrong tokens from ${address}: its refusals are delayed`);
    const answer = () => refuseAndClose(reply, refusal);
    if (delayMs === 0) {
      answer();
      return;
    }
    if (this.#delayed >= this.#options.delayedRefusals) {
      const retryAfter = Math.ceil(delayMs / 1000);
      refuseAndClose(reply, { status: 429, retryAfter, message: 'Too many wrong tokens: try later' });
      return;
    }
    this.#delayed++;
    const timer = setTimeout(answer, delayMs);
    timer.unref();
    reply.whenOver(() => {
      this.#delayed--;
      clearTimeout(timer);
    });
  }
}

function refuseToken(reply: Reply, message: string, challenge: string): void {
  refuseAndClose(reply, { status: 401, message, headers: { 'WWW-Authenticate': challenge } });
}

/** A client that is not admitted keeps no connection either. */
export function refuseAndClose(reply: Reply, refusal: Refusal): undefined {
  reply.response.shouldKeepAlive = false;
  reply.refuse(refusal);
}
