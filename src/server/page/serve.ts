/** Serves the Tool Trace page alone, for whoever sits at this machine: what all servers of this user have stored. */
import type { Server } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Admission } from '../web/admission.ts';
import { Connections } from '../web/connections.ts';
import { FrontDoor } from '../web/host-and-origin.ts';
import { type HttpLimits, usualLimits } from '../web/limits.ts';
import { OpenReplies } from '../web/open-replies.ts';
import type { Refusal, Reply } from '../web/reply.ts';
import { fullGrant, newToken, Tokens } from '../web/tokens.ts';
import { makeWebServer } from '../web/web-server.ts';
import { Page } from './page.ts';
import type { PageSources } from './sources.ts';

const HOST = '127.0.0.1';
const TICK_MS = 1000;
const CONNECTIONS = 64;

export interface PageRequest {
  sources: PageSources;
  version: string;
  /** Any that is free unless told. */
  port?: number;
  /** A new one is made unless told. */
  token?: string;
  limits?: Partial<HttpLimits>;
  /** Where the built page lies, when not beside the program. */
  directory?: string;
  log(line: string): void;
}

export class PageServing {
  /** Settles when everything is closed. */
  readonly done: Promise<void>;
  port = 0;
  readonly #request: PageRequest;
  readonly #limits: HttpLimits;
  readonly #token: string;
  readonly #server: Server | TlsServer;
  readonly #admission: Admission;
  readonly #replies: OpenReplies;
  readonly #page: Page;
  #stopping: Promise<void> | undefined;
  #ended!: () => void;

  constructor(request: PageRequest) {
    const { sources, version, directory, log } = request;
    this.#request = request;
    this.#limits = { ...usualLimits, connections: CONNECTIONS, ...request.limits };
    this.#replies = new OpenReplies(new Connections(this.#limits));
    this.#token = request.token ?? newToken();
    this.#admission = new Admission({
      door: new FrontDoor({ host: HOST, allowHosts: [], allowOrigins: [] }),
      tokens: new Tokens([fullGrant(this.#token)]),
      heldRefusals: this.#limits.heldRefusals,
      log,
    });
    this.#page = new Page({
      ...{ sources, version, admission: this.#admission, replies: this.#replies, secure: false },
      ...(directory !== undefined && { directory }),
    });
    this.#server = makeWebServer({
      limits: this.#limits,
      replies: this.#replies,
      serve: (reply, waits) => this.#serve(reply, waits),
      log,
    });
    this.done = new Promise((resolve) => {
      this.#ended = resolve;
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#request.port ?? 0, HOST, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    this.port = (this.#server.address() as AddressInfo).port;
    this.#page.port = this.port;
    this.#server.on('error', (error) => this.#request.log(`page: ${error.message}`));
    const ticking = setInterval(() => this.#tick(Date.now()), TICK_MS);
    ticking.unref();
    void this.done.then(() => clearInterval(ticking));
  }

  /** With the token behind the `#`, which browsers keep to themselves. */
  get url(): string {
    return `http://${HOST}:${this.port}/#token=${encodeURIComponent(this.#token)}`;
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#replies.letGo();
    this.#server.closeIdleConnections();
    await this.#replies.untilAnswered(Date.now() + this.#limits.graceMs);
    this.#page.close();
    this.#server.closeAllConnections();
    await closed;
    this.#ended();
  }

  async #serve(reply: Reply, waits: boolean): Promise<Refusal | undefined> {
    if (this.#stopping) return { status: 503, message: 'The server is ending' };
    if (!this.#admission.letsIn(reply)) return undefined;
    const path = reply.request.url!.replace(/\?.*$/s, '');
    if (!this.#page.serves(path)) return { status: 404, message: 'There is nothing at this path' };
    return this.#page.serve(reply, path, waits);
  }

  #tick(now: number): void {
    this.#replies.tick(now, this.#limits);
    this.#page.tick(now);
  }
}

export async function servePage(request: PageRequest): Promise<PageServing> {
  const serving = new PageServing(request);
  await serving.listen();
  return serving;
}
