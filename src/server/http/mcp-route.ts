/** MCP over HTTP: each dialect under its own path, each request with a token. */
import type { ServerEventBus } from '@modelcontextprotocol/server';
import type { Dialect } from '../../dialects/dialect.ts';
import type { Engine } from '../../engine/index.ts';
import type { App } from '../mcp/app.ts';
import { createSession } from '../mcp/session.ts';
import { refuseAndClose } from '../web/admission.ts';
import { MemoryBudget } from '../web/body.ts';
import type { Refusal } from '../web/reply.ts';
import type { Grant } from '../web/tokens.ts';
import { NOT_FOUND, type Route, type WebRequest, type WebServer } from '../web/web-server.ts';
import { isWellKnown, pathsOf, workspaceIn } from './address.ts';
import { type Endpoint, serveMcp } from './endpoint.ts';
import { Principal } from './principal.ts';
import { type CreateServer, Sessions } from './sessions.ts';
import { Stateless } from './stateless.ts';

export interface McpOptions {
  /** An engine over the same directories that cannot change anything, for tokens that may only read. */
  readOnlyEngine(): Engine;
  createServer?: CreateServer;
  /** Announces changes to clients that listen without a session. */
  bus?: ServerEventBus;
}

/** Clients look for authorization servers under `.well-known`. There are none, with a token or without. */
export const wellKnownRoute: Route = {
  matches: isWellKnown,
  serve: ({ reply }) => refuseAndClose(reply, NOT_FOUND),
};

export class McpRoute implements Route {
  readonly #app: App;
  readonly #server: WebServer;
  readonly #options: McpOptions;
  readonly #sessions: Sessions;
  readonly #endpoint: Endpoint;
  readonly #principals = new Map<Grant, Principal>();
  readonly #dialects: ReadonlyMap<string, Dialect>;

  constructor(app: App, server: WebServer, options: McpOptions) {
    this.#app = app;
    this.#server = server;
    this.#options = options;
    const { createServer = createSession, bus } = options;
    const { limits } = server;
    this.#sessions = new Sessions(limits, createServer);
    this.#endpoint = {
      limits,
      sessions: this.#sessions,
      stateless: new Stateless(app, createServer, limits, bus),
      memory: new MemoryBudget(limits.allBodiesBytes),
      openCalls: () => this.#openCalls(),
      unsentBytes: () => server.unsentBytes,
    };
    this.#dialects = pathsOf(app.dialects);
  }

  /** Every path: without a token nobody learns which ones exist. */
  matches(): boolean {
    return true;
  }

  async serve({ reply, path, query, expectsContinue }: WebRequest): Promise<Refusal | undefined> {
    const grant = this.#server.grantOf(reply);
    if (!grant) return undefined;
    const full = this.#server.accept(reply, grant);
    if (full) return full;
    const dialect = this.#dialects.get(path);
    if (!dialect) return NOT_FOUND;
    const principal = this.#principalOf(grant);
    if (!principal.mayUse(dialect.name))
      return { status: 403, message: `This token does not open the dialect ${dialect.name}` };
    const named = workspaceIn(query, dialect);
    if ('status' in named) return named;
    const app = principal.appFor(dialect);
    return serveMcp(this.#endpoint, { reply, principal, app, ...named, expectsContinue });
  }

  revoke(grant: Grant): void {
    const principal = this.#principals.get(grant);
    if (!principal) return;
    this.#principals.delete(grant);
    this.#sessions.endOf(principal);
    principal.close();
  }

  tick(now: number): void {
    this.#sessions.endIdle(now);
    for (const principal of this.#principals.values())
      principal.forgetIdle(now, this.#server.limits.sessionIdleMs);
  }

  async close(): Promise<void> {
    this.#sessions.endAll('The server is ending');
    await this.#endpoint.stateless.close();
    for (const principal of this.#principals.values()) principal.close();
  }

  #principalOf(grant: Grant): Principal {
    let principal = this.#principals.get(grant);
    if (!principal) {
      const engine = grant.readOnly ? this.#options.readOnlyEngine() : this.#app.engine;
      principal = new Principal(grant, { ...this.#app, engine, changing: this.#app.engine });
      this.#principals.set(grant, principal);
    }
    return principal;
  }

  #openCalls(): number {
    let calls = 0;
    for (const { callLimit } of this.#principals.values()) calls += callLimit.size;
    return calls;
  }
}
