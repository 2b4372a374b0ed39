/**
 * The HTTP server: it listens, checks Host, Origin and tokens, limits what its clients may use, and stops in order.
 * It serves routes, such as MCP and the Tool Trace page.
 */
import type { Server } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Admission, type GrantedAccess, type IssuedTokens } from './admission.ts';
import { Connections } from './connections.ts';
import { HostAndOrigin, inUrl } from './host-and-origin.ts';
import { defaultLimits, type HttpLimits } from './limits.ts';
import { type Certificate, createNodeServer } from './node-server.ts';
import { OpenReplies } from './open-replies.ts';
import type { Refusal, Reply } from './reply.ts';
import { type Grant, type TokenGrant, Tokens } from './tokens/tokens.ts';

/** The longest time between two checks of open replies and idle sessions. */
const MAX_TICK_MS = 1000;
/** How many connections the system queues for us. A flood fills a short queue, and then every client waits a second. */
const BACKLOG = 4096;
/** How long the last replies may take to reach their clients. */
const LAST_BYTES_MS = 100;
export const NOT_FOUND: Refusal = { status: 404, message: 'There is nothing at this path' };

/** A request whose Host and Origin are allowed. */
export interface WebRequest {
  reply: Reply;
  path: string;
  /** The part of the URL after the `?`. */
  query: string;
  /** The client sends the body only after `100 Continue`. */
  expectsContinue: boolean;
}

export interface Route {
  /** Whether the route serves this path; if several do, the first one gets the request. */
  matches(path: string): boolean;
  /** Sends the reply, or gives a refusal. */
  serve(request: WebRequest): Promise<Refusal | undefined> | Refusal | undefined;
  /** Called when the operator has withdrawn a token: ends everything that was started with it. */
  revoke?(grant: Grant): void;
  tick?(now: number): void;
  /** Called when the server stops, after requests under way have had time to finish. */
  close?(): Promise<void> | void;
}

export interface WebServerOptions {
  host: string;
  port: number;
  /** The path that `url` ends with. */
  startPath: string;
  grants: readonly TokenGrant[];
  tls?: Certificate | undefined;
  allowHosts?: readonly string[];
  allowOrigins?: readonly string[];
  limits?: Partial<HttpLimits>;
  log(line: string): void;
}

export class WebServer {
  /** Settles when everything is answered and closed. */
  readonly done: Promise<void>;
  /** The port that the server listens on, even if the system chose it. */
  port = 0;
  readonly limits: HttpLimits;
  readonly #options: WebServerOptions;
  readonly #server: Server | TlsServer;
  readonly #tokens: Tokens;
  readonly #admission: Admission;
  readonly #replies: OpenReplies;
  #routes: readonly Route[] = [];
  #stopping: Promise<void> | undefined;
  #markDone!: () => void;

  constructor(options: WebServerOptions) {
    const { host, allowHosts = [], allowOrigins = [], tls, log } = options;
    this.#options = options;
    this.limits = { ...defaultLimits, ...options.limits };
    this.#replies = new OpenReplies(new Connections(this.limits));
    this.#tokens = new Tokens(options.grants);
    this.#admission = new Admission({
      hostAndOrigin: new HostAndOrigin({ host, allowHosts, allowOrigins }),
      tokens: this.#tokens,
      delayedRefusals: this.limits.delayedRefusals,
      log,
    });
    this.#server = createNodeServer({
      ...{ limits: this.limits, tls, replies: this.#replies, log },
      serve: (reply, expectsContinue) => this.#serve(reply, expectsContinue),
    });
    this.done = new Promise((resolve) => {
      this.#markDone = resolve;
    });
  }

  async listen(routes: readonly Route[]): Promise<void> {
    this.#routes = routes;
    const { host, port, log } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ port, host, backlog: BACKLOG }, () => {
        this.#server.off('error', reject);
        this.port = (this.#server.address() as AddressInfo).port;
        resolve();
      });
    });
    this.#server.on('error', (error) => log(`http: ${error.message}`));
    const { streamAfterMs, heartbeatMs, stalledMs, sessionIdleMs } = this.limits;
    const tickMs = Math.min(MAX_TICK_MS, streamAfterMs, heartbeatMs, stalledMs, sessionIdleMs / 8);
    const timer = setInterval(() => this.#tick(Date.now()), tickMs);
    timer.unref();
    void this.done.then(() => clearInterval(timer));
  }

  get url(): string {
    const scheme = this.isSecure ? 'https' : 'http';
    return `${scheme}://${inUrl(this.#options.host)}:${this.port}${this.#options.startPath}`;
  }

  get isSecure(): boolean {
    return this.#options.tls !== undefined;
  }

  /** How many bytes of replies their clients have not read. */
  get unsentBytes(): number {
    return this.#replies.unsentBytes;
  }

  /** The grant of the request's token. If there is none, it also sends the refusal. */
  grantOf(reply: Reply): Grant | undefined {
    return this.#admission.grantOf(reply);
  }

  /** The same as `grantOf`, for a server that also accepts tokens of an authorization server. */
  accessOf(reply: Reply, issued: IssuedTokens): Promise<GrantedAccess | undefined> {
    return this.#admission.accessOf(reply, issued);
  }

  /** The grants of the tokens that the operator issued. */
  get grants(): readonly Grant[] {
    return this.#tokens.all;
  }

  /** Whether the operator issued a token under this name. */
  hasTokenOf(name: string): boolean {
    return this.#tokens.hasName(name);
  }

  /** Assigns the request to this grant. Refuses it if there are too many connections. */
  accept(reply: Reply, grant: Grant): Refusal | undefined {
    return this.#replies.accept(reply, grant);
  }

  /** Replaces the tokens. Tokens that are gone stop working at once, even for requests under way. */
  replaceTokens(grants: readonly TokenGrant[]): void {
    for (const grant of this.#tokens.replace(grants)) {
      this.#replies.abort(grant);
      for (const route of this.#routes) route.revoke?.(grant);
    }
  }

  replaceCertificate(certificate: Certificate): void {
    if ('setSecureContext' in this.#server) this.#server.setSecureContext(certificate);
  }

  /** Accepts no new requests, gives those under way some time, and then ends what is left. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#replies.drain();
    await this.#replies.untilAnswered(Date.now() + this.limits.graceMs);
    for (const route of this.#routes) await route.close?.();
    await new Promise((resolve) => setTimeout(resolve, this.#replies.isEmpty ? 0 : LAST_BYTES_MS));
    this.#replies.connections.closeAll();
    await closed;
    this.#markDone();
  }

  async #serve(reply: Reply, expectsContinue: boolean): Promise<Refusal | undefined> {
    const { request, response } = reply;
    if (this.#stopping) {
      response.shouldKeepAlive = false;
      return { status: 503, retryAfter: 2, message: 'The server is shutting down' };
    }
    if (!this.#admission.allows(reply)) return undefined;
    const { path, query } = splitUrl(request.url!);
    const route = this.#routes.find((each) => each.matches(path));
    return route ? route.serve({ reply, path, query, expectsContinue }) : NOT_FOUND;
  }

  #tick(now: number): void {
    this.#replies.tick(now, this.limits);
    for (const route of this.#routes) route.tick?.(now);
  }
}

function splitUrl(url: string): { path: string; query: string } {
  const at = url.indexOf('?');
  return at < 0 ? { path: url, query: '' } : { path: url.slice(0, at), query: url.slice(at + 1) };
}
