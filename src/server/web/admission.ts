/** Checks Host, then Origin, then the token of a request, before the server reads anything else from it. */

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
/** What a web page of an allowed origin may send. */
const CORS_PREFLIGHT = {
  'Access-Control-Allow-Methods': 'POST, GET, DELETE',
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name',
  'Access-Control-Max-Age': '600',
};
const CORS_EXPOSED = 'Mcp-Session-Id, WWW-Authenticate, Retry-After';

/** Checks tokens of an authorization server for the endpoint of one request. */
export interface IssuedTokens {
  /** The `WWW-Authenticate` header for a request without a token. */
  challenge(): string;
  open(token: string): Promise<GrantedAccess | Refusal>;
}

/** What a request may do. */
export interface GrantedAccess {
  grant: Grant;
  /** What the authorization server granted; undefined for a token that the operator issued. */
  issued?: { scopes: ReadonlySet<string>; expiresAt: number };
}

export interface AdmissionOptions {
  hostAndOrigin: HostAndOrigin;
  tokens: Tokens;
  /** How many refusals of wrong tokens may be delayed at the same time. */
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

  /** Whether Host and Origin are allowed. If not, or for a browser's preflight request, it also sends the reply. */
  allows(reply: Reply): boolean {
    const { request, response } = reply;
    const { hostAndOrigin } = this.#options;
    if (!hostAndOrigin.allowsHost(request)) {
      refuseAndClose(reply, {
        status: 403,
        message: 'This Host is not allowed: the operator can allow it with --allow-host',
      });
      return false;
    }
    if (!hostAndOrigin.allowsOrigin(request)) {
      refuseAndClose(reply, {
        status: 403,
        message: 'This Origin is not allowed: the operator can allow it with --allow-origin',
      });
      return false;
    }
    const { origin } = request.headers;
    if (origin === undefined) return true;
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Access-Control-Expose-Headers', CORS_EXPOSED);
    response.setHeader('Vary', 'Origin');
    // Before it sends the token, a browser asks in a preflight request whether the page may send it.
    if (request.method !== 'OPTIONS' || !request.headers['access-control-request-method']) return true;
    reply.empty(204, CORS_PREFLIGHT);
    return false;
  }

  /** The grant of the request's token. If there is none, it also sends the refusal. */
  grantOf(reply: Reply): Grant | undefined {
    const shown = bearerOf(reply.request.headers.authorization);
    const grant = shown === undefined ? undefined : this.#options.tokens.find(shown);
    if (grant) return grant;
    if (shown === undefined) refuseWithoutToken(reply, CHALLENGE);
    else this.#refuseWrongToken(reply, WRONG_TOKEN);
    return undefined;
  }

  /** The same as `grantOf`, for a server that also accepts tokens of an authorization server. */
  async accessOf(reply: Reply, issued: IssuedTokens): Promise<GrantedAccess | undefined> {
    const shown = bearerOf(reply.request.headers.authorization);
    if (shown === undefined) {
      refuseWithoutToken(reply, issued.challenge());
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

function refuseWithoutToken(reply: Reply, challenge: string): void {
  refuseAndClose(reply, { status: 401, message: TOKEN_NEEDED, headers: { 'WWW-Authenticate': challenge } });
}

/** Refuses a client that is not admitted, and closes its connection after the reply. */
export function refuseAndClose(reply: Reply, refusal: Refusal): undefined {
  reply.response.shouldKeepAlive = false;
  reply.refuse(refusal);
}
