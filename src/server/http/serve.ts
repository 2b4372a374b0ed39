/** Serves several clients over HTTP: each dialect under its own path, each request with a token. */
import type { Server } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ServerEventBus } from '@modelcontextprotocol/server';
import type { Dialect } from '../../dialects/dialect.ts';
import type { Engine } from '../../engine/index.ts';
import type { App } from '../mcp/app.ts';
import { createSession } from '../mcp/session.ts';
import { Page } from '../page/page.ts';
import type { PageSources } from '../page/sources.ts';
import { Admission, refuseStranger } from '../web/admission.ts';
import { MemoryBudget } from '../web/body.ts';
import { Connections } from '../web/connections.ts';
import { FrontDoor, inUrl } from '../web/host-and-origin.ts';
import { type HttpLimits, usualLimits } from '../web/limits.ts';
import { OpenReplies } from '../web/open-replies.ts';
import type { Refusal, Reply } from '../web/reply.ts';
import { type Grant, Tokens } from '../web/tokens.ts';
import { type Certificate, makeWebServer } from '../web/web-server.ts';
import { addressOf, isWellKnown, pathsOf, workspaceIn } from './address.ts';
import { type Endpoint, serveVisit } from './endpoint.ts';
import { Holder } from './holder.ts';
import { type CreateServer, Sessions } from './sessions.ts';
import { Stateless } from './stateless.ts';

export interface HttpOptions {
  host: string;
  port: number;
  grants: readonly Grant[];
  tls?: Certificate | undefined;
  allowHosts?: readonly string[];
  allowOrigins?: readonly string[];
  /** An engine over the same directories that cannot change anything, for tokens that may only read. */
  readOnlyEngine(): Engine;
  limits?: Partial<HttpLimits>;
  createServer?: CreateServer;
  /** Where changes are announced that clients without a session listen for. */
  bus?: ServerEventBus;
  /** What the Tool Trace page shows; without it there is no page. */
  page?: PageSources;
}

/** How often open answers and idle sessions are looked at, at the least. */
const LONGEST_TICK_MS = 1000;
/** Newcomers that the system may hold until they are taken in; a flood fills a short queue, and each waits a second then. */
const BACKLOG = 4096;
/** What was just answered is given this long to get out. */
const LAST_BYTES_MS = 100;
const NOTHING_HERE: Refusal = { status: 404, message: 'There is nothing at this path' };

export class HttpServing {
  /** Settles when everything is answered and closed. */
  readonly done: Promise<void>;
  /** The port that is listened on, also when any would do. */
  port = 0;
  readonly #app: App;
  readonly #options: HttpOptions;
  readonly #limits: HttpLimits;
  readonly #server: Server | TlsServer;
  readonly #tokens: Tokens;
  readonly #admission: Admission;
  readonly #sessions: Sessions;
  readonly #endpoint: Endpoint;
  readonly #holders = new Map<Grant, Holder>();
  readonly #replies: OpenReplies;
  readonly #dialects: ReadonlyMap<string, Dialect>;
  readonly #page: Page | undefined;
  #stopping: Promise<void> | undefined;
  #ended!: () => void;

