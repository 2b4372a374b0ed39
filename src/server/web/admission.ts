/** The order in which a request is looked at: Host, then Origin, then token. Only then is anything else read. */
import { FailedTokens } from './failed-tokens.ts';
import type { FrontDoor } from './host-and-origin.ts';
import type { Refusal, Reply } from './reply.ts';
import { bearerOf, type Grant, type Tokens } from './tokens.ts';

const CHALLENGE = 'Bearer realm="cofferdam"';
/** What a page that was allowed may ask and see. */
const PAGE_MAY = {
  'Access-Control-Allow-Methods': 'POST, GET, DELETE',
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name',
  'Access-Control-Max-Age': '600',
};
const PAGE_SEES = 'Mcp-Session-Id, WWW-Authenticate, Retry-After';

export interface AdmissionOptions {
  door: FrontDoor;
  tokens: Tokens;
  heldRefusals: number;
  log(line: string): void;
}

export class Admission {
  readonly #options: AdmissionOptions;
  readonly #failed = new FailedTokens();
  #held = 0;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** Whether the request comes from where it may; refuses by itself when not, and answers a page's question. */
  letsIn(reply: Reply): boolean {
    const { request, response } = reply;
    const { door } = this.#options;
    if (!door.servesHost(request)) {
      refuseStranger(reply, {
        status: 403,
        message: 'This host is not served here (--allow-host names another)',
      });
      return false;
    }
    if (!door.servesOrigin(request)) {
      refuseStranger(reply, {
        status: 403,
        message: 'This origin is not served here (--allow-origin names one)',
      });
      return false;
    }
    const { origin } = request.headers;
    if (origin === undefined) return true;
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Access-Control-Expose-Headers', PAGE_SEES);
    response.setHeader('Vary', 'Origin');
    // A browser asks first, without the token, whether the page may send it.
    if (request.method !== 'OPTIONS' || !request.headers['access-control-request-method']) return true;
    reply.empty(204, PAGE_MAY);
    return false;
  }

  /** The grant of the token that was shown; refuses by itself when there is none. */
  grantOf(reply: Reply): Grant | undefined {
    const shown = bearerOf(reply.request.headers.authorization);
    const grant = shown === undefined ? undefined : this.#options.tokens.find(shown);
    if (grant) return grant;
    if (shown === undefined) refuse(reply, 'A token is needed: Authorization: Bearer …', CHALLENGE);
    else this.#refuseWrong(reply);
    return undefined;
  }

  #refuseWrong(reply: Reply): void {
    const address = reply.request.socket.remoteAddress ?? '';
    const { delayMs, count } = this.#failed.note(address, Date.now());
    if (count === 10 || count % 10_000 === 0)
      this.#options.log(`${count} wrong tokens from ${address}: its refusals are held back`);
    const answer = () => refuse(reply, 'The token is not valid', `${CHALLENGE}, error="invalid_token"`);
    if (delayMs === 0) {
      answer();
      return;
    }
    if (this.#held >= this.#options.heldRefusals) {
      const retryAfter = Math.ceil(delayMs / 1000);
      refuseStranger(reply, { status: 429, retryAfter, message: 'Too many wrong tokens: try later' });
      return;
    }
    this.#held++;
    const timer = setTimeout(answer, delayMs);
    timer.unref();
    reply.whenOver(() => {
      this.#held--;
      clearTimeout(timer);
    });
  }
}

function refuse(reply: Reply, message: string, challenge: string): void {
  refuseStranger(reply, { status: 401, message, headers: { 'WWW-Authenticate': challenge } });
}

/** Who is not let in keeps no connection either. */
export function refuseStranger(reply: Reply, refusal: Refusal): undefined {
  reply.response.shouldKeepAlive = false;
  reply.refuse(refusal);
}