  constructor(app: App, options: HttpOptions) {
    this.#app = app;
    this.#options = options;
    this.#limits = { ...usualLimits, ...options.limits };
    this.#replies = new OpenReplies(new Connections(this.#limits));
    const { host, allowHosts = [], allowOrigins = [], createServer: create = createSession } = options;
    this.#tokens = new Tokens(options.grants);
    this.#admission = new Admission({
      door: new FrontDoor({ host, allowHosts, allowOrigins }),
      tokens: this.#tokens,
      heldRefusals: this.#limits.heldRefusals,
      log: (line) => app.log(line),
    });
    this.#sessions = new Sessions(this.#limits, create);
    this.#endpoint = {
      limits: this.#limits,
      sessions: this.#sessions,
      stateless: new Stateless(create, this.#limits, options.bus),
      room: new MemoryBudget(this.#limits.allBodiesBytes),
      load: () => this.#load(),
      unsentBytes: () => this.#replies.unsentBytes,
    };
    this.#dialects = pathsOf(app.dialects);
    this.#page = options.page && this.#makePage(options.page);
    this.#server = this.#makeServer(options.tls);
    this.done = new Promise((resolve) => {
      this.#ended = resolve;
    });
  }

  async listen(): Promise<void> {
    const { host, port } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ port, host, backlog: BACKLOG }, () => {
        this.#server.off('error', reject);
        this.port = (this.#server.address() as AddressInfo).port;
        if (this.#page) this.#page.port = this.port;
        resolve();
      });
    });
    this.#server.on('error', (error) => this.#app.log(`http: ${error.message}`));
    const { silenceMs, heartbeatMs, stalledMs, sessionIdleMs } = this.#limits;
    const tickMs = Math.min(LONGEST_TICK_MS, silenceMs, heartbeatMs, stalledMs, sessionIdleMs);
    const ticking = setInterval(() => this.#tick(Date.now()), tickMs);
    ticking.unref();
    void this.done.then(() => clearInterval(ticking));
  }

  get url(): string {
    const scheme = this.#options.tls ? 'https' : 'http';
    return `${scheme}://${inUrl(this.#options.host)}:${this.port}/mcp`;
  }

  /** Puts other tokens in place. Those that are gone stop working at once, also for what is under way. */
  replaceTokens(grants: readonly Grant[]): void {
    for (const grant of this.#tokens.replace(grants)) this.#withdraw(grant);
  }

  replaceCertificate(certificate: Certificate): void {
    if ('setSecureContext' in this.#server) this.#server.setSecureContext(certificate);
  }

  /** Takes no new requests, lets those under way be answered for a while, and then ends what is left. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#replies.letGo();
    await this.#replies.untilAnswered(Date.now() + this.#limits.graceMs);
    this.#sessions.endAll('The server is ending');
    await this.#endpoint.stateless.close();
    for (const holder of this.#holders.values()) holder.close();
    this.#page?.close();
    await new Promise((resolve) => setTimeout(resolve, this.#replies.isEmpty ? 0 : LAST_BYTES_MS));
    this.#replies.connections.closeAll();
    await closed;
    this.#ended();
  }

  #makeServer(tls: Certificate | undefined): Server | TlsServer {
    return makeWebServer({
      limits: this.#limits,
      tls,
      replies: this.#replies,
      serve: (reply, waits) => this.#serve(reply, waits),
      log: (line) => this.#app.log(line),
    });
  }

  #makePage(sources: PageSources): Page {
    const { version, engine } = this.#app;
    const secure = this.#options.tls !== undefined;
    const about = { version, roots: engine.roots, secure };
    return new Page({ ...about, sources, admission: this.#admission, replies: this.#replies });
  }

  async #serve(reply: Reply, waits: boolean): Promise<Refusal | undefined> {
    const { request, response } = reply;
    if (this.#stopping) {
      response.shouldKeepAlive = false;
      return { status: 503, retryAfter: 2, message: 'The server is ending' };
    }
    if (!this.#admission.letsIn(reply)) return undefined;
    const { path, query } = addressOf(request.url!);
    if (path === '/healthz') return answerHealth(reply);
    if (isWellKnown(path)) return refuseStranger(reply, NOTHING_HERE);
    if (this.#page?.serves(path)) return this.#page.serve(reply, path, waits);
    const grant = this.#admission.grantOf(reply);
    if (!grant) return undefined;
    const full = this.#replies.belongsTo(reply, grant);
    if (full) return full;
    const dialect = this.#dialects.get(path);
    if (!dialect) return NOTHING_HERE;
    const holder = this.#holderOf(grant);
    if (!holder.mayUse(dialect.name))
      return { status: 403, message: `This token does not open the dialect ${dialect.name}` };
    const named = workspaceIn(query, dialect);
    if ('status' in named) return named;
    return serveVisit(this.#endpoint, { reply, holder, app: holder.appFor(dialect), ...named, waits });
  }

  #holderOf(grant: Grant): Holder {
    let holder = this.#holders.get(grant);
    if (!holder) {
      const engine = grant.readOnly ? this.#options.readOnlyEngine() : this.#app.engine;
      holder = new Holder(grant, { ...this.#app, engine });
      this.#holders.set(grant, holder);
    }
    return holder;
  }

  #withdraw(grant: Grant): void {
    this.#replies.cutOff(grant);
    this.#page?.withdraw(grant);
    const holder = this.#holders.get(grant);
    if (!holder) return;
    this.#holders.delete(grant);
    this.#sessions.endOf(holder);
    holder.close();
  }

  #load(): number {
    let load = 0;
    for (const { gate } of this.#holders.values()) load += gate.load;
    return load;
  }

  #tick(now: number): void {
    this.#replies.tick(now, this.#limits);
    this.#sessions.endIdle(now);
    this.#page?.tick(now);
    for (const holder of this.#holders.values()) holder.forgetIdle(now, this.#limits.sessionIdleMs);
  }
}

export async function serveOnHttp(app: App, options: HttpOptions): Promise<HttpServing> {
  const serving = new HttpServing(app, options);
  await serving.listen();
  return serving;
}

/** Says that somebody is there, and nothing more. */
function answerHealth({ request, response }: Reply): Refusal | undefined {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return { status: 405, message: 'GET is served here', headers: { Allow: 'GET, HEAD' } };
  // Who shows no token keeps no connection.
  response.shouldKeepAlive = false;
  response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': 3, 'Cache-Control': 'no-store' });
  response.end('ok\n');
  return undefined;
}
